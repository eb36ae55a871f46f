import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobMap, QueueName, TaskDefinitionInput } from '@assay/contracts';
import type { Evaluation } from '@assay/evaluation';
import {
  countStale,
  EvaluationRequests,
  OutboxDispatcher,
  Reconciler,
  RunLeases,
  scoringKey,
  type BenchmarkReleased,
} from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import { Outbox, OutboxEvent } from '@assay/persistence';
import { fakeModel, FakeSandboxDriver } from '@assay/sandbox';
import { LocalBlobStore } from '@assay/storage';
import type { Model } from '@assay/submissions';
import { BenchmarksService, Task, TasksService, type DatasetVersion } from '@assay/tasks';
import { Logger } from '@nestjs/common';
import { Rescoring } from '../../apps/evaluator/src/rescoring/rescoring.js';
import { EvaluationRuns } from '../../apps/evaluator/src/run/evaluation-runs.js';
import { runStages } from '../../apps/evaluator/src/run/run-stages.js';
import { EvaluationWorld } from '../factories/evaluation-world.js';

/** Jobs as a list: a doorbell that can be read. */
class RecordedJobs {
  readonly live = new Map<string, { queue: QueueName; payload: JobMap[QueueName] }>();

  enqueue<Q extends QueueName>(queue: Q, payload: JobMap[Q], { jobId }: { jobId: string }): Promise<void> {
    this.live.set(jobId, { queue, payload });
    return Promise.resolve();
  }

  isLive(_queue: QueueName, jobId: string): Promise<boolean> {
    return Promise.resolve(this.live.has(jobId));
  }

  of(queue: QueueName): JobMap[QueueName][] {
    return [...this.live.values()].filter((job) => job.queue === queue).map(({ payload }) => payload);
  }
}

const rows = (count: number, gold = (index: number) => (index % 3 === 0 ? 'negative' : 'positive')) =>
  Array.from({ length: count }, (_, index) => ({
    id: `e${index}`,
    text: `text ${index} ${index % 2 === 0 ? 'good' : 'bad'}`,
    label: gold(index),
    genre: index % 4 === 0 ? 'letters' : 'news',
    author: `author ${index % 20}`,
  }));

/** Gives probabilities, which lose digits in the predictions file. */
const believer = fakeModel.answers((request) => ({
  predictions: (request as { instances: { text: string }[] }).instances.map(({ text }) => {
    const label = text.endsWith('good') ? 'positive' : 'negative';
    const sure = 0.6 + (text.length % 3) / 10;
    const positive = label === 'positive' ? sure : 1 - sure;
    return { label, probabilities: { positive, negative: 1 - positive } };
  }),
}));

