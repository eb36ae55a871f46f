import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { type Answer } from '@assay/contracts';
import { type Measures } from '@assay/contracts/metrics';
import { failure } from '@assay/contracts/models';
import { type TaskDefinitionInput, TaskLimits } from '@assay/contracts/tasks';
import { type JobMap, type QueueName } from '@assay/contracts/webhooks';
import { OutboxDispatcher, Reconciler } from '@assay/evaluation';
import {
  type Evaluation,
  type ActivationCost,
  ActivationCostRepository,
  countStale,
  EvaluationRepository,
  EvaluationRequests,
  forgetPredictions,
} from '@assay/evaluation/evaluations';
import { failRun, finishRun, missingEvaluations, recordAnswers, startEvaluation } from '@assay/evaluation/outcomes';
import { RunLeases, scoringKey, type RunLease } from '@assay/evaluation/runs';
import type { Principal } from '@assay/identity';
import {
  BoardRevision,
  BoardRevisionRepository,
  collectBoard,
  LeaderboardPublisher,
  type WholeRevision,
} from '@assay/leaderboard/boards';
import { Outbox, OutboxEvent } from '@assay/persistence/outbox';
import { type LocalBlobStore, PredictionsWriter } from '@assay/storage';
import { Model } from '@assay/submissions';
import { relatedArtifacts } from '@assay/submissions/lineage';
import { Task, TasksService } from '@assay/tasks';
import { BenchmarksService, BenchmarkVersion } from '@assay/tasks/benchmarks';
import { Dataset, DatasetsService, type DatasetVersion } from '@assay/tasks/datasets';
import { datasetRows, type DatasetRow } from '@assay/tasks/examples';
import { PerturbationsService } from '@assay/tasks/perturbation';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { Rescoring } from '../../apps/worker/src/scoring/rescoring.js';
import { answerScoring } from '../factories/worlds/answer-scoring.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

/** A job queue that records its jobs. */
class RecordedJobs {
  readonly live = new Map<string, { queue: QueueName; payload: JobMap[QueueName] }>();

  enqueue<Q extends QueueName>(queue: Q, payload: JobMap[Q], { jobId }: { jobId: string }): Promise<void> {
    this.live.set(jobId, { queue, payload });
    return Promise.resolve();
  }

  isLive(_queue: QueueName, jobId: string): Promise<boolean> {
    return Promise.resolve(this.live.has(jobId));
  }

