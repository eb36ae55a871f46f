import { createWriteStream, openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { usageFailure } from '../command-failure.js';
import type { Output } from '../output.js';

/** Returns the body of a request that sends a file, which is read from disk while it is sent. */
export async function fileBody(file: string): Promise<Blob> {
  await access(file, constants.R_OK);
  return openAsBlob(file);
}

/**
 * Streams a response into `file`, or unchanged to standard output for use by other programs.
 *
 * @throws CommandFailure if the file cannot be written
 */
export async function download(
  output: Output,
  answer: Promise<{ readonly data: unknown }>,
  file: string | undefined,
): Promise<void> {
  const { data } = await answer;
  // an empty response has no stream
  const content = data ? Readable.fromWeb(data as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]);
  if (file === undefined) return output.stream(content);
  try {
    await pipeline(content, createWriteStream(file));
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (path !== file) throw error;
    throw usageFailure(`${file} cannot be written (${code}).`);
  }
  output.result({ written: file }, `Wrote ${file}.`);
}
