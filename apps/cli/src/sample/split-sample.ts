import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { seededRng } from '@assay/kernel';
import { lineGroups } from '@assay/tasks/examples';

export interface SampleDraw {
  /** Number of lines in the source. */
  readonly examples: number;
  /** Number of lines to draw. */
  readonly count: number;
  /** The same seed draws the same lines. */
  readonly seed: string;
}

/**
 * Splits JSON Lines into a random sample and the rest. Every set of `count` lines is equally likely (selection
 * sampling: Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S). Both files keep the order of the source.
 *
 * @throws RangeError if the source does not have `examples` lines
 */
export async function splitSample(
  source: AsyncIterable<Buffer>,
  { examples, count, seed }: SampleDraw,
  files: { readonly sample: string; readonly rest: string },
): Promise<void> {
  const rng = seededRng(seed);
  const drawn: string[] = [];
  let seen = 0;
  const rest = async function* (): AsyncGenerator<string> {
    for await (const lines of lineGroups(source)) {
      for (const line of lines.filter((each) => each !== '')) {
        if (rng.next() * (examples - seen++) < count - drawn.length) drawn.push(`${line}\n`);
        else yield `${line}\n`;
      }
    }
    if (seen !== examples) throw new RangeError(`The dataset has ${seen} examples instead of ${examples}.`);
  };
  await pipeline(rest, createWriteStream(files.rest));
  await pipeline(Readable.from(drawn), createWriteStream(files.sample));
}
