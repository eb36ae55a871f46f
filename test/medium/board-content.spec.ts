import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Estimate, type Measures } from '@assay/contracts/metrics';
import { failure } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import {
  BOARD_CHANNEL,
  BoardResamples,
  type BoardContent,
  collectBoard,
  LeaderboardPublisher,
  LeaderboardService,
} from '@assay/leaderboard/boards';
import { Notifications } from '@assay/persistence/outbox';
import { LocalBlobStore, storeResamples } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { BenchmarksService, BenchmarkVersion } from '@assay/tasks/benchmarks';
import { commitmentTo, Dataset, DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EvaluationWorld, sha256 } from '../factories/worlds/evaluation-world.js';

const figure = (value: number): Estimate => ({ value, low: value - 0.01, high: value + 0.01, standardError: 0.005 });

const measures = (throughput: number, hardware: string, spread: number | null = null): Measures => ({
  cpu_time: 0.005,
  throughput,
  latency_p50: 1,
  latency_p90: null,
  latency_p95: null,
  latency_p99: null,
  latency_count: 70,
  memory: 1,
  memory_cgroup: null,
  cold_start: null,
  contended: false,
  hardware,
  repeats: spread === null ? 1 : 3,
  spread:
    spread === null
      ? null
      : {
          throughput: spread,
          latency_p50: null,
          latency_p90: null,
          latency_p95: null,
          latency_p99: null,
          memory: null,
        },
});

