import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Estimate } from '@assay/contracts/metrics';
import { Evaluation } from '@assay/evaluation/evaluations';
import { User } from '@assay/identity';
import {
  BoardResamples,
  BoardRevision,
  BoardRevisionRepository,
  type BoardModel,
  collectBoard,
  LeaderboardPublisher,
  LeaderboardService,
  type WholeRevision,
} from '@assay/leaderboard/boards';
import { LocalBlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { BenchmarksService, BenchmarkVersion } from '@assay/tasks/benchmarks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const figure = (value: number): Estimate => ({ value, low: value - 0.01, high: value + 0.01, standardError: 0.005 });

describe('a publication after a few changes', () => {
  let world: EvaluationWorld;
  let publisher: LeaderboardPublisher;
  let task: Task;
  let version: DatasetVersion;
  let models: Model[];

  beforeAll(async () => {
    world = await EvaluationWorld.create();
  });
  afterAll(() => world.close());

  beforeEach(async () => {
    publisher = new LeaderboardPublisher(new BenchmarksService());
    task = await world.task({ weights: { accuracy: 1 } });
    version = await world.dataset(task, 'set', { examples: 200 });
    models = [await scored(0.6), await scored(0.7), await scored(0.8)];
    expect(await publish()).toBe(1);
  });

  const publish = (): Promise<number | null> => publisher.publish(world.em, task.id);

  async function scored(accuracy: number): Promise<Model> {
    const model = await world.model(task, { admitted: true });
    await world.em.nativeUpdate(Model, model.id, { state: 'scored', firstScoredAt: new Date() });
    const em = world.em;
    em.create(Evaluation, {
      specification: model.specification!.id,
      datasetVersion: version.id,
      state: 'scored',
      metrics: { accuracy: figure(accuracy) },
      finishedAt: new Date(),
    });
    await em.flush();
    return model;
  }

  const rescore = (model: Model, accuracy: number) =>
    world.em.nativeUpdate(
      Evaluation,
      { specification: model.specification!.id },
      { metrics: { accuracy: figure(accuracy) } },
    );

  const rows = async (): Promise<number> =>
    (await world.em.execute<{ count: number }[]>('select count(*)::int as count from board_row'))[0]!.count;

  const newest = async (): Promise<WholeRevision> => (await new BoardRevisionRepository(world.em).newestWhole(task))!;

  /** Expects the models of the newest revision to be those that a publication without a cache would have. */
  async function expectCurrent(): Promise<readonly BoardModel[]> {
    const em = world.em;
    const found = await em.findOneOrFail(Task, task.id);
    const benchmark = await em.findOneOrFail(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
    const { models: current } = await collectBoard(em, found, benchmark);
    const { content } = await newest();
    expect(content.models).toEqual(JSON.parse(JSON.stringify(current)));
    return current;
  }

  it('stores only the row of a model with a new score, and shares the others', async () => {
    const before = await rows();
    const old = await newest();

    await rescore(models[1]!, 0.9);
    expect(await publish()).toBe(2);

    expect(await rows()).toBe(before + 1);
    expect((await expectCurrent()).map(({ cells }) => cells['set']!['accuracy']!.value)).toEqual([0.6, 0.9, 0.8]);
    const first = await world.em.findOneOrFail(BoardRevision, { task, number: 1 });
    expect(await new BoardRevisionRepository(world.em).whole(first)).toEqual(old);
    expect(first.content.models).toBeUndefined();
  });

  it('publishes nothing without a change, and the same revision as a publisher that starts now', async () => {
    expect(await publish()).toBeNull();
    expect(await new LeaderboardPublisher(new BenchmarksService()).publish(world.em, task.id)).toBeNull();
  });

  it('has new models, and leaves out those that were withdrawn', async () => {
    const added = await scored(0.5);
    await world.em.nativeUpdate(Model, models[0]!.id, { withdrawn: true });
    expect(await publish()).toBe(2);
    const ids = (await expectCurrent()).map(({ id }) => id);
    expect(ids.toSorted()).toEqual([models[1]!.id, models[2]!.id, added.id].toSorted());
  });

  it('has the new name of a model and of its owner, and the evaluation that failed', async () => {
    await world.em.nativeUpdate(Model, models[0]!.id, { name: 'another name' });
    await publish();
    expect((await expectCurrent())[0]!.name).toBe('another name');

    await world.em.nativeUpdate(User, models[0]!.owner.id, { username: `renamed-${task.slug}` });
    await publish();
    expect((await expectCurrent())[0]!.owner).toBe(`renamed-${task.slug}`);

    await world.em.nativeUpdate(
      Evaluation,
      { specification: models[0]!.specification!.id },
      { state: 'running', metrics: null },
    );
    await publish();
    expect((await expectCurrent())[0]).toMatchObject({ pending: true, missing: { set: 'running' }, cells: {} });
  });

  it('counts attempts of an owner on all rows, without reading them again', async () => {
    const attempts = (await newest()).content.models.map((model) => model.attempts!);
    const model = await scored(0.5);
    await world.em.nativeUpdate(Model, model.id, { acceptedAt: new Date() });
    await world.em.nativeUpdate(
      Model,
      models.map(({ id }) => id),
      { acceptedAt: new Date() },
    );
    await publish();
    expect((await expectCurrent()).map((each) => each.attempts!)).not.toEqual(attempts);
  });

  it('stores the rank intervals of the official board, which are those that a reader would compute', async () => {
    const home = mkdtempSync(join(tmpdir(), 'assay-ranks-'));
    try {
      const resamples = new BoardResamples(new LocalBlobStore(home));
      publisher = new LeaderboardPublisher(new BenchmarksService(), resamples);
      const em = world.em;
      const benchmark = await em.findOneOrFail(BenchmarkVersion, { task });
      benchmark.definition = { ...benchmark.definition, exchange: 'fixed' };
      await em.flush();
      await rescore(models[0]!, 0.69);
      expect(await publish()).toBe(2);
      const board = () => new LeaderboardService(world.em, resamples).board(task, { amrs: 'official' });

      const stored = await board();
      expect((await newest()).officialRanks!.ranks).toHaveLength(3);
      await world.em.nativeUpdate(BoardRevision, { task, number: 2 }, { officialRanks: null });
      expect(JSON.stringify(await board())).toBe(JSON.stringify(stored));
      expect(stored.rows.map(({ tie }) => tie)).toEqual([false, false, true]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('starts again if the definition of the task changes', async () => {
    await world.em.nativeUpdate(Task, task.id, { definition: { ...task.definition, disclosure: 'rounded' } });
    await publish();
    await world.em.nativeUpdate(Task, task.id, { definition: { ...task.definition, disclosure: 'exact' } });
    await publish();
    await expectCurrent();
  });

  it('reads a revision that was stored with its models', async () => {
    const { content, ...whole } = await newest();
    const stored = await world.em.findOneOrFail(BoardRevision, { task, number: 1 });
    await world.em.nativeUpdate(BoardRevision, stored.id, { content, modelRows: null });
    expect(await newest()).toEqual({ content, ...whole });
    await rescore(models[0]!, 0.65);
    expect(await publish()).toBe(2);
    await expectCurrent();
  });
});
