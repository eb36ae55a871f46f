import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { seededRng } from '@assay/kernel';
import { LABELS } from './bench-service.js';
import { WORDS } from './words.mjs';

/**
 * Writes `count` examples of 8 to 24 words with a random label as JSON Lines. The same seed gives
 * the same bytes.
 * @returns The path of the file.
 */
export async function examplesFile(folder: string, count: number, seed: string): Promise<string> {
  const path = join(folder, `examples-${count}-${seed}.jsonl`);
  await pipeline(Readable.from(lines(count, seed)), createWriteStream(path));
  return path;
}

const BLOCK = 1_000;

function* lines(count: number, seed: string): Generator<string> {
  const rng = seededRng(seed);
  for (let first = 0; first < count; first += BLOCK) {
    const block = Array.from({ length: Math.min(BLOCK, count - first) }, (_, index) => {
      const text = Array.from({ length: 8 + rng.below(17) }, () => WORDS[rng.below(WORDS.length)]).join(' ');
      return `${JSON.stringify({ id: String(first + index), text, label: LABELS[rng.below(LABELS.length)] })}\n`;
    });
    yield block.join('');
  }
}
