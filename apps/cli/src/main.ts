import { CommanderError } from 'commander';
import { asFailure, EXIT_CODES } from './command-failure.js';
import { endAtInterrupt } from './interruption.js';
import { Output } from './output.js';
import { program } from './program.js';

// deprecation warnings about dependencies do not concern users of the CLI
process.noDeprecation = true;
endAtInterrupt();
// the reader may close the pipe early, as `head` does
process.stdout.on('error', () => process.exit(EXIT_CODES.done));

try {
  await program().parseAsync();
} catch (error) {
  process.exitCode = ended(error);
}

function ended(error: unknown): number {
  // commander has already printed the usage error or the help
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  const failure = asFailure(error);
  new Output(process.argv.includes('--json') ? 'json' : 'text').failure(failure);
  if (process.env['ASSAY_DEBUG']) console.error(error);
  return failure.exitCode;
}