describe('what a board stands on', () => {
  let world: EvaluationWorld;

  beforeAll(async () => {
    world = await EvaluationWorld.create();
  });
  afterAll(() => world.close());

  const collect = async (slug: string): Promise<BoardContent> => {
    const em = world.em;
    const task = await em.findOneOrFail(Task, { slug });
    const benchmark = await em.findOneOrFail(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
    return collectBoard(em, task, benchmark);
  };

  /** Creates a queued model whose artifact is admitted. */
  const submit = async (task: Task, given: { readonly bytes?: string } = {}): Promise<Model> => {
    const model = await world.model(task, { admitted: true, ...given });
    await world.em.nativeUpdate(Model, model.id, { state: 'queued' });
    return model;
  };

  const score = async (model: Model, version: DatasetVersion, found: Partial<Evaluation>): Promise<void> => {
    const em = world.em;
    em.create(Evaluation, {
      specification: model.specification!.id,
      datasetVersion: version.id,
      state: 'scored',
      failure: null,
      run: null,
      metrics: null,
      measures: null,
      slices: null,
      predictions: null,
      finishedAt: new Date(),
      ...found,
    });
    await em.flush();
  };

  /** Creates the perturbed version of `version` and activates it in the benchmark version. */
  const perturb = async (task: Task, version: DatasetVersion, kind: 'fairness' | 'robustness') => {
    const em = world.em;
    const name = `${version.dataset.name}~${kind}`;
    const given = { task: task.id, name, role: 'static', use: 'scoring', visibility: 'public' } as const;
    const dataset = em.create(Dataset, { ...given, round: null, perturbation: kind, original: version.dataset.id });
    const content = sha256(`${task.slug}/${name}`);
    const perturbed = em.create(DatasetVersion, {
      ...{ dataset, number: 1, digest: content, content, inputsDigest: content, examples: 8, goldCounts: null },
      ...{ original: version.id, transforms: [], status: 'active' as const, ...commitmentTo(content) },
    });
    const benchmark = await em.findOneOrFail(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
    benchmark.datasets = [...benchmark.datasets, perturbed.id];
    benchmark.definition = { ...benchmark.definition, perturbations: task.definition.perturbations! };
    await em.flush();
    return perturbed;
  };

  it('joins the figures of perturbed versions and of slices to the cell of their dataset', async () => {
    const task = await world.task({
      slices: ['tags'],
      perturbations: { fairness: ['gender'], robustness: ['case'], sample: 500 },
    });
    const version = await world.dataset(task, 'set', { examples: 200 });
    const fairness = await perturb(task, version, 'fairness');
    const robustness = await perturb(task, version, 'robustness');
    const [whole, waiting] = [await submit(task), await submit(task)];
    const spread = { worst: { ...figure(0.6), slice: 'x' }, best: { ...figure(0.9), slice: 'y' }, gap: figure(0.3) };
    const of = { chance: { mean: 0.1, high: 0.2 }, slices: 2, standingOut: [] };
    const original = {
      metrics: { accuracy: figure(0.8) },
      measures: measures(100, 'here'),
      sliceSpreads: { tags: { accuracy: { ...spread, ...of } } },
      resamples: 'a'.repeat(64),
    };
    await score(whole, version, original);
    await score(whole, fairness, {
      metrics: { fairness: figure(0.7), fairness_stability: figure(0.9), accuracy: figure(0.75) },
      resamples: 'b'.repeat(64),
    });
    // too few originals for the metrics
    const few = { originals: 12, variants: 12, stayedRight: null, stability: null, performance: null, drop: null };
    await score(whole, robustness, { metrics: {}, perturbed: { ...few, transforms: {} } });
    await score(waiting, version, { ...original, measures: { ...measures(100, 'here'), contended: true } });

    const content = await collect(task.slug);

    expect(content.datasets.map(({ name, undefinedMetrics }) => [name, undefinedMetrics])).toEqual([
      ['set', ['robustness', 'robustness_mean', 'robustness_stability']],
    ]);
    const [first, second] = [whole, waiting].map(({ id }) => content.models.find((model) => model.id === id)!);
    expect(Object.entries(first!.cells['set']!).map(([name, { value }]) => [name, value])).toEqual([
      ['accuracy', 0.8],
      ['fairness', 0.7],
      ['fairness_stability', 0.9],
      ['worst:tags', 0.6],
      ['gap:tags', 0.3],
      ['cpu_time', 0.005],
      ['throughput', 100],
      ['latency_p50', 1],
      ['memory', 1],
    ]);
    const contended = ({ cells }: NonNullable<typeof first>) =>
      Object.keys(cells['set']!).filter((name) => cells['set']![name]!.contended);
    expect([contended(first!), contended(second!)]).toEqual([[], ['throughput', 'latency_p50', 'memory']]);
    expect(first).toMatchObject({ pending: false, missing: {}, resamples: { set: ['a'.repeat(64), 'b'.repeat(64)] } });
    expect(second).toMatchObject({ pending: true, missing: { 'set~fairness': 'not evaluated yet' } });
  });

  it('knows against whom a dataset was collected, who may have seen it, and how often somebody tried', async () => {
    const task = await world.task();
    const version = await world.dataset(task, 'set', { examples: 200 });
    const [victim, other] = [await submit(task, { bytes: `${task.slug} victim` }), await submit(task)];
    const copy = await submit(task, { bytes: `${task.slug} victim` });
    const em = world.em;
    const dataset = await em.findOneOrFail(Dataset, version.dataset.id);
    const artifact = await em.findOneOrFail(Artifact, { digest: sha256(`${task.slug} victim`) });
    dataset.against = [victim.id];
    dataset.publicSince = new Date(artifact.createdAt.getTime() + 1);
    const unpublished = await em.findOneOrFail(Artifact, other.specification!.artifact.id);
    unpublished.createdAt = new Date(artifact.createdAt.getTime() + 2);
    await em.flush();

    const { models } = await collect(task.slug);

    const known = models.map(({ id, own, exposure, attempts, size }) => [id, own, exposure, attempts, size]);
    expect(known).toEqual(
      expect.arrayContaining([
        [victim.id, ['set'], { set: 'clean' }, 3, 1000],
        [copy.id, ['set'], { set: 'clean' }, 3, 1000],
        [other.id, [], { set: 'exposed' }, 3, 1000],
      ]),
    );
  });

  it('takes a dataset for an own round of all declared descendants of its target models', async () => {
    const task = await world.task();
    const version = await world.dataset(task, 'set', { examples: 200 });
    const [target, child, grandchild, stranger] = [
      await submit(task),
      await submit(task),
      await submit(task),
      await submit(task),
    ];
    const em = world.em;
    (await em.findOneOrFail(Dataset, version.dataset.id)).against = [target.id];
    (await em.findOneOrFail(Model, child.id)).derivedFrom = [target.id];
    (await em.findOneOrFail(Model, grandchild.id)).derivedFrom = [child.id];
    await em.flush();

    const { models } = await collect(task.slug);

    const own = new Map(models.map(({ id, own: datasets }) => [id, datasets]));
    expect([target, child, grandchild, stranger].map(({ id }) => own.get(id))).toEqual([['set'], ['set'], ['set'], []]);
  });

  it('counts the examples of an own round that were written against others, if there are enough', async () => {
    const task = await world.task();
    const version = await world.dataset(task, 'set', { examples: 400 });
    const [many, few] = [await submit(task), await submit(task)];
    const em = world.em;
    (await em.findOneOrFail(Dataset, version.dataset.id)).against = [many.id, few.id];
    const benchmark = await em.findOneOrFail(BenchmarkVersion, { task });
    benchmark.definition = { ...benchmark.definition, exchange: 'fixed' };
    await em.flush();
    const { minimumExamples } = task.definition.aggregate;
    const rest = { metrics: { accuracy: figure(0.6) }, sliceSpreads: {}, resamples: 'r'.repeat(64) };
    const whole = { metrics: { accuracy: figure(0.2) }, resamples: 'w'.repeat(64) };
    await score(many, version, { ...whole, rest: { ...rest, examples: minimumExamples } });
    await score(few, version, { ...whole, rest: { ...rest, examples: minimumExamples - 1 } });

    const { models } = await collect(task.slug);

    const [first, second] = [many, few].map(({ id }) => models.find((each) => each.id === id)!);
    expect(first).toMatchObject({
      ...{ own: [], counted: { set: minimumExamples }, resamples: { set: [rest.resamples] } },
      cells: { set: { accuracy: { value: 0.6 } } },
    });
    expect(second).toMatchObject({ own: ['set'], cells: { set: { accuracy: { value: 0.2 } } } });
    expect(second).not.toHaveProperty('counted');
    expect(second!.resamples).toEqual({ set: [whole.resamples] });
  });

  it('counts the attempts of an owner: unpublished, withdrawn and failed ones, but no failure of the platform or in admission', async () => {
    const task = await world.task();
    await world.dataset(task, 'set', { examples: 200 });
    const models: Model[] = [];
    for (let n = 0; n < 6; n++) models.push(await submit(task));
    const em = world.em;
    const change = async (place: number, data: Partial<Pick<Model, 'published' | 'withdrawn' | 'failure' | 'state'>>) =>
      em.nativeUpdate(Model, models[place]!.id, data);
    await change(1, { published: false });
    await change(2, { withdrawn: true });
    await change(3, { state: 'failed', failure: failure('model_exited', 'It did.') });
    await change(4, { state: 'failed', failure: failure('platform_failed', 'It did.') });
    await change(5, { state: 'failed', failure: failure('image_refused', 'It did.') });

    const { models: shown } = await collect(task.slug);

    expect(shown.find(({ id }) => id === models[0]!.id)).toMatchObject({ attempts: 4 });
  });

  it('has the costs of one hardware class for each model, and how far measurements differ', async () => {
    const task = await world.task();
    const versions = [
      await world.dataset(task, 'one'),
      await world.dataset(task, 'two'),
      await world.dataset(task, 'last'),
    ];
    const model = await submit(task);
    for (const [index, version] of versions.entries()) {
      const measured = measures(100 + index, index === 2 ? 'elsewhere' : 'here', 4);
      await score(model, version, { metrics: { accuracy: figure(0.8) }, measures: measured });
    }
    const em = world.em;
    const benchmark = await em.findOneOrFail(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
    benchmark.definition = { ...benchmark.definition, exchange: 'fixed' };
    await em.flush();

    const content = await collect(task.slug);

    expect(content.spreads).toEqual({ throughput: 4 });
    expect(content.models[0]!.costSpreads).toEqual({ throughput: { relative: 0.04, measurements: 3 } });
    expect(content.models[0]).toMatchObject({ hardware: 'here' });
    expect(content.models[0]!.cells['one']!['throughput']!.value).toBe(100);
    expect(content.models[0]!.cells['last']).not.toHaveProperty('throughput');
  });

  it('ranks by CPU time and memory by default, and has no rank for a model without CPU time', async () => {
    const task = await world.task();
    const version = await world.dataset(task, 'set', { examples: 200 });
    const earlier = measures(100, 'here');
    delete earlier.cpu_time;
    const scored = async (accuracy: number, costs: Measures) => {
      const model = await submit(task);
      await score(model, version, { metrics: { accuracy: figure(accuracy) }, measures: costs });
      return model.id;
    };
    const thrifty = await scored(0.8, { ...measures(10, 'here'), cpu_time: 0.001, contended: true });
    const wasteful = await scored(0.82, { ...measures(1000, 'here'), cpu_time: 0.1 });
    const least = await scored(0.7, { ...measures(100, 'here'), cpu_time: 0.002 });
    const unmeasured = await scored(0.9, earlier);
    await new LeaderboardPublisher(new BenchmarksService()).publish(world.em, task.id);

    const boards = new LeaderboardService(world.orm.em);
    const official = await boards.board(task, { amrs: 'official' });
    const board = await boards.board(task, { amrs: 'official', weights: { cpu_time: 40 } });

    expect(official.rows.map(({ model }) => model.id)).toEqual([wasteful, thrifty, least]);
    expect(official.metrics.filter(({ weight }) => weight > 0).map(({ name, unit }) => [name, unit])).toEqual([
      ['accuracy', 'ratio'],
      ['cpu_time', 's/example'],
      ['memory', 'GiB'],
    ]);
    expect(board.rows.map(({ model }) => model.id)).toEqual([thrifty, least, wasteful]);
    expect(board.rows[0]!.metrics['cpu_time']).toMatchObject({ value: 0.001 });
    expect(board.rows[0]!.metrics['cpu_time']).not.toHaveProperty('contended');
    expect(board.rows[0]!.metrics['memory']).toMatchObject({ contended: true });
    expect(board.incomplete).toMatchObject([
      { model: { id: unmeasured }, missing: [{ why: 'no cpu_time: too few requests, or it was not measured' }] },
    ]);
  });

  it('ranks by the resamples that the evaluations have stored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-board-'));
    const blobs = new LocalBlobStore(folder);
    const task = await world.task({ weights: { accuracy: 1 } });
    const version = await world.dataset(task, 'set', { examples: 200 });
    const wobble = Float32Array.from({ length: 1000 }, (_, draw) => 0.03 * Math.sin(draw));
    for (const accuracy of [0.8, 0.79]) {
      const resamples = await storeResamples(blobs, { accuracy: wobble.map((each) => accuracy + each) });
      const wide = { ...figure(accuracy), standardError: 0.02 };
      await score(await submit(task), version, { metrics: { accuracy: wide }, resamples });
    }
    const resamples = new BoardResamples(blobs);
    await new LeaderboardPublisher(new BenchmarksService(), resamples).publish(world.em, task.id);

    const bare = await new LeaderboardService(world.orm.em).board(task, { amrs: 'official' });
    const joint = await new LeaderboardService(world.orm.em, resamples).board(task, { amrs: 'official' });

    expect(bare.rows.map(({ rankLow, rankHigh }) => [rankLow, rankHigh])).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(joint.rows.map(({ rankLow, rankHigh, first }) => [rankLow, rankHigh, first])).toEqual([
      [1, 1, 1],
      [2, 2, 0],
    ]);
    rmSync(folder, { recursive: true });
  });

  it('answers with a revision as soon as its publication is announced', async () => {
    const notifications = new Notifications({ url: world.url });
    const task = await world.task({ weights: { accuracy: 1 } });
    const version = await world.dataset(task, 'set', { examples: 200 });
    const publisher = new LeaderboardPublisher(new BenchmarksService());
    const boards = new LeaderboardService(world.orm.em, undefined, notifications);
    const revisionNow = async (): Promise<number> => (await boards.board(task, { amrs: 'official' })).revision;
    await score(await submit(task), version, { metrics: { accuracy: figure(0.7) } });
    await publisher.publish(world.em, task.id);
    // stops the clock, so that no cached board expires
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    expect(await revisionNow()).toBe(1);
    // the boards subscribed first, so they receive the notification first
    const told = new Promise<string>((resolve) => void notifications.subscribe(BOARD_CHANNEL, resolve));

    await score(await submit(task), version, { metrics: { accuracy: figure(0.8) } });
    expect(await revisionNow()).toBe(1);
    await publisher.publish(world.em, task.id);

    expect(await told).toBe(task.slug);
    expect(await revisionNow()).toBe(2);
    clock.mockRestore();
    await notifications.close();
  });
});
