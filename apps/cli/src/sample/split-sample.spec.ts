import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { splitSample } from './split-sample.js';

describe('splitSample', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  // U+2028 ends a line for some readers, and not for JSON Lines
  const lines = Array.from({ length: 100 }, (_, index) => JSON.stringify({ id: String(index), text: 'a\u2028b' }));

  async function split(seed: string, examples = lines.length) {
    const files = { sample: join(folder, 'sample'), rest: join(folder, 'rest') };
    const content = Buffer.from(`${lines.join('\n')}\n`);
    const source = Readable.from([content.subarray(0, 1000), content.subarray(1000)]);
    await splitSample(source, { examples, count: 20, seed }, files);
    const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');
    return { sample: linesOf(files.sample), rest: linesOf(files.rest) };
  }

  it('draws as many lines as asked for, in their order, and leaves the others', async () => {
    const { sample, rest } = await split('1');
    expect(sample).toHaveLength(20);
    expect(rest).toHaveLength(80);
    expect(sample).toEqual(lines.filter((line) => sample.includes(line)));
    expect(rest).toEqual(lines.filter((line) => !sample.includes(line)));
  });

  it('draws the same with the same seed, and others with another', async () => {
    const first = await split('1');
    expect(await split('1')).toEqual(first);
    expect((await split('2')).sample).not.toEqual(first.sample);
  });

  it('draws each line about equally often', async () => {
    const drawn = new Map(lines.map((line) => [line, 0]));
    for (let seed = 0; seed < 300; seed++) {
      for (const line of (await split(String(seed))).sample) drawn.set(line, drawn.get(line)! + 1);
    }
    // 60 expected, with a standard deviation of 7
    expect(Math.min(...drawn.values())).toBeGreaterThan(60 - 5 * 7);
    expect(Math.max(...drawn.values())).toBeLessThan(60 + 5 * 7);
  });

  it('refuses a source with another number of lines', async () => {
    await expect(split('1', 101)).rejects.toThrow('The dataset has 100 examples instead of 101.');
  });
});