  liveIds(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(this.live.keys()));
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

const MEASURES: Measures = {
  throughput: 100,
  latency_p50: 1,
  latency_p90: 2,
  latency_p95: 3,
  latency_p99: null,
  latency_count: 206,
  memory: 1,
  memory_cgroup: 2,
  cold_start: 100,
  contended: false,
  hardware: 'fake',
};

/** Answers with probabilities, which lose precision in the predictions file. */
const believes = ({ instance }: DatasetRow): Answer => {
  const { text } = JSON.parse(instance) as { text: string };
  const label = text.endsWith('good') ? 'positive' : 'negative';
  const sure = 0.6 + (text.length % 3) / 10;
  const positive = label === 'positive' ? sure : 1 - sure;
  return { text: label, probabilities: [positive, 1 - positive] };
};

/** Returns all revisions of a task with their models, the oldest first. */
async function wholeBoards(em: EntityManager, task: Task): Promise<readonly WholeRevision[]> {
  const boards: WholeRevision[] = [];
  for (const revision of await em.find(BoardRevision, { task: task.id }, { orderBy: { number: 'asc' } }))
    boards.push(await new BoardRevisionRepository(em).whole(revision));
  return boards;
}

describe('scoring again from stored predictions', () => {
  Logger.overrideLogger(false);
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  let folder: string;
  let blobs: EvaluationWorld['blobs'];
  beforeAll(async () => {
    world = await EvaluationWorld.create();
    ({ folder, blobs } = world);
  });
  afterAll(() => world.close());

  const put = async (text: string): Promise<string> => (await blobs.put(Readable.from([Buffer.from(text)]))).digest;
  const lines = (examples: readonly object[]): string => examples.map((row) => `${JSON.stringify(row)}\n`).join('');
  const rescoring = (store = blobs) => new Rescoring(world.em, answerScoring(world.em, store));

  async function dataset(task: Task, name: string, examples: readonly object[]): Promise<DatasetVersion> {
    return world.dataset(task, name, { content: await put(lines(examples)), examples: examples.length });
  }

  /** Creates a model that has run on all datasets of the task. */
  async function scored(task: Task): Promise<Model> {
    const model = await world.model(task, { digest: await put(`artifact ${Math.random()}`), admitted: true });
    await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    await runAll();
    return model;
  }

  /**
   * Executes the queued runs like an evaluator whose models need no sandbox.
   * @returns The number of runs.
   */
  async function runAll(answer: (row: DatasetRow) => Answer | null = believes): Promise<number> {
    const waiting = await world.em.execute<{ id: string }[]>(`select id from run where state = 'queued'`);
    for (const { id } of waiting) {
      const lease = await new RunLeases(world.em, 'evaluator').claim(id, 'evaluation', 60);
      for (const cell of await missingEvaluations(world.em, lease!)) await run(lease!, cell, answer);
      await finishRun(lease!, { measures: null });
      lease!.close();
    }
    return waiting.length;
  }

  async function run(lease: RunLease, cell: Evaluation, answer: (row: DatasetRow) => Answer | null): Promise<void> {
    const task = await world.em.findOneOrFail(Task, lease.scope.task);
    const { definition } = task;
    await startEvaluation(lease, cell.id);
    const file = await PredictionsWriter.create(join(folder, cell.id), {
      labels: 'labels' in definition.output ? definition.output.labels.length : 0,
    });
    for await (const group of datasetRows(definition, blobs.open(cell.datasetVersion.content))) {
      await file.append(group.map(answer));
    }
    await file.finish();
    const { digest: predictions } = await blobs.adopt(file.path);
    await recordAnswers(lease, cell.id, { predictions, invalid: 0, measures: MEASURES, seen: [], timed: [] });
    await answerScoring(world.em, blobs).score(task, cell.id);
  }

  /** Changes the task's definition as its owner. */
  async function change(task: Task, definition: Partial<TaskDefinitionInput>): Promise<Task> {
    const em = world.em;
    const benchmarks = new BenchmarksService();
    const service = new TasksService(
      em,
      benchmarks,
      new PerturbationsService(em, blobs, benchmarks),
      TaskLimits.parse({}),
    );
    const owner: Principal = {
      userId: task.owner.id,
      username: 'owner',
      role: 'user',
      isVerified: true,
      credentialId: task.owner.id,
      scope: 'all',
    };
    const changed = await service.change(owner, task.slug, definition);
    return em.findOneOrFail(Task, changed.id);
  }

  /** Dispatches the outbox events of the task. */
  async function dispatch(task: Task, jobs: RecordedJobs): Promise<void> {
    const dispatcher = new OutboxDispatcher(world.em, jobs);
    for (const { id, type, payload } of await world.em.find(OutboxEvent, {})) {
      if (payload['taskId'] !== task.id) continue;
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

  it('scores the examples that were written against others again, once a lineage makes a round an own one', async () => {
    const task = await world.task();
    const [target, child] = [
      await world.model(task),
      await world.model(task, { digest: await put('a child'), admitted: true }),
    ];
    // right on all examples that were written against another model
    const gold = (index: number): 'positive' | 'negative' => {
      const said = index % 2 === 0 ? 'positive' : 'negative';
      const other = index % 2 === 0 ? 'negative' : 'positive';
      return index < 150 ? other : said;
    };
    const examples = rows(270, gold).map((row, index) => ({ ...row, targets: index < 150 ? [target.id] : [] }));
    const { dataset: frozen } = await dataset(task, 'round', examples);
    await world.em.nativeUpdate(Dataset, frozen.id, { against: [target.id] });
    await world.transaction((em) => requests.requestMissing(em, task, child.specification!));
    await runAll();
    const cellOfChild = async () => (await world.cells(child))[0]!;
    expect((await cellOfChild()).rest ?? null).toBeNull();

    await world.em.nativeUpdate(Model, child.id, { derivedFrom: [target.id] });
    const related = await relatedArtifacts(world.em, task.id, [child.id]);
    await new EvaluationRepository(world.em).rescoreOwnRounds(task.id, [...related]);
    const cell = await cellOfChild();
    expect(cell.scoringKey ?? null).toBeNull();
    await answerScoring(world.em, blobs).score(task, cell.id);

    expect(await cellOfChild()).toMatchObject({
      state: 'scored',
      metrics: { accuracy: { value: 120 / 270 } },
      rest: { examples: 120, metrics: { accuracy: { value: 1 } }, resamples: expect.any(String) },
    });
  });

  it('compares texts by the rules of the language that the task has now, and records them', async () => {
    const output = { name: 'answer', type: 'text' } as const;
    const task = await world.task({ output, performance: 'squad_f1', metrics: ['exact_match', 'bleu'] });
    const examples = Array.from({ length: 120 }, (_, index) => ({ id: `e${index}`, text: 'q', answer: '北京大学' }));
    await dataset(task, 'one', examples);
    const model = await world.model(task, { digest: await put('a model of Chinese'), admitted: true });
    await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    await runAll(() => ({ text: '北京大' }));
    const [english] = await world.cells(model);
    expect(english).toMatchObject({ metrics: { squad_f1: { value: 0 } }, labelDiffers: null });
    expect(english!.signatures).toEqual({
      squad_f1: 'case:lc|lang:en|rules:squad-1.1|norm:nfc|assay:2',
      exact_match: 'case:lc|lang:en|rules:squad-1.1|norm:nfc|assay:2',
      bleu: 'case:mixed|eff:no|tok:13a|smooth:exp|norm:nfc|assay:2',
    });

    const british = await change(task, { language: 'en-GB', normalise: [] });
    expect(await countStale(world.em, british, british.definition)).toBe(0);
    const chinese = await change(task, { language: 'zh', normalise: ['nfkc'] });
    expect(await rescoring().rescore(task.id)).toBe(1);

    const [after] = await world.cells(model);
    expect(after!.metrics!['squad_f1']!.value).toBeCloseTo(6 / 7, 12);
    expect(after!.signatures).toMatchObject({
      squad_f1: 'case:lc|lang:zh|rules:mlqa|norm:nfkc|assay:2',
      bleu: 'case:mixed|eff:no|tok:zh|smooth:exp|norm:nfkc|assay:2',
    });
    const versions = await world.em.find(BenchmarkVersion, { task }, { orderBy: { number: 'asc' } });
    const last = versions.at(-1)!;
    expect(last.definition).toMatchObject({ language: 'zh', normalise: ['nfkc'] });
    const content = await collectBoard(world.em.fork(), chinese, last);
    expect(content.signatures).toEqual(after!.signatures);
  });

  it('counts the labels that are not the most probable ones, in a run and from stored predictions', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(100));
    const model = await world.model(task, { digest: await put('a model that contradicts itself'), admitted: true });
    await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    const contradicts = ({ index }: DatasetRow): Answer => ({
      text: 'positive',
      probabilities: index < 12 ? [0.1, 0.9] : index < 20 ? [0.5, 0.5] : [0.8, 0.2],
    });
    await runAll(contradicts);
    expect(await world.cells(model)).toMatchObject([{ labelDiffers: 12, signatures: {} }]);

    await change(task, { metrics: ['accuracy', 'macro_f1'] });
    await world.em.execute('update evaluation set label_differs = null where specification_id = ?', [
      model.specification!.id,
    ]);
    expect(await rescoring().rescore(task.id)).toBe(1);
    expect(await world.cells(model)).toMatchObject([{ labelDiffers: 12 }]);
  });

  it('gives a metric, slices and clusters that came later exactly what a run would have given, and runs nothing', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(200));
    const version = await dataset(task, 'two', rows(90));
    const model = await scored(task);
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
    expect(await world.runs(model)).toHaveLength(1);
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

  it('leaves alone what another has scored since it looked', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(40));
    await dataset(task, 'two', rows(44));
    await scored(task);
    await change(task, { metrics: ['mcc'] });
    let others: number | null = null;
    const overtaken = Object.assign(Object.create(blobs) as LocalBlobStore, {
      path: async (digest: string) => {
        others ??= await rescoring().rescore(task.id);
        return blobs.path(digest);
      },
    });

    expect(await rescoring(overtaken).rescore(task.id)).toBe(0);
    expect(others).toBe(2);
  });

