import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { HeldPredictions } from './held-predictions.js';
import { predictionLines } from './prediction-lines.js';

const TASK = { output: { name: 'answer', type: 'text' } } as const;
const GOOD = '{"dataset": "one", "id": "a", "prediction": "x"}';

const read = (text: string) => Array.fromAsync(predictionLines(TASK, Readable.from([Buffer.from(`${GOOD}\n${text}`)])));

describe('a file of predictions', () => {
  it.each([
    ['levels without end', '['.repeat(1_000_000), 'Line 2 is nested too deeply: the limit is 32 levels.'],
    ['values without end', `{"dataset": [${'[],'.repeat(60_000)}`, 'Line 2 has more than 50,000 values.'],
    [
      'an id without end',
      GOOD.replace('"a"', `"${'a'.repeat(10_000)}"`),
      'Line 2 is not {"dataset", "id", "prediction"}: id',
    ],
  ])('is refused for %s', async (_, line, why) => {
    await expect(read(line)).rejects.toThrow(why);
  });

  it('is refused for a line without end as soon as it is too long', async () => {
    let pieces = 0;
    const endless = Readable.from(
      (function* () {
        yield Buffer.from(`${GOOD}\n`);
        for (;;) {
          pieces++;
          yield Buffer.alloc(2 ** 20, ' ');
        }
      })(),
    );
    await expect(Array.fromAsync(predictionLines(TASK, endless))).rejects.toThrow('Line 2 is longer than 16 MiB.');
    expect(pieces).toBeLessThan(40);
  });

  it('is refused for more than what can be held: all ids, or the answers to one dataset', () => {
    const line = (number: number, dataset: string, text: string) => ({ number, dataset, id: 'a', answer: { text } });
    const held = new HeldPredictions(200);
    held.add(line(1, 'one', 'x'.repeat(100)));
    held.add(line(2, 'two', 'x'.repeat(100)));
    expect(() => held.add(line(3, 'two', ''))).toThrow(
      'Line 3 exceeds the limit of 200 characters for all IDs, or for the answers to two',
    );
    const ids = new HeldPredictions(200);
    for (const n of [1, 2, 3]) ids.add(line(n, `of ${n}`, ''));
    expect(() => ids.add(line(4, 'of 4', ''))).toThrow('Line 4');
  });
});
