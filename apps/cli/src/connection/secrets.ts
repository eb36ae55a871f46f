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
      'Everybody on this machine can see a token in a command. Give a file with the token, - for standard input, or set ASSAY_TOKEN.',
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
      'Everybody on this machine can see a password in a command. Enter it at the prompt, set ASSAY_PASSWORD, or send it to --password -.',
    );
  }
  return (await text(process.stdin)).split(/\r?\n/, 1)[0]!;
}