  it('continues where it was interrupted, in a job from the reconciler', async () => {
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

  it('continues past predictions that can’t be read, and past what the platform fails at', async () => {
    const task = await world.task();
    const first = await dataset(task, 'one', rows(40));
    await dataset(task, 'two', rows(44));
    await dataset(task, 'three', rows(48));
    const model = await scored(task);
    const damaged = (await world.cells(model)).find((cell) => cell.datasetVersion.id === first.id)!;
    const file = await blobs.path(damaged.predictions!);
    await chmod(file, 0o600);
    await writeFile(file, 'no Parquet');
    await change(task, { metrics: ['mcc'] });
    let opened = 0;
    const faulty = Object.assign(Object.create(blobs) as LocalBlobStore, {
      open: (digest: string) => {
        if (opened++ === 0) throw Object.assign(new Error('the disk is slow'), { errno: -5 });
        return blobs.open(digest);
      },
    });

    await expect(rescoring(faulty).rescore(task.id)).rejects.toThrow('the disk is slow');

    const after = await world.cells(model);
    expect(after.filter((cell) => cell.metrics!['mcc'])).toHaveLength(1);
    expect(after.find(({ id }) => id === damaged.id)).toMatchObject({ state: 'scored', predictions: null });
    expect(await blobs.has(damaged.predictions!)).toBe(false);
    expect(await rescoring().rescore(task.id)).toBe(1);
  });

  it('forgets predictions in the order in which everybody locks', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(40));
    const model = await scored(task);
    const [cell] = await world.cells(model);
    const id = model.specification!.id;
    let forgetting: Promise<unknown> = Promise.resolve();

    await world.transaction(async (em) => {
      await em.execute('select id from run_specification where id = ? for no key update', [id]);
      forgetting = world.transaction(async (other) => {
        await forgetPredictions(other, cell!);
        await requests.requestMissing(other, task, model.specification!);
      });
      forgetting.catch(() => undefined);
      await setTimeout(300);
      await em.execute('update evaluation set invalid = 1 where id = ?', [cell!.id]);
    });

    await forgetting;
    expect(await world.cells(model)).toMatchObject([{ invalid: 1, predictions: null }]);
  });

