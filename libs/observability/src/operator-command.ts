import { DomainError } from '@assay/kernel';

const REFUSED = 3;
const UNEXPECTED = 1;

/**
 * Runs a command of an operator and prints its result, as JSON or as `text` presents it. An error is
 * printed instead, and becomes the exit code of the process.
 */
export async function runOperatorCommand<T>(
  output: 'json' | 'text',
  work: () => Promise<T>,
  text: (done: T) => string,
): Promise<void> {
  try {
    const done = await work();
    console.log(output === 'json' ? JSON.stringify(done, null, 2) : text(done));
  } catch (error) {
    const isRefused = error instanceof DomainError;
    process.exitCode = isRefused ? REFUSED : UNEXPECTED;
    const { message } = error as Error;
    const code = isRefused ? error.code : 'unexpected';
    if (output === 'json')
      console.log(JSON.stringify({ error: { code, message, exitCode: process.exitCode } }, null, 2));
    console.error(message || String(error));
  }
}
