import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageFailure } from '../command-failure.js';
import { tokenIn } from './secrets.js';
import { readSettings } from './settings.js';

export interface ServerOptions {
  readonly url?: string;
  /** The source of the token: a file, or `-` for standard input. */
  readonly token?: string;
}

/** A server and the token to authenticate with. */
export interface Server {
  /** Without a trailing slash and without `/api/v1`. */
  readonly url: string;
  readonly token?: string;
}

/**
 * Selects the server. The options of the command come first, then ASSAY_URL and ASSAY_TOKEN, then
 * the settings saved by `assay login`, then the installation in the current folder, whose
 * administrator token is read from its home. That token is used only for a server on this machine.
 */
export async function chooseServer(options: ServerOptions): Promise<Server> {
  const settings = await readSettings();
  const named = options.url ?? (process.env['ASSAY_URL'] || settings.url);
  const url = serverUrl(named ?? (await installationAddress()));
  const token =
    (options.token === undefined ? undefined : await tokenIn(options.token)) ??
    (process.env['ASSAY_TOKEN'] ||
      (settings.tokens[url] ?? (isThisMachine(url) ? await installationFile('admin-token') : null)));
  return { url, ...(token && { token }) };
}

/**
 * Normalises the address of a server.
 *
 * @throws CommandFailure if the text is not an HTTP or HTTPS address
 */
export function serverUrl(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageFailure(`"${text}" is not a valid server address. Give one such as https://assay.example.org.`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/**
 * Reads a file in the home of the installation in the current folder, without surrounding white
 * space. Null if there is none.
 */
export async function installationFile(name: string): Promise<string | null> {
  const text = await readFile(join(process.env['ASSAY_HOME'] || '.assay', name), 'utf8').catch(() => '');
  return text.trim() || null;
}

async function installationAddress(): Promise<string> {
  const standard = `http://localhost:${process.env['PORT'] || 8080}`;
  const text = await installationFile('up.json');
  try {
    const { address } = JSON.parse(text ?? '{}') as { address?: unknown };
    return typeof address === 'string' ? address : standard;
  } catch {
    return standard;
  }
}

function isThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