  it('costs what models lack, by the throughput that they had; an archived one is not run', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(40));
    await scored(task);
    const archived = await scored(task);
    const other = await world.task();
    const version = await dataset(other, 'two', rows(50));
    const cost = () => new ActivationCostRepository(world.em).of(task, [version]);
    expect(await cost()).toEqual({ evaluations: 2, rescored: 0, cannotRun: 0, estimatedSeconds: 1 });

    await world.em.execute(
      `update artifact set archived_at = now() where id = (select artifact_id from run_specification where id = ?)`,
      [archived.specification!.id],
    );
    expect(await cost()).toEqual({ evaluations: 1, rescored: 0, cannotRun: 1, estimatedSeconds: 0.5 });

    await world.model(task, { digest: await put('not measured yet'), admitted: true });
    expect(await cost()).toEqual({ evaluations: 2, rescored: 0, cannotRun: 1, estimatedSeconds: null });
    expect(await new ActivationCostRepository(world.em).of(task, [])).toEqual({
      evaluations: 0,
      rescored: 0,
      cannotRun: 0,
      estimatedSeconds: 0,
    });
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

  it('holds the board of the new benchmark version back until its contenders are scored again, and changes no old one', async () => {
    const task = await world.task({ weights: { accuracy: 1 }, aggregate: { minimumExamples: 1 } });
    await dataset(task, 'one', rows(60));
    await scored(task);
    const publisher = new LeaderboardPublisher(new BenchmarksService());
    expect(await publisher.publish(world.em, task.id)).toBe(1);
    const boards = () => wholeBoards(world.em, task);
    const [old] = await boards();

    await change(task, { metrics: ['mcc'], weights: { accuracy: 1, mcc: 1 } });
    await publisher.publish(world.em, task.id);
    expect((await boards()).map((board) => board.benchmarkVersion)).toEqual([1]);

    await rescoring().rescore(task.id);
    await publisher.publish(world.em, task.id);

    const [first, second] = await boards();
    expect(first).toEqual(old);
    expect(second).toMatchObject({ benchmarkVersion: 2, content: { models: [{ pending: false, missing: {} }] } });
    expect(Object.keys(second!.content.models[0]!.cells['one']!)).toContain('mcc');
  });

