import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ComparedAnswers } from '@assay/scoring/comparison';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { differenceWork } from '../../../../test/factories/models/difference-work.js';
import { computeDifferences } from './difference-computation.js';
import { DifferenceThreads } from './difference-threads.js';

/** Milliseconds for the start of a thread from its source. */
const START = 180_000;

describe('DifferenceThreads', () => {
  let folder: string;
  let threads: DifferenceThreads;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-differences-'));
    threads = new DifferenceThreads();
  });
  afterAll(async () => {
    await threads.close();
    await rm(folder, { recursive: true });
  });

  it(
    'compare like this process, and leave its event loop free',
    async () => {
      const metrics = ['accuracy', 'macro_f1', 'auroc', 'ece'];
      const work = await differenceWork(folder, { name: 'threads', examples: 400, metrics, slices: 3 });
      const before = performance.eventLoopUtilization();
      const started = performance.now();
      const result = await threads.compute(work);
      const { active } = performance.eventLoopUtilization(before);
      expect(active).toBeLessThan((performance.now() - started) / 2);
      expect(result).toEqual(await computeDifferences(work));
      const { n, metrics: compared, slices } = (result as { readonly found: ComparedAnswers }).found;
      expect(n).toBe(400);
      expect(Object.keys(compared).toSorted()).toEqual(metrics.toSorted());
      expect(Object.keys(slices['topic']!)).toHaveLength(3);
    },
    START,
  );

  it(
    'say which answers cannot be read',
    async () => {
      const work = await differenceWork(folder, { name: 'short', examples: 40, metrics: ['accuracy'], slices: 1 });
      const version = { ...work.version, examples: 41 };
      expect(await threads.compute({ ...work, version })).toEqual({
        unreadable: 'there are 40 predictions for 41 examples',
      });
    },
    START,
  );
});
