import { GrowingBytes } from '@assay/storage/bytes';

/** The error for a line that exceeds the longest length that is read. */
export class LineTooLong extends Error {
  /** @param line from 1 @param longest in bytes */
  constructor(
    readonly line: number,
    readonly longest: number,
  ) {
    super(`line ${line} is longer than ${longest} bytes`);
    this.name = 'LineTooLong';
  }
}

/**
 * Yields the lines that each chunk completes as one array, because a promise per line would cost
 * more than the line itself.
 * @param longest bytes of a line; lines that the service wrote itself have no limit
 * @throws LineTooLong
 */
export async function* lineGroups(source: AsyncIterable<Buffer>, longest = Infinity): AsyncGenerator<string[]> {
  const begun = new GrowingBytes();
  let lines = 0;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(NEWLINE);
    const first = end < 0 ? chunk.length : chunk.indexOf(NEWLINE);
    if (begun.length + first > longest) throw new LineTooLong(lines + 1, longest);
    if (end < 0) {
      begun.add(chunk);
      continue;
    }
    const group = wholeLines(begun, chunk, end);
    const long = group.findIndex((line) => line.length > longest);
    if (long >= 0) throw new LineTooLong(lines + long + 1, longest);
    lines += group.length;
    if (end + 1 < chunk.length) begun.add(chunk.subarray(end + 1));
    yield group;
  }
  if (begun.length > longest) throw new LineTooLong(lines + 1, longest);
  if (begun.length > 0) yield [begun.take().toString('utf8')];
}

const NEWLINE = 10;

function wholeLines(begun: GrowingBytes, chunk: Buffer, end: number): string[] {
  const rest = chunk.subarray(0, end);
  if (begun.length === 0) return rest.toString('utf8').split('\n');
  begun.add(rest);
  return begun.take().toString('utf8').split('\n');
}