describe('scoring anew from stored predictions', () => {
  Logger.overrideLogger(false);
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  let folder: string;
  let blobs: LocalBlobStore;
  beforeAll(async () => {
    world = await EvaluationWorld.create();
    folder = await mkdtemp(join(tmpdir(), 'assay-rescoring-'));
    blobs = new LocalBlobStore(join(folder, 'blobs'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const put = async (text: string): Promise<string> => (await blobs.put(Readable.from([Buffer.from(text)]))).digest;
  const lines = (examples: readonly object[]): string => examples.map((row) => `${JSON.stringify(row)}\n`).join('');
  const rescoring = (store = blobs) => new Rescoring(world.em, store);

  async function dataset(task: Task, name: string, examples: readonly object[]): Promise<DatasetVersion> {
    return world.dataset(task, name, { content: await put(lines(examples)), examples: examples.length });
  }

  /** A model that has run on all datasets of the task. */
  async function scored(task: Task, driver = new FakeSandboxDriver(() => believer)): Promise<Model> {
    const model = await world.model(task, { digest: await put(`artifact ${Math.random()}`), admitted: true });
    await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    await work(driver);
    return model;
  }

  async function work(driver: FakeSandboxDriver): Promise<void> {
    const workFolder = join(folder, 'work');
    const runner = () => Promise.reject(new Error('there is no engine here'));
    const stages = runStages({ em: world.em, driver, runner, blobs, workFolder });
    const runs = new EvaluationRuns(world.em, new RunLeases(world.em, 'evaluator'), stages, workFolder);
    for (let turn = 0; turn < 10; turn++) {
      const [next] = await world.em.execute<{ id: string; stage: 'admission' | 'evaluation' }[]>(
        `select id, stage from run where state = 'queued' limit 1`,
      );
      if (!next) break;
      await runs.execute(next.id, next.stage);
    }
  }

  /** What the owner changes in the task's definition. */
  async function change(task: Task, definition: Partial<TaskDefinitionInput>): Promise<Task> {
    const em = world.em;
    const service = new TasksService(em, new BenchmarksService());
    const owner: Principal = { userId: task.owner.id, username: 'owner', role: 'user', credentialId: task.owner.id };
    const changed = await service.change(owner, task.slug, definition);
    return em.findOneOrFail(Task, changed.id);
  }

  /** Tells what stands in the outbox of the task. */
  async function dispatch(task: Task, jobs: RecordedJobs): Promise<void> {
    const dispatcher = new OutboxDispatcher(world.em, jobs);
    for (const { id, type, payload } of await world.em.find(OutboxEvent, {})) {
      if ((payload as Partial<BenchmarkReleased>).taskId !== task.id) continue;
      await dispatcher.dispatch({ id, type, payload: payload });
    }
  }

  const scoresOf = ({ metrics, slices, sliceSpreads, calibration, resamples, scoringKey: key }: Evaluation) => ({
    metrics,
    slices,
    sliceSpreads,
    calibration,
    resamples,
    key,
  });

  it('gives a metric, slices and clusters that came later exactly what a run would have given, and runs nothing', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(200));
    const version = await dataset(task, 'two', rows(90));
    const driver = new FakeSandboxDriver(() => believer);
    const model = await scored(task, driver);
    const before = await world.cells(model);
    const jobs = new RecordedJobs();

    const changed = await change(task, { metrics: ['accuracy', 'macro_f1'], slices: ['genre'], cluster: 'author' });
    await dispatch(task, jobs);
    expect(jobs.of('score')).toEqual([{ taskId: task.id }]);
    expect(await countStale(world.em, changed, changed.definition)).toBe(2);
    expect(await rescoring().rescore(task.id)).toBe(2);

    const after = await world.cells(model);
    expect(after[1]).toMatchObject({
      state: 'scored',
      metrics: { accuracy: { value: 0.5 }, macro_f1: { value: expect.any(Number) } },
      slices: { genre: { letters: { n: 23 }, news: { n: 67 } } },
      scoringKey: scoringKey(changed.definition, version),
    });
    expect(after.map((cell) => [cell.predictions, cell.measures, cell.finishedAt])).toEqual(
      before.map((cell) => [cell.predictions, cell.measures, cell.finishedAt]),
    );
    const fresh = await world.cells(await scored(changed));
    expect(after.map(scoresOf)).toEqual(fresh.map(scoresOf));
    expect(driver.started).toHaveLength(1);
    expect(await countStale(world.em, changed, changed.definition)).toBe(0);
  });

  it('does nothing where nothing is stale: the weights, the texts and the order of metrics change no score', async () => {
    const task = await world.task({ metrics: ['accuracy', 'macro_f1'] });
    await dataset(task, 'one', rows(40));
    const model = await scored(task);
    const [before] = await world.cells(model);

    await change(task, { weights: { accuracy: 1 }, description: 'longer', metrics: ['macro_f1', 'accuracy'] });

    expect(await rescoring().rescore(task.id)).toBe(0);
    expect(await world.cells(model)).toEqual([before]);
  });

  it('is safe beside itself', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(60));
    const model = await scored(task);
    await change(task, { metrics: ['mcc'] });

    const written = await Promise.all([rescoring().rescore(task.id), rescoring().rescore(task.id)]);

    expect(written.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect(await world.cells(model)).toMatchObject([{ metrics: { mcc: expect.anything() } }]);
  });

  it('goes on where it was cut off, for which the reconciler rings', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(40));
    await dataset(task, 'two', rows(44));
    const model = await scored(task);
    await change(task, { metrics: ['mcc'] });
    let opened = 0;
    const cut = Object.assign(Object.create(blobs) as LocalBlobStore, {
      open: (digest: string) => {
        if (opened++ === 1) throw new Error('the disk is gone');
        return blobs.open(digest);
      },
    });
    await expect(rescoring(cut).rescore(task.id)).rejects.toThrow('the disk is gone');
    expect((await world.cells(model)).filter((cell) => cell.metrics!['mcc'])).toHaveLength(1);

    const jobs = new RecordedJobs();
    await new Reconciler(world.em, jobs).reconcile();
    expect(jobs.of('score')).toContainEqual({ taskId: task.id });
    expect(await rescoring().rescore(task.id)).toBe(1);

    const later = new RecordedJobs();
    await new Reconciler(world.em, later).reconcile();
    expect(later.of('score')).not.toContainEqual({ taskId: task.id });
  });

  it('leaves a score as it was where its predictions are gone, and does not ask for it for ever', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(40));
    const model = await scored(task);
    const [before] = await world.cells(model);
    await change(task, { metrics: ['mcc'] });
    await blobs.delete(before!.predictions!);

    expect(await rescoring().rescore(task.id)).toBe(0);

    const [after] = await world.cells(model);
    expect(after).toMatchObject({ state: 'scored', predictions: null });
    expect(scoresOf(after!)).toEqual(scoresOf(before!));
    expect(await world.runs(model)).toHaveLength(1);
    const jobs = new RecordedJobs();
    await new Reconciler(world.em, jobs).reconcile();
    expect(jobs.of('score')).not.toContainEqual({ taskId: task.id });
  });

  it('blames a dataset that can’t be read any more on the task', async () => {
    const task = await world.task();
    const version = await dataset(task, 'one', rows(41));
    const model = await scored(task);
    await change(task, { metrics: ['mcc'] });
    await blobs.delete(version.content);

    expect(await rescoring().rescore(task.id)).toBe(0);

    expect(await world.cells(model)).toMatchObject([
      { state: 'failed', failure: { code: 'dataset_unavailable', fault: 'task' } },
    ]);
  });

  it('is asked for by whoever says that scores are stale', async () => {
    const task = await world.task();
    const jobs = new RecordedJobs();
    await world.transaction((em) => {
      Outbox.add(em, 'scores.stale', { taskId: task.id });
      return Promise.resolve();
    });

    await dispatch(task, jobs);

    expect(jobs.of('score')).toEqual([{ taskId: task.id }]);
  });
});
