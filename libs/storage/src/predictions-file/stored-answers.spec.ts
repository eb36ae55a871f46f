import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '@assay/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PredictionsWriter } from './predictions-writer.js';
import { answersAt, StoredAnswers } from './stored-answers.js';

describe('StoredAnswers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-answers-'));
  const path = join(folder, 'predictions.parquet');
  const answers: (Answer | null)[] = [
    { text: 'yes', probabilities: [0.75, 0.25] },
    null,
    { text: 'no' },
    { text: 'no', probabilities: [0.25, 0.75] },
  ];

  beforeAll(async () => {
    const writer = await PredictionsWriter.create(path, { labels: 2 });
    await writer.append(answers);
    await writer.finish();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives back what was written, as many at a time as are wanted', async () => {
    const stored = await StoredAnswers.open(path);
    expect(stored.rows).toBe(4);
    expect(await stored.take(3)).toEqual(answers.slice(0, 3));
    expect(await stored.take(3)).toEqual(answers.slice(3));
    expect(await stored.take(1)).toEqual([]);
  });

  it('gives back where spans stand, and none of a file from before they were stored', async () => {
    const spans: (Answer | null)[] = [{ text: 'a', span: [3, 4] }, { text: 'b' }, null];
    for (const [name, isStored] of [['spans', true] as const, ['texts', false] as const]) {
      const file = join(folder, name);
      const writer = await PredictionsWriter.create(file, { labels: 0, spans: isStored });
      await writer.append(spans);
      await writer.finish();
      const expected = isStored ? spans : [{ text: 'a' }, { text: 'b' }, null];
      expect(await (await StoredAnswers.open(file)).take(3)).toEqual(expected);
      expect(await answersAt(file, [0, 2])).toEqual([expected[0], null]);
    }
  });

  it('gives back those at some places alone, over row groups', async () => {
    const long = join(folder, 'long.parquet');
    const writer = await PredictionsWriter.create(long, { labels: 0 });
    await writer.append(Array.from({ length: 120_000 }, (_, row) => (row === 70_000 ? null : { text: String(row) })));
    await writer.finish();
    const places = [3, 49_999, 70_000, 119_999];
    expect(await answersAt(long, places)).toEqual([{ text: '3' }, { text: '49999' }, null, { text: '119999' }]);
    expect(await answersAt(path, [1, 3])).toEqual([answers[1], answers[3]]);
    expect(await answersAt(path, [])).toEqual([]);
  });
});
