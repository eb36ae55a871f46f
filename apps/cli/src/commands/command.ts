import { Command, Option } from 'commander';
import { connect, type Api } from '../connection/api.js';
import { chooseServer, type Server, type ServerOptions } from '../connection/server.js';
import { Output } from '../output.js';

export interface CommonOptions extends ServerOptions {
  readonly json?: boolean;
}

/** What a command works with. */
export interface Session {
  readonly server: Server;
  readonly api: Api;
  readonly output: Output;
}

/** A command with what all have: whom to speak to, and in which form to answer. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON on standard output')
    .addOption(new Option('--url <url>', 'the server (default: ASSAY_URL, or where you logged in)'))
    .addOption(
      new Option(
        '--token <file>',
        'file containing an API token, or - for standard input (default: ASSAY_TOKEN, then the token saved by `assay login`)',
      ),
    );
}

/** A command that only holds others. */
export const group = (name: string, description: string, ...commands: readonly Command[]): Command =>
  commands.reduce((parent, child) => parent.addCommand(child), new Command(name).description(description));

export const outputOf = ({ json }: CommonOptions): Output => new Output(json ? 'json' : 'text');

export async function sessionOf(options: CommonOptions): Promise<Session> {
  const server = await chooseServer(options);
  return { server, api: connect(server), output: outputOf(options) };
}
