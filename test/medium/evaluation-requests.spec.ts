import { failure, type FailureCode } from '@assay/contracts/models';
import { OutboxDispatcher } from '@assay/evaluation';
import { ActivationCostRepository, EvaluationRequests, requestForAllModels } from '@assay/evaluation/evaluations';
import { failRun } from '@assay/evaluation/outcomes';
import { RunLeases } from '@assay/evaluation/runs';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

describe('EvaluationRequests', () => {
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  beforeAll(async () => {
    world = await EvaluationWorld.create();
  });
  afterAll(() => world.close());

  const request = (task: Awaited<ReturnType<typeof world.task>>, model: Model) =>
    world.transaction((em) => requests.requestMissing(em, task, model.specification!));

  it('queues a cell for each active dataset, a run for admission, and its job', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    await world.dataset(task, 'two');
    const model = await world.model(task);

    const { run, missing } = await request(task, model);

    expect(missing).toBe(2);
    expect((await world.cells(model)).map((cell) => cell.state)).toEqual(['queued', 'queued']);
    expect(await world.runs(model)).toMatchObject([{ id: run, stage: 'admission', state: 'queued', fence: 0 }]);
    expect(await world.events('run.requested')).toContainEqual({
      runId: run,
      stage: 'admission',
      attempt: 0,
      kind: 'container',
    });
    expect(await world.state(model)).toMatchObject({ state: 'admitting' });
  });

  it('shows the new state in the entity that the caller holds', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const { id } = await world.model(task, { admitted: true });

    await world.transaction(async (em) => {
      const model = await em.findOneOrFail(Model, id, { populate: ['specification', 'task'] });
      await requests.requestMissing(em, model.task, model.specification!);
      expect(model.state).toBe('queued');
    });
  });

  it('makes one run for two submissions of the same specification at the same time', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const first = await world.model(task, { bytes: 'shared' });
    const second = await world.model(task, { bytes: 'shared' });

    const results = await Promise.all([request(task, first), request(task, second), request(task, first)]);

    expect(new Set(results.map((result) => result.run)).size).toBe(1);
    expect(await world.runs(first)).toHaveLength(1);
    expect(await world.cells(first)).toHaveLength(1);
  });

  it('fails at once what was refused before, with the stored reason', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const model = await world.model(task);
    const why = failure('wrong_architecture', 'The image is for arm64.');
    await world.em.nativeUpdate(Artifact, model.specification!.artifact.id, { state: 'refused', failure: why });

    expect(await request(task, model)).toEqual({ run: null, missing: 0 });

    expect(await world.state(model)).toMatchObject({ state: 'failed', failure: why });
    expect(await world.events('board.stale')).toContainEqual({ taskId: task.id });
    expect(await world.events('model.settled')).toContainEqual({ modelId: model.id, state: 'failed' });
  });

  it('looks again at what was too large, and refuses an admitted image that is too large for this task', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const large = await world.model(task);
    const why = failure('unpacked_too_large', 'It is too large.');
    await world.em.nativeUpdate(Artifact, large.specification!.artifact.id, { state: 'refused', failure: why });
    expect((await request(task, large)).run).not.toBeNull();

    const strict = await world.task({ limits: { unpacked: 500 } });
    await world.dataset(strict, 'one');
    const admitted = await world.model(strict, { admitted: true });
    expect((await request(strict, admitted)).run).toBeNull();
    expect(await world.state(admitted)).toMatchObject({ state: 'failed', failure: { code: 'unpacked_too_large' } });
  });

  it('scores a model at once whose cells are all there, and asks only for those of a new dataset', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const first = await world.model(task, { bytes: 'reused', admitted: true });
    await request(task, first);
    await world.em.execute(`update evaluation set state = 'scored', finished_at = now() where specification_id = ?`, [
      first.specification!.id,
    ]);
    await world.em.execute(`update run set state = 'done' where specification_id = ?`, [first.specification!.id]);

    const second = await world.model(task, { bytes: 'reused' });
    expect(await request(task, second)).toEqual({ run: null, missing: 0 });
    expect(await world.state(second)).toMatchObject({ state: 'scored' });
    expect(await world.state(first)).toMatchObject({ state: 'scored' });
    expect(await world.events('model.settled')).toContainEqual({ modelId: second.id, state: 'scored' });

    await world.dataset(task, 'two');
    expect(await request(task, second)).toMatchObject({ missing: 1 });
    expect(await world.state(second)).toMatchObject({ state: 'queued' });
  });

  it('runs failed cells again, and refuses where none has failed', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const model = await world.model(task, { admitted: true });
    const { run } = await request(task, model);
    const rerun = () => world.transaction(async (em) => requests.rerun(em, await em.findOneOrFail(Model, model.id)));
    await expect(rerun()).rejects.toMatchObject({ code: 'nothing_to_rerun', kind: 'conflict' });

    const lease = await new RunLeases(world.em, 'me').claim(run!, 'evaluation', 60);
    await failRun(lease!, failure('model_exited', 'It exited with code 1.'), {
      log: 'Traceback',
      logSeen: [],
      withheldBytes: null,
    });
    lease!.close();
    expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'model_exited' } });
    expect(await world.runs(model)).toMatchObject([{ state: 'failed', log: 'Traceback' }]);

    expect((await rerun()).run).not.toBe(run);
    expect(await world.state(model)).toMatchObject({ state: 'queued', failure: null });
    expect(await world.cells(model)).toMatchObject([{ state: 'queued', failure: null }]);
  });

  it('cancels a run only when nobody else shares it', async () => {
    const task = await world.task();
    await world.dataset(task, 'one');
    const first = await world.model(task, { bytes: 'both', admitted: true });
    const second = await world.model(task, { bytes: 'both' });
    const { run } = await request(task, first);
    const cancel = (model: Model) =>
      world.transaction(async (em) => requests.cancel(em, await em.findOneOrFail(Model, model.id)));

    await cancel(first);
    expect(await world.state(first)).toMatchObject({ state: 'cancelled' });
    expect(await world.runs(first)).toMatchObject([{ state: 'queued' }]);
    await expect(cancel(first)).rejects.toMatchObject({ code: 'nothing_to_cancel' });

    const lease = await new RunLeases(world.em, 'me').claim(run!, 'evaluation', 60);
    await cancel(second);
    expect(await world.runs(first)).toMatchObject([{ state: 'cancelled' }]);
    expect(await world.cells(first)).toMatchObject([{ state: 'cancelled' }]);
    await lease!.renew();
    expect(lease!.signal.aborted).toBe(true);

    const third = await world.model(task, { bytes: 'both' });
    expect((await request(task, third)).missing).toBe(1);
    expect(await world.state(first)).toMatchObject({ state: 'cancelled' });
  });

  describe('of all models of a task', () => {
    const models = async (task: Awaited<ReturnType<typeof world.task>>) =>
      [await world.model(task), await world.model(task), await world.model(task)].sort((one, other) =>
        one.specification!.id < other.specification!.id ? -1 : 1,
      );
    const asked = async (all: readonly Model[]) =>
      Promise.all(all.map(async (model) => (await world.cells(model)).length));

    it('are made in steps of a while, each of which says what is left', async () => {
      const task = await world.task();
      await world.dataset(task, 'one');
      const all = await models(task);

      const rest = await requestForAllModels(world.em.fork(), { taskId: task.id }, 0);
      expect(rest).toEqual({ taskId: task.id, behind: all[0]!.specification!.id });
      expect(await asked(all)).toEqual([1, 0, 0]);

      expect(await requestForAllModels(world.em.fork(), rest!)).toBeNull();
      expect(await asked(all)).toEqual([1, 1, 1]);
    });

    it('have the board published once, when the last is asked for, however many need no run', async () => {
      const task = await world.task();
      await world.dataset(task, 'one');
      const all = await models(task);
      await world.em.fork().execute(`update artifact set archived_at = now()`);
      const stale = async () =>
        (await world.em.fork().execute<unknown[]>('select 1 from stale_board where task_id = ?', [task.id])).length;
      await world.em.fork().execute('delete from stale_board');

      const rest = await requestForAllModels(world.em.fork(), { taskId: task.id }, 0);
      expect(await stale()).toBe(0);
      expect(await requestForAllModels(world.em.fork(), rest!)).toBeNull();

      expect(await asked(all)).toEqual([1, 1, 1]);
      expect(await world.cells(all[2]!)).toMatchObject([{ state: 'failed' }]);
      expect(await stale()).toBe(1);
    });

    describe('after one of them has failed', () => {
      const task = async () => {
        const made = await world.task();
        await world.dataset(made, 'one');
        return made;
      };
      const failed = async (of: Awaited<ReturnType<typeof task>>, code: FailureCode) => {
        const model = await world.model(of, { admitted: true });
        const { run } = await request(of, model);
        const lease = await new RunLeases(world.em, 'me').claim(run!, 'evaluation', 60);
        await failRun(lease!, failure(code, 'It failed.'));
        lease!.close();
        return model;
      };
      const states = async (model: Model) =>
        (await world.cells(model)).map(({ state, failure: why }) => why?.code ?? state);

      it('leave out the one that failed by its own fault, until its owner reruns it', async () => {
        const of = await task();
        const model = await failed(of, 'model_exited');
        const other = await world.model(of, { admitted: true });
        const version = await world.dataset(of, 'two');
        expect(await new ActivationCostRepository(world.em).of(of, [version])).toMatchObject({
          evaluations: 1,
          cannotRun: 1,
        });

        await requestForAllModels(world.em, { taskId: of.id });
        await requestForAllModels(world.em, { taskId: of.id });

        expect(await states(model)).toEqual(['model_exited', 'not_run_again']);
        expect(await world.runs(model)).toMatchObject([{ state: 'failed' }]);
        expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'model_exited' } });
        expect(await states(other)).toEqual(['queued', 'queued']);

        await world.transaction(async (em) => requests.rerun(em, await em.findOneOrFail(Model, model.id)));
        expect(await states(model)).toEqual(['queued', 'queued']);
        expect(await world.runs(model)).toMatchObject([{ state: 'failed' }, { state: 'queued' }]);
      });

      it('run the one that the platform failed again', async () => {
        const of = await task();
        const model = await failed(of, 'platform_failed');
        await world.dataset(of, 'two');

        await requestForAllModels(world.em, { taskId: of.id });

        expect(await states(model)).toEqual(['queued', 'queued']);
        expect(await world.runs(model)).toMatchObject([{ state: 'failed' }, { state: 'queued' }]);
      });

      it('run what was left out when the same bytes are submitted again', async () => {
        const of = await task();
        const model = await failed(of, 'model_exited');
        await world.dataset(of, 'two');
        await requestForAllModels(world.em, { taskId: of.id });

        expect(await request(of, model)).toMatchObject({ missing: 1 });
        expect(await states(model)).toEqual(['model_exited', 'queued']);
      });
    });

    it('never keep what waits behind them waiting: what is left comes after it', async () => {
      const task = await world.task();
      await world.dataset(task, 'one');
      const all = await models(task);
      const jobs = { enqueue: () => Promise.resolve(), isLive: () => Promise.resolve(false) };
      const dispatcher = new OutboxDispatcher(world.em, jobs, 0);
      const newest = async () => {
        const where = { type: 'benchmark.released' };
        const [event] = await world.em.fork().find(OutboxEvent, where, { orderBy: { id: 'desc' }, limit: 1 });
        return { id: event!.id, type: event!.type, payload: event!.payload };
      };

      await dispatcher.dispatch({ id: '1', type: 'benchmark.released', payload: { taskId: task.id } });
      const second = await newest();
      expect(second.payload).toEqual({ taskId: task.id, behind: all[0]!.specification!.id });
      await dispatcher.dispatch(second);
      const third = await newest();
      await dispatcher.dispatch(third);

      expect(await asked(all)).toEqual([1, 1, 1]);
      expect(await newest()).toEqual(third);
    });
  });
});
