import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { usageFailure } from '../command-failure.js';

/**
 * Reads a token from `file`, or from standard input if that is `-`. Refuses a token itself: command
 * arguments are visible to all users of the machine.
 * @throws CommandFailure
 */
export async function tokenIn(file: string): Promise<string> {
  if (file.startsWith('assay_')) {
    throw usageFailure(
      'A token in a command is seen by everybody on this machine: give a file with it, - for standard input, or set ASSAY_TOKEN.',
    );
  }
  const token = (file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')).trim();
  if (token === '') throw usageFailure(`No token found in ${file === '-' ? 'standard input' : file}.`);
  return token;
}

/**
 * Returns the first line of standard input. `-` is the only password source that an option may
 * name.
 * @throws CommandFailure
 */
export async function passwordIn(source: string): Promise<string> {
  if (source !== '-') {
    throw usageFailure(
      'A password in a command is seen by everybody on this machine: let yourself be asked, set ASSAY_PASSWORD, or send it to --password -.',
    );
  }
  return (await text(process.stdin)).split(/\r?\n/, 1)[0]!;
}
