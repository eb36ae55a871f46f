import type { EvaluatorList, QueueStates } from '@assay/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceWorld } from '../factories/service-world.js';

const START_MILLISECONDS = 60_000;

describe('an administrator', () => {
  let world: ServiceWorld;

  beforeAll(async () => {
    world = await ServiceWorld.start();
  });

  afterAll(async () => {
    await world?.close();
  });

  const evaluators = async () =>
    ((await world.expect(200, 'GET', '/admin/evaluators', { token: world.admin })).body as EvaluatorList).items;
  const readyEvaluators = () => world.logs().split(`evaluator ${world.instance} is ready`).length - 1;
  const isThere = () => world.until(async () => (await evaluators()).length > 0, START_MILLISECONDS);

  it('sees an evaluator while it runs, also one that was killed, and none that was stopped', async () => {
    await isThere();
    const [first] = await evaluators();
    expect(first).toMatchObject({ name: world.instance, isLive: true, leases: 0, startedAt: expect.any(String) });

    process.kill(world.evaluator.pid, 'SIGKILL');
    await world.evaluator.ended;
    expect(await evaluators()).toMatchObject([{ name: world.instance, startedAt: first!.startedAt }]);

    const ready = readyEvaluators();
    world.startEvaluator();
    await world.until(async () => (await evaluators())[0]?.startedAt !== first!.startedAt, START_MILLISECONDS);
    // before it is ready, it is killed by what would stop it
    await world.until(() => Promise.resolve(readyEvaluators() > ready), START_MILLISECONDS);
    await world.stopEvaluator();
    expect(await evaluators()).toEqual([]);
    world.startEvaluator();
    await isThere();
  });

  it('sees the queues on which evaluators work', async () => {
    const { queues } = (await world.expect(200, 'GET', '/admin/queues', { token: world.admin })).body as QueueStates;
    expect(queues.map(({ name, failed }) => [name, failed])).toEqual(
      ['admission', 'run', 'publish', 'score', 'round', 'placement', 'mail', 'webhook'].map((name) => [name, 0]),
    );
  });
});