  describe('with another version of a definition', () => {
    const publish = (task: Task) => new LeaderboardPublisher(new BenchmarksService()).publish(world.em, task.id);
    const boards = (task: Task) => wholeBoards(world.em, task);
    const accuracies = ({ content }: WholeRevision) =>
      content.models.map(({ cells }) => cells['one']!['accuracy']!.value);

    /**
     * Creates a task with a board of two models, and scores from before the version of `name` was
     * raised: 0.25 each, where the current version yields 0.5.
     */
    async function ofEarlierVersion(name: string): Promise<{ readonly task: Task; readonly old: WholeRevision }> {
      const task = await world.task({ weights: { accuracy: 1 }, aggregate: { minimumExamples: 1 } });
      const version = await dataset(task, 'one', rows(60));
      for (const model of [await scored(task), await scored(task)]) expect(model.task.id).toBe(task.id);
      const change = (set: string) =>
        world.em.execute(`update evaluation set ${set} where dataset_version_id = ?`, [version.id]);
      await change(`metrics = jsonb_set(metrics, '{accuracy,value}', '0.25')`);
      expect(await publish(task)).toBe(1);
      await change(`scoring_key = 'of an earlier version'`);
      await world.em.nativeUpdate(BenchmarkVersion, { task: task.id }, { metricVersions: { [name]: 0 } });
      const [old] = await boards(task);
      expect(accuracies(old!)).toEqual([0.25, 0.25]);
      return { task, old: old! };
    }

    /** Scores one of the evaluations again, and then stops. */
    async function rescoreOne(task: Task): Promise<void> {
      let opened = 0;
      const cut = Object.assign(Object.create(blobs) as LocalBlobStore, {
        open: (digest: string) => {
          if (opened++ === 1) throw new Error('the disk is gone');
          return blobs.open(digest);
        },
      });
      await expect(rescoring(cut).rescore(task.id)).rejects.toThrow('the disk is gone');
    }

    it.each(['accuracy', 'intervals'])('publishes no board with two versions of %s', async (name) => {
      const { task, old } = await ofEarlierVersion(name);

      await rescoreOne(task);
      await publish(task);
      expect((await boards(task)).map(accuracies)).toEqual([[0.25, 0.25]]);

      expect(await rescoring().rescore(task.id)).toBe(1);
      await publish(task);
      const [first, second, ...more] = await boards(task);
      expect(more).toEqual([]);
      expect(first).toEqual(old);
      expect(second).toMatchObject({ benchmarkVersion: 2, content: { models: [{ pending: false }, {}] } });
      expect(accuracies(second!)).toEqual([0.5, 0.5]);
    });

    it('publishes no such board if a new model is scored before the others are scored again', async () => {
      const { task } = await ofEarlierVersion('accuracy');

      await scored(task);
      await publish(task);
      expect((await boards(task)).map(accuracies)).toEqual([[0.25, 0.25]]);

      await rescoring().rescore(task.id);
      await publish(task);
      expect((await boards(task)).map(({ benchmarkVersion }) => benchmarkVersion)).toEqual([1, 2]);
      expect(accuracies((await boards(task))[1]!)).toEqual([0.5, 0.5, 0.5]);
    });

    it('still ranks new models on the previous benchmark version while others run on new data', async () => {
      const task = await world.task({ weights: { accuracy: 1 }, aggregate: { minimumExamples: 1 } });
      await dataset(task, 'one', rows(60));
      await scored(task);
      await publish(task);
      await dataset(task, 'two', rows(40));
      const model = await scored(task);
      await publish(task);

      expect(await boards(task)).toMatchObject([
        { benchmarkVersion: 1 },
        { benchmarkVersion: 1, content: { models: [{}, { id: model.id }] } },
      ]);
    });
  });

  it('stands on a new benchmark version where a metric has another version, once', async () => {
    const task = await world.task();
    await dataset(task, 'one', rows(40));
    const versions = () => world.em.find(BenchmarkVersion, { task: task.id }, { orderBy: { number: 'asc' } });
    await world.em.nativeUpdate(BenchmarkVersion, { task: task.id }, { metricVersions: { accuracy: 0, mcc: 0 } });

    await rescoring().rescore(task.id);
    await rescoring().rescore(task.id);

    const [before, after, ...more] = await versions();
    expect(more).toEqual([]);
    expect(before).toMatchObject({ number: 1, metricVersions: { accuracy: 0 } });
    expect(after).toMatchObject({ number: 2, datasets: before!.datasets, metricVersions: { accuracy: 1 } });
  });

