import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '@assay/contracts';
import { seededRng } from '@assay/kernel';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PredictionsBatch, readPredictions, readPredictionsShape } from './predictions-reader.js';
import { PredictionsWriter } from './predictions-writer.js';

const LABELS = ['entailment', 'neutral', 'contradiction'];

describe('the predictions file', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-predictions-'));
    path = join(folder, 'predictions.parquet');
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function write(
    labels: number,
    batches: readonly (readonly (Answer | null)[])[],
    spans = false,
  ): Promise<number> {
    const writer = await PredictionsWriter.create(path, { labels, spans });
    for (const batch of batches) await writer.append(batch);
    return writer.finish();
  }

  async function read(probabilities = true): Promise<PredictionsBatch[]> {
    const batches: PredictionsBatch[] = [];
    for await (const batch of readPredictions(path, { probabilities })) batches.push(batch);
    return batches;
  }

  it('gives back what was written, in order, with nulls where an answer was bad', async () => {
    const rows = [{ text: 'neutral' }, null, { text: '' }, { text: 'naïve 🙂\n"quoted"' }];

    await write(0, [rows.slice(0, 3), rows.slice(3)]);

    const [batch, ...more] = await read();
    expect(more).toEqual([]);
    expect(batch).toEqual({
      start: 0,
      answers: ['neutral', null, '', 'naïve 🙂\n"quoted"'],
      probabilities: null,
      spans: null,
    });
  });

  it('keeps probabilities as float32, row by row, NaN where there are none', async () => {
    await write(2, [
      [{ text: 'a', probabilities: [0.9, 0.1] }, { text: 'b' }, null, { text: 'b', probabilities: [0, 1] }],
    ]);

    const [batch] = await read();
    expect([...batch!.probabilities!]).toEqual([Math.fround(0.9), Math.fround(0.1), NaN, NaN, NaN, NaN, 0, 1]);
    expect(await readPredictionsShape(path)).toEqual({ rows: 4, labels: 2 });
  });

  it('keeps where spans stand, −1 where a model did not say so', async () => {
    await write(0, [[{ text: 'a', span: [3, 4] }, { text: 'b' }, null], [{ text: '', span: [0, 0] }]], true);

    const [batch] = await read();
    expect(batch!.spans).toBeNull();
    for await (const { answers, spans } of readPredictions(path, { spans: true })) {
      expect(answers).toEqual(['a', 'b', null, '']);
      expect([...spans!]).toEqual([3, 4, -1, -1, -1, -1, 0, 0]);
    }
  });

  it('reads row groups one at a time, with the row at which each starts', async () => {
    const rows = Array.from({ length: 120_000 }, (_, row) => ({
      text: LABELS[row % 3]!,
      probabilities: [row / 120_000],
    }));

    await write(1, [rows]);

    const batches = await read();
    expect(batches.map(({ start, answers }) => [start, answers.length])).toEqual([
      [0, 50_000],
      [50_000, 50_000],
      [100_000, 20_000],
    ]);
    expect(batches[2]!.answers[7]).toBe(LABELS[100_007 % 3]);
    expect(batches[2]!.probabilities![7]).toBe(Math.fround(100_007 / 120_000));
  });

  it('is an empty file of the same shape when there was nothing to answer', async () => {
    await write(3, []);

    expect(await read()).toEqual([]);
    expect(await readPredictionsShape(path)).toEqual({ rows: 0, labels: 3 });
  });

  it('bounds what it holds of long texts by writing smaller row groups', async () => {
    const long = '-'.repeat(1_000_000);

    await write(0, [Array.from({ length: 20 }, (_, row) => ({ text: `${row}${long}` }))]);

    const batches = await read();
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.flatMap(({ answers }) => answers.map((answer) => parseInt(answer!)))).toEqual([
      ...Array.from({ length: 20 }, (_, row) => row),
    ]);
  });

  it('takes at most 2 bytes for a label', async () => {
    const rng = seededRng('labels');

    await write(3, [Array.from({ length: 100_000 }, () => ({ text: LABELS[rng.below(3)]! }))]);

    expect((await stat(path)).size / 100_000).toBeLessThan(2);
  });
});
