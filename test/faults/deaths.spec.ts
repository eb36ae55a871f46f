import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drawn, faultsRng, FaultyService, QUEUE_BACKENDS } from './faulty-service.js';

/** Each step of a run, in their order. */
const FILE_STEPS = [
  'after-claim',
  'before-admission',
  'after-admission',
  'after-claim:2',
  'before-commit',
  'after-commit',
  'before-commit:2',
  'before-finish',
  'after-commit:3',
] as const;
const CONTAINER_STEPS = [
  'before-admission',
  'after-install',
  'after-start',
  'mid-dataset',
  'before-commit',
  'after-commit',
  'before-finish',
] as const;

describe.each(QUEUE_BACKENDS)('an evaluator that is killed, with the queue on %s', (queue) => {
  const rng = faultsRng(`deaths on ${queue}`);
  let service: FaultyService;

  beforeAll(async () => {
    service = await FaultyService.start({ queue });
  });
  afterAll(() => service?.close());

  it.each(drawn(rng, FILE_STEPS, 2))('at %s of a file of predictions', (step) =>
    dies(step, () => service.submitPredictions()),
  );

  it.each(drawn(rng, CONTAINER_STEPS, 1))('at %s of a model in a container', (step) =>
    dies(step, () => service.submitContainer()),
  );

  async function dies(step: string, submit: () => Promise<string>): Promise<void> {
    await service.world.stopEvaluator();
    service.world.startEvaluator({ ASSAY_FAILPOINT: step });
    const id = await submit();
    expect(await service.evaluator.ended).toBe('was ended by SIGKILL');

    service.world.startEvaluator();
    await service.untilScored([id]);
    await service.expectInvariants();
  }
});
