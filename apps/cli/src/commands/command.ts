import { Command, Option } from 'commander';
import { connect, type Api } from '../connection/api.js';
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
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON on standard output')
    .addOption(new Option('--url <url>', 'the server (default: ASSAY_URL, then the server of `assay login`)'))
    .addOption(
      new Option(
        '--token <file>',
        'file containing an API token, or - for standard input (default: ASSAY_TOKEN, then the token saved by `assay login`)',
      ),
    );
}

/** Returns a command that only groups subcommands. */
export const group = (name: string, description: string, ...commands: readonly Command[]): Command =>
  commands.reduce((parent, child) => parent.addCommand(child), new Command(name).description(description));

export const outputOf = ({ json }: CommonOptions): Output => new Output(json ? 'json' : 'text');

export async function sessionOf(options: CommonOptions): Promise<Session> {
  const server = await chooseServer(options);
  return { server, api: connect(server), output: outputOf(options) };
}
