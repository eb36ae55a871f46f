import { hostname } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { authCreateToken, authLogout, authMe } from '@assay/api-client/fetch';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { usageFailure } from '../command-failure.js';
import { connect, contentOf, reachingFetch, refusalOf } from '../connection/api.js';
import { chooseServer } from '../connection/server.js';
import { passwordIn } from '../connection/secrets.js';
import { readSettings, writeSettings } from '../connection/settings.js';
import { command, outputOf, type CommonOptions } from './command.js';

interface LoginOptions extends CommonOptions {
  readonly email?: string;
  readonly password?: string;
  readonly scope: 'read' | 'submit' | 'all';
  readonly days: number;
}

export const loginCommand = (): Command =>
  command('login', 'log in to a server, and save its address and a token for later commands')
    .option('--email <email>', 'create a token with your email address and password')
    .option('--password <->', 'read your password from standard input (default: ASSAY_PASSWORD, else a prompt)')
    .addOption(
      new Option('--scope <scope>', 'the scope of the token').choices(['read', 'submit', 'all']).default('all'),
    )
    .addOption(new Option('--days <days>', 'days until the token expires, 365 at most').argParser(daysOf).default(90))
    .addHelpText(
      'after',
      '\nExample:\n  assay login --url http://127.0.0.1:8080 --email ada@example.org\n\nWith --token - the token is read from standard input.',
    )
    .action(login);

async function login(options: LoginOptions): Promise<void> {
  const output = outputOf(options);
  const { url, token: given } = await chooseServer(options);
  const token = options.email === undefined ? await givenToken(options, given) : await madeToken(url, options);
  const user = await contentOf(authMe({ client: connect({ url, token }) }));

  const settings = await readSettings();
  await writeSettings({ url, tokens: { ...settings.tokens, [url]: token } });
  output.result(
    { url, user: user.username, role: user.role },
    `Logged in to ${url} as ${user.username} (${user.role}).`,
  );
}

/**
 * Returns the token from `--token`, ASSAY_TOKEN or a prompt at the terminal. Ignores saved tokens
 * and the token of an installation in the current folder: a user who logs in supplies a token
 * explicitly.
 */
async function givenToken({ token: file }: LoginOptions, chosen: string | undefined): Promise<string> {
  const given = file === undefined ? process.env['ASSAY_TOKEN'] : chosen;
  const trimmed = (given ?? (await asked('Token'))).trim();
  if (trimmed === '')
    throw usageFailure('No token given. Give a file with a token with --token, or sign in with --email.');
  return trimmed;
}

/** Signs in with email and password, creates a token and signs out again. */
async function madeToken(url: string, { email = '', password, scope, days }: LoginOptions): Promise<string> {
  const named = password === undefined ? process.env['ASSAY_PASSWORD'] : await passwordIn(password);
  const secret = named ?? (await asked('Password'));
  const signIn = await reachingFetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: secret }),
  });
  if (!signIn.ok) throw refusalOf(signIn.status, await signIn.text());

  const api = connect({ url });
  const headers = {
    cookie: signIn.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  };
  const body = { name: `assay on ${hostname()}`, scope, days };
  const { token } = await contentOf(authCreateToken({ client: api, body, headers }));
  await authLogout({ client: api, headers });
  return token;
}

function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 365) return days;
  throw new InvalidArgumentError('Give a number of days from 1 to 365.');
}

/**
 * Prompts at the terminal without echoing the input. Returns '' if standard input is not a
 * terminal.
 */
async function asked(what: string): Promise<string> {
  if (!process.stdin.isTTY) return '';
  process.stderr.write(`${what}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
