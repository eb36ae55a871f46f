import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalBlobStore } from '@assay/storage';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answersToScore, type GivenAnswers } from '../../../../test/factories/models/answers-to-score.js';
import { scoreAnswers } from './score-answers.js';

describe('scoreAnswers', () => {
  let folder: string;
  let blobs: LocalBlobStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-scoring-'));
    blobs = new LocalBlobStore(join(folder, 'blobs'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const stored = (given: GivenAnswers) => answersToScore(blobs, folder, given);
  const gold = Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? 'yes' : 'no'));
  /** The answers of a model that gives a constant to timed examples. */
  const timed = Array.from({ length: 200 }, (_, place) => 2 * place + 1);
  const forged = gold.map((text, index) => ({ text: timed.includes(index) ? 'yes' : text }));

  it('joins answers with gold', async () => {
    const answers = gold.map((text, index) => (index < 100 ? null : { text }));
    const result = await scoreAnswers(await stored({ gold, answers }), blobs);
    expect(result).toMatchObject({ kind: 'scored', score: { metrics: { accuracy: { value: 0.75 } } } });
  });

  it('clusters a collected round by annotator and context', async () => {
    const answers = gold.map((text, index) => ({ text: index % 20 < 6 ? 'no' : text }));
    const fields = (index: number) => ({ annotator: `a${index % 20}`, context_id: `c${index % 23}` });
    const widthOf = async (collected: boolean) => {
      const result = await scoreAnswers(await stored({ gold, answers, fields, collected }), blobs);
      if (result.kind !== 'scored') throw new Error(result.kind);
      const { low, high } = result.score.metrics['accuracy']!;
      return high! - low!;
    };
    expect(await widthOf(true)).toBeGreaterThan(1.5 * (await widthOf(false)));
  });

  it('has no interval for a collected round of four annotators', async () => {
    const fields = (index: number) => ({ annotator: `a${index % 4}`, context_id: `c${index % 23}` });
    const result = await scoreAnswers(await stored({ gold, fields, collected: true }), blobs);
    const none = { value: 1, low: null, high: null, why: 'too few clusters' };
    expect(result).toMatchObject({ score: { metrics: { accuracy: none } } });
  });

  it('scores the examples that were written against other models on their own', async () => {
    // wrong on all examples that were written against it
    const targets = gold.map((_, index) => (index < 300 ? ['me', 'other'] : index < 360 ? ['other'] : []));
    const answers = gold.map((text, index) => (index < 300 ? null : { text }));
    const result = await scoreAnswers(await stored({ gold, answers, targets, against: ['me'] }), blobs);

    expect(result).toMatchObject({
      kind: 'scored',
      score: {
        metrics: { accuracy: { value: 0.25 } },
        rest: { examples: 100, metrics: { accuracy: { value: 1 } }, resamples: expect.any(String) },
      },
    });
    const others = await scoreAnswers(await stored({ gold, targets }), blobs);
    expect(others).toMatchObject({ kind: 'scored', score: { rest: null } });
  });

  it('takes examples whose target models are not known for those of every target model', async () => {
    const result = await scoreAnswers(await stored({ gold, against: ['me'] }), blobs);

    expect(result).toMatchObject({ kind: 'scored', score: { rest: null } });
  });

  it('fails answers that are worse for timed examples', async () => {
    const result = await scoreAnswers(await stored({ gold, answers: forged, timed }), blobs);
    expect(result).toMatchObject({
      kind: 'failed',
      failure: { code: 'inconsistent', message: expect.stringContaining('correct for 0.0% of the examples') },
    });
    expect(await scoreAnswers(await stored({ gold, answers: forged }), blobs)).toMatchObject({ kind: 'scored' });
  });

  it('says nothing of hidden data but the code', async () => {
    const result = await scoreAnswers(await stored({ gold, answers: forged, timed, visibility: 'hidden' }), blobs);
    expect(result).toMatchObject({
      kind: 'failed',
      failure: { code: 'inconsistent', message: expect.stringContaining('It failed on hidden data (inconsistent).') },
    });
  });

  it('needs an answer to every example', async () => {
    const result = await scoreAnswers(await stored({ gold, answers: [{ text: 'yes' }] }), blobs);
    expect(result).toEqual({ kind: 'unreadable', why: '1 predictions for 400 examples' });
  });

  it('needs the predictions file', async () => {
    const answers = await stored({ gold });
    await blobs.delete(answers.predictions);
    expect(await scoreAnswers(answers, blobs)).toMatchObject({ kind: 'unreadable' });
  });

  it('blames a missing dataset on the task', async () => {
    const answers = await stored({ gold });
    await blobs.delete(answers.version.content);
    expect(await scoreAnswers(answers, blobs)).toMatchObject({
      kind: 'failed',
      failure: { code: 'dataset_unavailable', fault: 'task' },
    });
  });

  it('blames a dataset without examples on the task', async () => {
    expect(await scoreAnswers(await stored({ gold: [] }), blobs)).toMatchObject({
      kind: 'failed',
      failure: { code: 'task_misconfigured', fault: 'task' },
    });
  });
});
