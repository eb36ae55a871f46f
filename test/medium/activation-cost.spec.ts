import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { type EvaluationState, failure } from '@assay/contracts/models';
import {
  activeDatasetVersions,
  ActivationCostRepository,
  Evaluation,
  EvaluationRequests,
  requestForAllModels,
} from '@assay/evaluation/evaluations';
import { Evaluator, leaseOwnerOf } from '@assay/evaluation/evaluators';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { RunLeases, type RunnableOn, RunRepository, type RunStage } from '@assay/evaluation/runs';
import { newId } from '@assay/kernel';
import { fakeModel, FakeSandboxDriver } from '@assay/sandbox';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { Dataset } from '@assay/tasks/datasets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { savedImageFiles, tarOf } from '../factories/models/submitted-images.js';
import { allStages } from '../factories/worlds/all-stages.js';
import { scoreWaiting } from '../factories/worlds/answer-scoring.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const MEMORY = 2 ** 33;
const answers = fakeModel.answers((request) => ({
  predictions: (request as { instances: unknown[] }).instances.map(() => 'positive'),
}));

interface Kind {
  readonly definition?: Partial<TaskDefinitionInput>;
  /** Submits a model to a task with the dataset `one`. */
  readonly submit: (task: Task) => Promise<unknown>;
  /** Runs between the evaluation of the model and the release of the dataset `two`. */
  readonly then?: (task: Task) => Promise<unknown>;
  readonly expected: { readonly evaluations?: number; readonly cannotRun?: number };
}

