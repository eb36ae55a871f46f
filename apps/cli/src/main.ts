import { CommanderError } from 'commander';
import { asFailure } from './command-failure.js';
import { EXIT_CODES } from './exit-codes.js';
import { endAtInterrupt } from './interruption.js';
import { Output } from './output.js';
import { program } from './program.js';

// what packages still use is no news for those who give commands
process.noDeprecation = true;
endAtInterrupt();
// whoever reads may stop early, as head does
process.stdout.on('error', () => process.exit(EXIT_CODES.done));

try {
  await program().parseAsync();
} catch (error) {
  process.exitCode = ended(error);
}

function ended(error: unknown): number {
  // it has said already what is wrong with the command, or shown its help
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  const failure = asFailure(error);
  new Output(process.argv.includes('--json') ? 'json' : 'text').failure(failure);
  if (process.env['ASSAY_DEBUG']) console.error(error);
  return failure.exitCode;
}