  describe('of corrected gold', () => {
    /** Uploads the dataset version and activates it. */
    async function release(task: Task, examples: readonly object[]): Promise<ActivationCost> {
      const em = world.em;
      const benchmarks = new BenchmarksService();
      const source = Readable.from([Buffer.from(lines(examples))]);
      const datasets = new DatasetsService(em, blobs, benchmarks, new PerturbationsService(em, blobs, benchmarks));
      const fresh = await em.findOneOrFail(Task, task.id);
      await datasets.put(null, fresh, 'one', { visibility: 'public' }, 'jsonl', source, () => Promise.resolve(true));
      return em.transactional(async (tx) => {
        const { added } = await benchmarks.plan(tx, fresh);
        const cost = await new ActivationCostRepository(tx).of(fresh, added);
        await benchmarks.activate(tx, null, fresh);
        return cost;
      });
    }

    /** Creates a task with an active dataset and two models that are scored on it. */
    async function ranked(): Promise<{ task: Task; model: Model; second: Model }> {
      const task = await world.task({ slices: ['genre'] });
      await release(task, rows(120));
      return { task, model: await scored(task), second: await scored(task) };
    }

    it('takes the stored predictions and what they cost, and starts no model', async () => {
      const { task, model } = await ranked();
      const [before] = await world.cells(model);

      const cost = await release(
        task,
        rows(120, () => 'positive'),
      );
      const jobs = new RecordedJobs();
      await dispatch(task, jobs);

      expect(cost).toEqual({ evaluations: 0, rescored: 2, cannotRun: 0, estimatedSeconds: 0 });
      expect(await world.state(model)).toMatchObject({ state: 'queued' });
      expect(jobs.of('score')).toEqual([{ taskId: task.id }]);
      expect(await runAll()).toBe(0);
      expect(await rescoring().rescore(task.id)).toBe(2);

      const cells = await world.cells(model);
      const after = cells.find((cell) => cell.id !== before!.id)!;
      expect(cells).toHaveLength(2);
      expect(after).toMatchObject({
        state: 'scored',
        metrics: { accuracy: { value: 0.5 } },
        slices: { genre: { letters: { n: 30 } } },
        predictions: before!.predictions,
        measures: before!.measures,
        invalid: before!.invalid,
      });
      expect(after.finishedAt!.getTime()).toBeGreaterThan(before!.finishedAt!.getTime());
      expect(cells.find((cell) => cell.id === before!.id)).toMatchObject({ metrics: before!.metrics! });
      expect(await world.state(model)).toMatchObject({ state: 'scored', failure: null });
      expect(await world.runs(model)).toHaveLength(1);
    });

    it('runs the models where an input changed', async () => {
      const { task, model } = await ranked();
      const changed = rows(120).map((row) => (row.id === 'e7' ? { ...row, text: 'another bad' } : row));

      expect(await release(task, changed)).toMatchObject({ evaluations: 2, rescored: 0 });
      await dispatch(task, new RecordedJobs());

      expect(await runAll()).toBe(2);
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
    });

    it('runs the model after all where the predictions are gone', async () => {
      const { task, model, second } = await ranked();
      const [before] = await world.cells(model);
      await release(
        task,
        rows(120, () => 'positive'),
      );
      await dispatch(task, new RecordedJobs());
      await blobs.delete(before!.predictions!);

      await rescoring().rescore(task.id);

      expect(await runAll()).toBe(2);
      for (const each of [model, second]) expect(await world.state(each)).toMatchObject({ state: 'scored' });
      expect((await world.cells(model)).at(-1)).toMatchObject({ state: 'scored' });
    });

    it('is no business of a run that waits for something else, nor of its end', async () => {
      const { task, model } = await ranked();
      await release(
        task,
        rows(120, () => 'positive'),
      );
      await dataset(task, 'two', rows(30));
      const jobs = new RecordedJobs();
      await dispatch(task, jobs);

      for (const { id } of await world.em.execute<{ id: string }[]>(`select id from run where state = 'queued'`)) {
        const lease = await new RunLeases(world.em, 'evaluator').claim(id, 'evaluation', 60);
        await failRun(lease!, failure('model_exited', 'It exited with code 3.'));
        lease!.close();
      }

      const cells = await world.cells(model);
      expect(cells.map((cell) => [cell.datasetVersion.dataset.name, cell.state])).toEqual([
        ['one', 'scored'],
        ['one', 'queued'],
        ['two', 'failed'],
      ]);
      expect(await rescoring().rescore(task.id)).toBe(2);
      expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'model_exited' } });
    });
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