describe('the preview of an activation', () => {
  Logger.overrideLogger(false);
  let world: EvaluationWorld;
  let evaluators: readonly RunnableOn[];
  beforeAll(async () => {
    world = await EvaluationWorld.create();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.em.execute("update run set state = 'cancelled' where state = 'queued'");
    await world.em.nativeDelete(Evaluator, {});
    evaluators = [];
    await register(null);
  });

  async function register(owner: string | null): Promise<void> {
    const em = world.em;
    const host = { architecture: 'amd64', cpus: 2, memoryBytes: MEMORY, runtimes: ['runc'] };
    const seen = { host, slots: 2, protocol: 1, version: '1', lastSeenAt: new Date() };
    em.create(Evaluator, { name: newId(), tokenHash: newId(), owner, ...seen });
    await em.flush();
    evaluators = [...evaluators, { owner, ...host }];
  }

  /** Does what the worker and the registered evaluators can do. */
  async function work(): Promise<void> {
    const workFolder = join(world.folder, 'work');
    const { em, blobs, locks } = world;
    const driver = new FakeSandboxDriver(() => answers);
    const runner = () => Promise.reject(new Error('there is no engine here'));
    const stages = allStages({ em, driver, runner, blobs, workFolder, locks });
    const owner = leaseOwnerOf({ name: 'gpu' });
    const runs = new EvaluationRuns(em, new RunLeases(em, owner), stages, workFolder);
    for (let next = await waiting(); next; next = await waiting()) await runs.execute(next.id, next.stage);
    await scoreWaiting(em, blobs);
  }

  async function waiting(): Promise<{ readonly id: string; readonly stage: RunStage } | undefined> {
    const runs = new RunRepository(world.em);
    const [file] = await runs.queuedPredictions();
    if (file) return file;
    for (const stage of ['admission', 'evaluation'] as const) {
      for (const on of evaluators) {
        const next = await runs.next(stage, on);
        if (next) return { id: next.id, stage };
      }
    }
    return undefined;
  }

  const put = async (content: string | Buffer): Promise<string> =>
    (await world.blobs.put(Readable.from([Buffer.from(content)]))).digest;
  const ids = (dataset: string) => Array.from({ length: 4 }, (_, index) => `${dataset}-${index}`);

  async function dataset(task: Task, name: string): Promise<void> {
    const rows = ids(name).map((id) => JSON.stringify({ id, text: `text of ${id}`, label: 'positive' }));
    await world.dataset(task, name, { content: await put(rows.join('\n')), examples: rows.length });
  }

  async function container(task: Task, given: Parameters<EvaluationWorld['model']>[1] = {}): Promise<Model> {
    const layer = await tarOf([{ name: 'app', content: newId() }]);
    const archive = await tarOf(savedImageFiles({ layers: [{ tar: layer }] }));
    return world.model(task, { digest: await put(archive), admitted: true, ...given });
  }

  async function file(task: Task, ...datasets: readonly string[]): Promise<Model> {
    const lines = datasets.flatMap((name) =>
      ids(name).map((id) => JSON.stringify({ dataset: name, id, prediction: 'positive' })),
    );
    return world.model(task, { digest: await put(lines.join('\n')), kind: 'predictions' });
  }

  const change = (task: Task, to: Partial<Model>) => world.em.nativeUpdate(Model, { task: task.id }, to);
  const changeArtifact = async (task: Task, to: string) =>
    world.em.execute(
      `update artifact set ${to} where id in (select artifact_id from run_specification specification
         join model on model.specification_id = specification.id where model.task_id = ?)`,
      [task.id],
    );

  /** Ends the evaluations of a task, and its models, as failed. */
  async function fail(task: Task, why: ReturnType<typeof failure>): Promise<void> {
    const cells = { datasetVersion: { dataset: { task: task.id } } };
    for (const { id } of await world.em.find(Evaluation, cells)) {
      await world.em.nativeUpdate(Evaluation, id, { state: 'failed', failure: why, predictions: null });
    }
    await change(task, { state: 'failed', failure: why });
  }

  it.each<[string, Kind]>([
    ['a model that ran', { submit: container, expected: { evaluations: 1 } }],
    [
      'a model that waits for its admission',
      { submit: (task) => container(task, { admitted: false }), expected: { evaluations: 1 } },
    ],
    ['a withdrawn model', { submit: container, then: (task) => change(task, { withdrawn: true }), expected: {} }],
    ['a cancelled model', { submit: container, then: (task) => change(task, { state: 'cancelled' }), expected: {} }],
    [
      'a model whose artifact is archived',
      { submit: container, then: (task) => changeArtifact(task, 'archived_at = now()'), expected: { cannotRun: 1 } },
    ],
    [
      'a model whose artifact was refused for another task',
      {
        submit: container,
        then: (task) => {
          const why = JSON.stringify(failure('wrong_architecture', 'The image is for arm64.'));
          return changeArtifact(task, `state = 'refused', failure = '${why}'`);
        },
        expected: { cannotRun: 1 },
      },
    ],
    [
      'a model whose image is above a new limit of the task',
      {
        submit: container,
        then: async (task) => {
          const { definition } = await world.em.findOneOrFail(Task, task.id);
          const limits = { ...definition.limits, unpacked: 500 };
          await world.em.nativeUpdate(Task, task.id, { definition: { ...definition, limits } });
        },
        expected: { cannotRun: 1 },
      },
    ],
    [
      'a model that failed by itself',
      {
        submit: container,
        then: (task) => fail(task, failure('model_exited', 'It exited.')),
        expected: { cannotRun: 1 },
      },
    ],
    [
      'a model that the platform failed',
      {
        submit: container,
        then: (task) => fail(task, failure('platform_failed', 'It failed.')),
        expected: { evaluations: 2 },
      },
    ],
    [
      'a model of a runtime that no evaluator has',
      { definition: { runtime: 'runsc' }, submit: container, expected: { cannotRun: 1 } },
    ],
    [
      'a model with more memory than every host',
      { definition: { limits: { memory: '16 GiB' } }, submit: container, expected: { cannotRun: 1 } },
    ],
    [
      'a model that the only evaluator, that of the owner of the task, may not run',
      {
        submit: async (task) => {
          await world.em.nativeDelete(Evaluator, {});
          evaluators = [];
          await register(task.owner.id);
          return container(task, { owner: await world.user() });
        },
        expected: { cannotRun: 1 },
      },
    ],
    [
      'a model that it may run',
      {
        submit: async (task) => {
          await world.em.nativeDelete(Evaluator, {});
          evaluators = [];
          await register(task.owner.id);
          const model = await container(task, { owner: await world.user() });
          return world.em.nativeUpdate(Model, model.id, { allowForeignEvaluators: true });
        },
        expected: { evaluations: 1 },
      },
    ],
    [
      'a predictions file that is older than the dataset',
      { submit: (task) => file(task, 'one'), expected: { cannotRun: 1 } },
    ],
    [
      'a predictions file that has the answers to a proposed dataset',
      {
        submit: async (task) => {
          const em = world.em;
          em.create(Dataset, {
            task: task.id,
            name: 'two',
            role: 'static',
            round: null,
            use: 'scoring',
            visibility: 'public',
          });
          await em.flush();
          return file(task, 'one', 'two');
        },
        expected: { evaluations: 1 },
      },
    ],
  ])('agrees with what happens to %s', async (_, { definition, submit, then, expected }) => {
    const task = await world.task(definition);
    await dataset(task, 'one');
    await submit(task);
    for (const model of await world.em.find(Model, { task: task.id }, { populate: ['specification.artifact'] })) {
      await world.transaction((em) => new EvaluationRequests().requestMissing(em, task, model.specification!));
    }
    await work();
    await then?.(task);
    await dataset(task, 'two');
    const em = world.em;
    const versions = (await activeDatasetVersions(em, task.id)).map((id) => ({ id }));
    const scoredBefore = await count({ task: task.id }, 'scored');

    const cost = await new ActivationCostRepository(em).of(await em.findOneOrFail(Task, task.id), versions);
    await requestForAllModels(world.em, { taskId: task.id });
    await work();

    expect(cost).toMatchObject({ evaluations: 0, cannotRun: 0, rescored: 0, ...expected });
    expect((await count({ task: task.id }, 'scored')) - scoredBefore).toBe(cost.evaluations);
    expect(await count({ task: task.id, name: 'two' }, 'queued', 'failed', 'cancelled')).toBe(cost.cannotRun);
  });

  const count = (dataset: { task: string; name?: string }, ...states: readonly EvaluationState[]): Promise<number> =>
    world.em.count(Evaluation, { state: { $in: [...states] }, datasetVersion: { dataset } });
});
