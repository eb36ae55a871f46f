import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scoreAnswers } from '@assay/evaluation/scoring';
import { LocalBlobStore } from '@assay/storage';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answersToScore } from '../../../../test/factories/models/answers-to-score.js';
import { ThreadScorer } from './scorer.js';

/** Milliseconds for the start of a thread from its source. */
const START = 60_000;

describe('ThreadScorer', () => {
  let folder: string;
  let blobs: LocalBlobStore;
  let scorer: ThreadScorer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-scorer-'));
    blobs = new LocalBlobStore(join(folder, 'blobs'));
    scorer = new ThreadScorer(join(folder, 'blobs'), 1);
  });
  afterAll(async () => {
    await scorer.close();
    await rm(folder, { recursive: true });
  });

  const gold = Array.from({ length: 20_000 }, (_, index) => (index % 3 === 0 ? 'yes' : 'no'));
  const answers = gold.map((text, index) => (index % 5 === 0 ? null : { text }));

  it(
    'scores like this process, and leaves its event loop free',
    async () => {
      const work = await answersToScore(blobs, folder, { gold, answers });
      const before = performance.eventLoopUtilization();
      const started = performance.now();
      const result = await scorer.score(work);
      const { active } = performance.eventLoopUtilization(before);
      expect(active).toBeLessThan((performance.now() - started) / 2);
      expect(result).toEqual(await scoreAnswers(work, blobs));
      expect(result).toMatchObject({ kind: 'scored', score: { metrics: { accuracy: { value: 0.8 } } } });
    },
    START,
  );

  it(
    'returns a failure as a value, and throws an error of the platform',
    async () => {
      const work = await answersToScore(blobs, folder, { gold: ['yes'], answers: [] });
      expect(await scorer.score(work)).toMatchObject({ kind: 'unreadable' });

      const file = await blobs.path(work.predictions);
      await rm(file);
      await mkdir(file);
      await expect(scorer.score(work)).rejects.toThrow(/EISDIR/);
    },
    START,
  );
});
