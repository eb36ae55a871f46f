import { Command, Option } from 'commander';
import { allItems, type Api, connect, contentOf, type PageOf, type PageQuery } from '../connection/api.js';
import { download } from '../connection/files.js';
import { chooseServer, type Server, type ServerOptions } from '../connection/server.js';
import { Output } from '../output.js';

export interface CommonOptions extends ServerOptions {
  readonly json?: boolean;
}

/** The connection and the output of a command. */
export interface Session {
  readonly server: Server;
  readonly api: Api;
  readonly output: Output;
}

/** Returns a command with the options that all commands share: output format, server and token. */
export const command = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON on standard output')
    .addOption(new Option('--url <url>', 'the server (default: ASSAY_URL, then the server of `assay login`)'))
    .addOption(
      new Option(
        '--token <file>',
        'file containing an API token, or - for standard input (default: ASSAY_TOKEN, then the token saved by `assay login`)',
      ),
    );

/** Returns a command whose first argument is a task. */
export const commandForTask = (name: string, description: string): Command =>
  command(name, description).argument('<task>', 'the slug of the task');

/** Returns a command that only groups subcommands. */
export const group = (name: string, description: string, ...commands: readonly Command[]): Command =>
  commands.reduce((parent, child) => parent.addCommand(child), new Command(name).description(description));

/**
 * Returns an action that connects to the server, then does `work` with the arguments and the options
 * of its command.
 */
export const connected =
  <Given extends readonly unknown[]>(work: (session: Session, ...given: Given) => Promise<void>) =>
  async (...given: readonly unknown[]): Promise<void> =>
    // commander adds the options and the command to the arguments
    work(await sessionOf(given.at(-2) as CommonOptions), ...(given as unknown as Given));

/** Returns an action that prints what `ask` gets from the server: as JSON, or as `text` formats it. */
export const printing = <Given extends readonly unknown[], T>(
  ask: (session: Session, ...given: Given) => Promise<T>,
  text: (value: T, session: Session, ...given: Given) => string,
) =>
  connected(async (session, ...given: Given) => {
    const value = await ask(session, ...given);
    session.output.result(value, text(value, session, ...given));
  });

/**
 * Returns an action that prints all items of a list of a task: as JSON, or as a `table`, or as the
 * sentence `none` if the list is empty.
 */
export const listing = <T>(
  ask: (request: {
    readonly client: Api;
    readonly path: { readonly slug: string };
    readonly query: PageQuery;
  }) => Promise<{ readonly data: PageOf<T> }>,
  table: (items: readonly T[]) => string,
  none: (slug: string) => string,
) =>
  printing(
    async ({ api }, slug: string) => ({
      items: await allItems((query) => ask({ client: api, path: { slug }, query })),
    }),
    ({ items }, _session, slug) => (items.length > 0 ? table(items) : none(slug)),
  );

/** Returns an action that writes what `ask` gets from the server to the file in `--output`. */
export const downloading = (ask: (session: Session, ...given: never[]) => Promise<{ readonly data: unknown }>) =>
  connected(async (session, ...given: never[]) => {
    const { output: file } = (given as unknown[]).at(-2) as { readonly output?: string };
    await download(session.output, ask(session, ...given), file);
  });

export const outputOf = ({ json }: CommonOptions): Output => new Output(json ? 'json' : 'text');

export async function sessionOf(options: CommonOptions): Promise<Session> {
  const server = await chooseServer(options);
  return { server, api: connect(server), output: outputOf(options) };
}

export const TABLE_FORMATS = ['csv', 'latex', 'json'] as const;
export type TableForm = (typeof TABLE_FORMATS)[number];

/** Prints a table exactly as the server formatted it. */
export async function showTable(output: Output, answer: Promise<{ readonly data: unknown }>): Promise<void> {
  output.raw(String(await contentOf(answer)));
}
