import { afterAll, beforeAll, describe } from '@jest/globals';
import { isFullForm } from '../factories/test-form.js';
import { evaluatorDeaths } from './evaluator-deaths.js';
import { evaluatorDisk } from './evaluator-disk.js';
import { CLEARED_SOON, FaultyService, QUEUE_BACKENDS } from './faulty-service.js';
import { frozenEvaluators } from './frozen-evaluators.js';
import { queueFaults } from './queue-faults.js';
import { remoteEvaluators } from './remote-evaluators.js';

/**
 * The short form uses only Redis, a separate server that can fail alone. Leases are in the database
 * with either queue.
 */
const BACKENDS = isFullForm ? QUEUE_BACKENDS : (['Redis'] as const);

describe.each(BACKENDS)('with the queue on %s', (queue) => {
  let service: FaultyService;

  beforeAll(async () => {
    service = await FaultyService.start({ queue, environment: { ...CLEARED_SOON, ASSAY_RUN_CONCURRENCY: '8' } });
  });
  afterAll(() => service?.close());

  describe('an evaluator that is killed', () => evaluatorDeaths(queue, () => service));
  describe('an evaluator that stands still', () => frozenEvaluators(() => service));
  describe('an evaluator on a host of its own', () => remoteEvaluators(() => service));
  describe('an evaluator whose disk becomes full', () => evaluatorDisk(() => service));
  describe('the queue', () => queueFaults(queue, () => service));
});
