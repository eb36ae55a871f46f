import { ProcessPresenceRepository } from '@assay/evaluation';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { RunLeases } from '@assay/evaluation/runs';
import { Deployment, DeploymentLeases } from '@assay/serving';
import type { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoneEvaluatorRepository } from '../../apps/evaluator/src/host/gone-evaluator.repository.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const LEASE_SECONDS = 60;

describe('an evaluator that ended without a word', () => {
  let world: EvaluationWorld;
  let task: Task;
  let model: Model;
  const evaluators = () => new ProcessPresenceRepository(world.em);
  const gone = async (): Promise<string[]> =>
    [...(await new GoneEvaluatorRepository(world.em).names(LEASE_SECONDS))].sort();
  const unseenFor = (name: string, seconds: number) =>
    world.em.execute('update evaluator_presence set seen_at = now() - make_interval(secs => ?) where name = ?', [
      seconds,
      name,
    ]);

  beforeAll(async () => {
    world = await EvaluationWorld.create();
    task = await world.task();
    await world.dataset(task, 'one');
    model = await world.model(task, { admitted: true });
  });
  afterAll(() => world.close());

  it('is gone after two leases, until it is seen again', async () => {
    for (const name of ['dead', 'slow', 'orderly']) await evaluators().recordStart(name);
    await unseenFor('slow', 2 * LEASE_SECONDS - 10);
    for (const name of ['dead', 'orderly']) await unseenFor(name, 2 * LEASE_SECONDS + 1);
    await evaluators().remove('orderly');

    expect(await gone()).toEqual(['dead']);

    await evaluators().recordSeen('dead');
    expect(await gone()).toEqual([]);
  });

  it('is not gone while a run of its is leased', async () => {
    await evaluators().recordStart('running');
    await unseenFor('running', 600);
    const { run } = await world.transaction((em) =>
      new EvaluationRequests().requestMissing(em, task, model.specification!),
    );
    const lease = (await new RunLeases(world.em, 'running').claim(run!, 'evaluation', 60))!;
    lease.close();
    expect(await gone()).toEqual([]);

    await world.em.execute(`update run set lease_until = now() - interval '1 s' where id = ?`, [run!]);
    expect(await gone()).toEqual(['running']);
    await evaluators().remove('running');
  });

  it('is not gone while a deployment of its is leased', async () => {
    await evaluators().recordStart('serving');
    await unseenFor('serving', 600);
    const deployment = await world.transaction((em) =>
      Promise.resolve(em.create(Deployment, { task, model, specification: model.specification!, state: 'wanted' })),
    );
    const lease = (await new DeploymentLeases(world.em, 'serving').claim(deployment.id))!;
    lease.close();
    expect(await gone()).toEqual([]);

    await world.em.execute(`update placement set lease_until = now() - interval '1 s' where id = ?`, [deployment.id]);
    expect(await gone()).toEqual(['serving']);
  });
});
