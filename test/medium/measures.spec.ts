import { join } from 'node:path';
import { Readable } from 'node:stream';
import { failure } from '@assay/contracts/models';
import { Reconciler } from '@assay/evaluation';
import { Evaluation, EvaluationRequests, Measurement } from '@assay/evaluation/evaluations';
import { RUN_PRIORITY, RunLeases } from '@assay/evaluation/runs';
import { fakeModel, FakeSandboxDriver, type FakeModel } from '@assay/sandbox';
import { Model, RunSpecification } from '@assay/submissions';
import { type Task } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { LiveRequests } from '../../apps/evaluator/src/host/live-requests.js';
import type { MeasuringSettings } from '../../apps/evaluator/src/run/run-work.js';
import { allStages } from '../factories/worlds/all-stages.js';
import { scoreWaiting } from '../factories/worlds/answer-scoring.js';
import type { RunStagesParts } from '../factories/worlds/run-stages.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const examples = (name: string, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name}-${index}`,
    text: `${name} ${index} ${index % 2 === 0 ? 'good' : 'bad'}`,
    label: index % 4 === 3 ? 'positive' : index % 2 === 0 ? 'positive' : 'negative',
  }));

const labelOf = (text: string): string => (text.endsWith('good') ? 'positive' : 'negative');
const answering = (answer: (text: string) => unknown, more: Partial<FakeModel> = {}): FakeModel =>
  fakeModel.answers(
    (request) => ({
      predictions: (request as { instances: { text: string }[] }).instances.map(({ text }) => answer(text)),
    }),
    more,
  );
const believer = answering(labelOf);

describe('what a model costs', () => {
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

  const put = (text: string) => blobs.put(Readable.from([Buffer.from(text)]));

  async function dataset(task: Task, name: string, rows: readonly object[]): Promise<DatasetVersion> {
    const { digest } = await put(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
    return world.dataset(task, name, { content: digest, examples: rows.length });
  }

  async function taskWith(count: number): Promise<Task> {
    const task = await world.task();
    await dataset(task, 'one', examples('one', count));
    return task;
  }

  async function submit(task: Task): Promise<Model> {
    const { digest } = await put(`artifact ${Math.random()}`);
    const model = await world.model(task, { digest, admitted: true });
    await request(task, model);
    return model;
  }

  const request = (task: Task, model: Model) =>
    world.transaction((em) => requests.requestMissing(em, task, model.specification!));

  const act = <T>(model: Model, what: (em: EvaluationWorld['em'], model: Model) => Promise<T>): Promise<T> =>
    world.transaction(async (em) =>
      what(em, await em.findOneOrFail(Model, model.id, { populate: ['task', 'specification'] })),
    );
  const remeasure = (model: Model) => act(model, (em, own) => requests.remeasure(em, own));

  const driverOf = (model: FakeModel) => new FakeSandboxDriver(() => model);

  const PATIENT: MeasuringSettings = { retakes: 3, patienceSeconds: 600 };

  function runsOn(driver: FakeSandboxDriver, measuring = PATIENT, more: Partial<RunStagesParts> = {}): EvaluationRuns {
    const workFolder = join(folder, 'work');
    const runner = () => Promise.reject(new Error('there is no engine here'));
    const stages = allStages({
      em: world.em,
      driver,
      runner,
      blobs,
      workFolder,
      measuring,
      locks: world.locks,
      ...more,
    });
    return new EvaluationRuns(world.em, new RunLeases(world.em, 'evaluator'), stages, workFolder);
  }

  /** Works until nothing is queued, or until what is queued is postponed. */
  async function work(
    driver: FakeSandboxDriver,
    measuring = PATIENT,
    more: Partial<RunStagesParts> = {},
  ): Promise<void> {
    const runs = runsOn(driver, measuring, more);
    for (let turn = 0; turn < 8; turn++) {
      const [next] = await world.em.execute<{ id: string; stage: 'admission' | 'evaluation' }[]>(
        `select id, stage from run where state = 'queued' order by fence, created_at limit 1`,
      );
      if (!next) break;
      await runs.execute(next.id, next.stage);
      await scoreWaiting(world.em, blobs);
    }
    expect(driver.running.size).toBe(0);
  }

  const measuresOf = async (model: Model) => (await world.cells(model)).map(({ measures }) => measures);
  const runsFor = async (model: Model) =>
    (await world.runs(model)).map(({ purpose, state, attempts }) => ({ purpose, state, attempts }));
  const measurements = (model: Model) =>
    world.em.find(Measurement, { specification: model.specification!.id }, { orderBy: { createdAt: 'asc' } });

  it('is the median of what was measured, with the spread, and its scores stay to the bit', async () => {
    const task = await taskWith(300);
    const model = await submit(task);
    await work(driverOf(believer));
    const [before] = await world.cells(model);
    expect(before!.measures).toMatchObject({ repeats: 1, spread: null, floor: null });

    for (let round = 0; round < 2; round++) {
      const run = await remeasure(model);
      expect(await remeasure(model)).toBe(run);
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
      await work(driverOf(believer));
    }

    const [after] = await world.cells(model);
    const taken = await measurements(model);
    expect(taken.map(({ measures }) => typeof measures.throughput_spread)).toEqual(['undefined', 'number', 'number']);
    // the run that answered asked some examples twice
    const throughputs = taken.slice(1).map(({ measures }) => measures.throughput!);
    expect(taken.map(({ hardware }) => hardware)).toEqual(Array(3).fill('fake · 1 cpu · runc'));
    const throughput = expect.closeTo((throughputs[0]! + throughputs[1]!) / 2, 6);
    expect(after!.measures).toMatchObject({ repeats: 2, throughput, contended: false });
    expect(after!.measures!.spread!.throughput).toBeGreaterThan(0);
    expect(after!.measures!.spread!.memory).toBe(0);
    const scoresOf = ({ state, metrics, slices, predictions, finishedAt }: typeof before & object) => ({
      state,
      metrics,
      slices,
      predictions,
      finishedAt,
    });
    expect(scoresOf(after!)).toEqual(scoresOf(before!));
    expect(await runsFor(model)).toEqual([
      { purpose: 'evaluation', state: 'done', attempts: 0 },
      { purpose: 'measures', state: 'done', attempts: 0 },
      { purpose: 'measures', state: 'done', attempts: 0 },
    ]);
  });

  it('is taken again when the host is quiet, where something disturbed it', async () => {
    const task = await taskWith(300);
    const model = await submit(task);
    const driver = driverOf(answering(labelOf, { contended: true }));
    driver.quiet = false;
    await work(driver);
    expect(await measuresOf(model)).toMatchObject([{ contended: true, repeats: 1 }]);
    expect(await runsFor(model)).toMatchObject([
      { state: 'done' },
      { purpose: 'measures', state: 'queued', attempts: 0 },
    ]);
    expect(await world.state(model)).toMatchObject({ state: 'scored' });

    await work(driverOf(believer));

    expect(await measuresOf(model)).toMatchObject([{ contended: false, repeats: 1 }]);
    expect(await runsFor(model)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  });

  it('keeps a quiet measurement when a later one is contended, and the CPU time of the run that answered', async () => {
    const task = await taskWith(300);
    const model = await submit(task);
    const taking = (milliseconds: number, contended: boolean) =>
      driverOf(answering(labelOf, { contended, cpuSeconds: (requests) => (requests * milliseconds) / 1000 }));
    await work(taking(60, false));
    const [quiet] = await measuresOf(model);
    // 300 examples in 5 batches; the requests before them do not count
    expect(quiet!.cpu_time).toBeCloseTo((5 * 0.06) / 300, 9);

    await remeasure(model);
    await work(taking(6, true), { ...PATIENT, retakes: 0 });

    expect(await measurements(model)).toMatchObject([
      { measures: { contended: false } },
      { measures: { contended: true } },
    ]);
    const [after] = await measuresOf(model);
    expect(after).toMatchObject({ contended: false, repeats: 1, throughput: quiet!.throughput, memory: quiet!.memory });
    expect(after!.cpu_time).toBe(quiet!.cpu_time);
  });

  it('has no CPU time where the host has no counter', async () => {
    const model = await submit(await taskWith(200));
    await work(driverOf(answering(labelOf, { cpuSeconds: () => null })));

    expect(await measuresOf(model)).toMatchObject([{ cpu_time: null, throughput: expect.any(Number) }]);
  });

  it('is taken again three times in a row at most, and says that it is disturbed', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    await work(driverOf(answering(labelOf, { contended: true })));

    expect(await runsFor(model)).toHaveLength(4);
    expect(await measuresOf(model)).toMatchObject([{ contended: true, repeats: 1, spread: null }]);
  });

  it('is taken again by itself at most once a day, and at once if a user requests it', async () => {
    const model = await submit(await taskWith(200));
    const runs = runsOn(driverOf(answering(labelOf, { contended: true })));
    const first = (await world.runs(model))[0]!;
    await runs.execute(first.id, 'evaluation');
    await scoreWaiting(world.em, blobs);
    const again = (await world.runs(model))[1]!;
    expect(again).toMatchObject({ purpose: 'measures', state: 'queued', notBefore: null });
    expect(again.priority).toBe(RUN_PRIORITY.automatic);

    await runs.execute(again.id, 'evaluation');

    const tomorrow = (await world.runs(model))[2]!;
    expect(tomorrow).toMatchObject({ purpose: 'measures', state: 'queued', priority: RUN_PRIORITY.automatic });
    const hours = (tomorrow.notBefore!.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(tomorrow.deadline.getTime()).toBeGreaterThan(tomorrow.notBefore!.getTime());

    expect(await remeasure(model)).toBe(tomorrow.id);
    expect((await world.runs(model))[2]).toMatchObject({
      ...{ priority: RUN_PRIORITY.requested, notBefore: null, state: 'queued' },
    });
    await runs.leave();
    await work(driverOf(believer));
  });

  it('is repeated by itself only after models that wait for their scores, however long it has waited', async () => {
    const task = await world.task({ weights: { accuracy: 1, throughput: 1 } });
    await dataset(task, 'one', examples('one', 200));
    const model = await submit(task);
    const contended = runsOn(driverOf(answering(labelOf, { contended: true })));
    await contended.execute((await world.runs(model))[0]!.id, 'evaluation');
    await scoreWaiting(world.em, blobs);
    await contended.execute((await world.runs(model))[1]!.id, 'evaluation');
    const repetition = (await world.runs(model))[2]!;
    expect(repetition).toMatchObject({ state: 'queued', priority: RUN_PRIORITY.automatic });
    await submit(task);

    await runsOn(driverOf(believer), { ...PATIENT, patienceSeconds: 0 }).execute(repetition.id, 'evaluation');

    expect((await world.runs(model))[2]).toMatchObject({ state: 'queued' });
    await work(driverOf(believer));
    expect((await world.runs(model))[2]).toMatchObject({ state: 'done' });
  });

  it('is not waited for longer than its time: then it is taken as it is', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    const driver = driverOf(believer);
    await work(driver);
    await remeasure(model);
    driver.quiet = false;
    await work(driver);
    expect(await measurements(model)).toHaveLength(1);

    await work(driver, { ...PATIENT, patienceSeconds: 0 });
    expect(await measurements(model)).toHaveLength(2);
  });

  it('waits while another model is evaluated on the host', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    const driver = driverOf(believer);
    await work(driver);
    await remeasure(model);

    const other = await world.locks.measuring(new AbortController().signal);
    await work(driver);
    await other.release();
    expect((await runsFor(model))[1]).toEqual({ purpose: 'measures', state: 'queued', attempts: 0 });

    await work(driver);
    expect((await runsFor(model))[1]).toMatchObject({ state: 'done' });
  });

  it('lets models that wait for their scores go first', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    const driver = driverOf(believer);
    await work(driver);
    const measuring = await remeasure(model);
    const other = await submit(task);

    await runsOn(driver).execute(measuring, 'evaluation');
    expect(await runsFor(model)).toMatchObject([{}, { purpose: 'measures', state: 'queued' }]);

    await work(driver);
    expect(await world.state(other)).toMatchObject({ state: 'scored' });
    expect(await runsFor(model)).toMatchObject([{}, { purpose: 'measures', state: 'done' }]);
  });

  it('is measured before models that wait for their scores only where the board weighs it, after a while', async () => {
    const impatient = { ...PATIENT, patienceSeconds: 0 };
    for (const [metric, state] of [
      ['memory', 'queued'],
      ['throughput', 'done'],
    ] as const) {
      const task = await world.task({ weights: { accuracy: 1, [metric]: 1 } });
      await dataset(task, 'one', examples('one', 200));
      const model = await submit(task);
      const driver = driverOf(believer);
      await work(driver);
      const measuring = await remeasure(model);
      await submit(task);

      await runsOn(driver, impatient).execute(measuring, 'evaluation');

      expect(await runsFor(model)).toMatchObject([{}, { state }]);
      await work(driver);
    }
  });

  it('is measured for the first time before models that wait for their scores where the board weighs it, after a while', async () => {
    const task = await world.task({ weights: { accuracy: 1, latency_p95: 1 } });
    await dataset(task, 'one', examples('one', 200));
    const model = await submit(task);
    await runsOn(driverOf(answering(labelOf, { contended: true }))).execute(
      (await world.runs(model))[0]!.id,
      'evaluation',
    );
    await scoreWaiting(world.em, blobs);
    const first = (await world.runs(model))[1]!;
    expect(first).toMatchObject({ purpose: 'measures', priority: RUN_PRIORITY.automaticWeighed });
    const other = await submit(task);

    await runsOn(driverOf(believer)).execute(first.id, 'evaluation');
    expect((await world.runs(model))[1]).toMatchObject({ state: 'queued' });
    await runsOn(driverOf(believer), { ...PATIENT, patienceSeconds: 0 }).execute(first.id, 'evaluation');

    expect((await world.runs(model))[1]).toMatchObject({ state: 'done' });
    expect(await world.state(other)).toMatchObject({ state: 'queued' });
    await work(driverOf(believer));
  });

  it('waits for the runs in progress to end where models wait for it', async () => {
    const task = await world.task({ weights: { accuracy: 1, throughput: 1 } });
    await dataset(task, 'one', examples('one', 200));
    const model = await submit(task);
    await work(driverOf(believer));
    const measuring = await remeasure(model);
    await submit(task);
    const running = await world.locks.answering(new AbortController().signal);
    const locks: RunStagesParts['locks'] = {
      ...world.locks,
      measuring: async (...given) => {
        const [held] = await Promise.all([world.locks.measuring(...given), running.release()]);
        return held;
      },
    };

    const due = { ...PATIENT, patienceSeconds: 0 };
    await runsOn(driverOf(believer), due, { locks }).execute(measuring, 'evaluation');

    expect((await runsFor(model))[1]).toMatchObject({ purpose: 'measures', state: 'done' });
    await work(driverOf(believer));
  });

  describe('of a model that was evaluated for the first time', () => {
    const measureAfterSeconds = 600;
    const workAll = (driver: FakeSandboxDriver) => work(driver, PATIENT, { measureAfterSeconds });
    /** Evaluates the model, and does not measure it. */
    async function evaluate(model: Model, driver = driverOf(believer)): Promise<void> {
      const [run] = await world.runs(model);
      await runsOn(driver, PATIENT, { measureAfterSeconds }).execute(run!.id, 'evaluation');
      await scoreWaiting(world.em, blobs);
    }

    it('is measured once by itself, a while later', async () => {
      const task = await taskWith(200);
      const model = await submit(task);
      await evaluate(model);

      const [, first] = await world.runs(model);
      expect(first).toMatchObject({ purpose: 'measures', state: 'queued', priority: RUN_PRIORITY.automatic });
      const seconds = (first!.notBefore!.getTime() - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(500);
      expect(seconds).toBeLessThanOrEqual(600);
      expect(first!.deadline.getTime()).toBeGreaterThan(first!.notBefore!.getTime());
      expect(await measuresOf(model)).toMatchObject([{ provisional: true }]);

      await workAll(driverOf(believer));
      expect((await measuresOf(model))[0]).not.toHaveProperty('provisional');

      await dataset(task, 'two', examples('two', 200));
      await request(task, model);
      await workAll(driverOf(believer));
      expect(await runsFor(model)).toMatchObject([
        { purpose: 'evaluation', state: 'done' },
        { purpose: 'measures', state: 'done' },
        { purpose: 'evaluation', state: 'done' },
      ]);
    });

    it('is measured earlier than others where the board weighs it, and at once if a user requests it', async () => {
      const task = await world.task({ weights: { accuracy: 1, throughput: 1 } });
      await dataset(task, 'one', examples('one', 200));
      const model = await submit(task);
      await evaluate(model);
      expect((await world.runs(model))[1]).toMatchObject({ priority: RUN_PRIORITY.automaticWeighed });

      await remeasure(model);

      expect((await world.runs(model)).slice(1)).toMatchObject([
        { priority: RUN_PRIORITY.requestedWeighed, notBefore: null },
      ]);
      await workAll(driverOf(believer));
    });

    it('is measured once where the first measurement was contended and may not be repeated', async () => {
      const model = await submit(await taskWith(200));
      const contended = driverOf(answering(labelOf, { contended: true }));
      await work(contended, { ...PATIENT, retakes: 0 }, { measureAfterSeconds });
      expect(await runsFor(model)).toMatchObject([{ purpose: 'evaluation' }, { purpose: 'measures', state: 'done' }]);
    });

    it('is not measured again after it has failed, unless the platform has', async () => {
      for (const [failing, runs] of [
        [driverOf(fakeModel.exits(3)), 3],
        [Object.assign(driverOf(believer), { outage: 'the Docker engine does not answer' }), 4],
      ] as const) {
        const task = await taskWith(200);
        const model = await submit(task);
        await evaluate(model);
        await workAll(failing);
        expect((await runsFor(model))[1]).toMatchObject({ purpose: 'measures', state: 'failed' });

        await dataset(task, 'two', examples('two', 200));
        await request(task, model);
        await workAll(driverOf(believer));
        expect(await runsFor(model)).toHaveLength(runs);
      }
    });

    it('is not measured if it is withdrawn, or has failed meanwhile', async () => {
      const task = await taskWith(200);
      const other = await dataset(task, 'two', examples('two', 200));
      const [withdrawn, failed] = [await submit(task), await submit(task)];
      await act(withdrawn, (em, own) => requests.withdraw(em, own));
      await evaluate(withdrawn);
      expect(await runsFor(withdrawn)).toHaveLength(1);

      await evaluate(failed);
      await world.em.nativeUpdate(
        Evaluation,
        { specification: failed.specification!.id, datasetVersion: other.id },
        { state: 'failed', failure: failure('platform_failed', 'The dataset is unreadable.') },
      );
      await workAll(driverOf(believer));
      expect(await world.state(failed)).toMatchObject({ state: 'failed' });
      expect((await runsFor(failed))[1]).toMatchObject({ purpose: 'measures', state: 'cancelled' });
    });

    it('gives way to a model that waits for its scores while it is measured', async () => {
      const task = await taskWith(200);
      const model = await submit(task);
      await evaluate(model);
      const [, measuring] = await world.runs(model);
      let asked = 0;
      const slow: FakeModel = {
        ...believer,
        reply: async (body, signal) => {
          if (++asked === 10) {
            await submit(task);
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
          }
          return believer.reply(body, signal);
        },
      };

      await runsOn(driverOf(slow)).execute(measuring!.id, 'evaluation');

      expect((await world.runs(model))[1]).toMatchObject({
        ...{ state: 'queued', attempts: 0, interruptions: 0 },
        notBefore: expect.any(Date),
      });
      expect(await measurements(model)).toHaveLength(1);
      await work(driverOf(believer));
      expect((await runsFor(model))[1]).toMatchObject({ state: 'done' });
    });
  });

  describe('on a host where people ask target models', () => {
    /** Counts the requests to a model that is asked about after the first ten. */
    function asked(liveRequests: LiveRequests): FakeModel {
      let requests = 0;
      return {
        ...believer,
        reply: async (body, signal) => {
          if (++requests === 10) await liveRequests.during(() => Promise.resolve());
          return believer.reply(body, signal);
        },
      };
    }

    it('is interrupted by a request and measured again, and the third time it is marked', async () => {
      const task = await taskWith(300);
      const model = await submit(task);
      await work(driverOf(believer));
      const run = await remeasure(model);
      const before = await measuresOf(model);

      for (const interruptions of [1, 2]) {
        const liveRequests = new LiveRequests();
        const driver = driverOf(asked(liveRequests));
        await runsOn(driver, PATIENT, { liveRequests }).execute(run, 'evaluation');

        expect(driver.running.size).toBe(0);
        const [, queued] = await world.runs(model);
        expect(queued).toMatchObject({ state: 'queued', attempts: 0, interruptions, notBefore: expect.any(Date) });
        expect(await measurements(model)).toHaveLength(1);
        expect(await measuresOf(model)).toEqual(before);
      }

      const liveRequests = new LiveRequests();
      await runsOn(driverOf(asked(liveRequests)), { ...PATIENT, retakes: 0 }, { liveRequests }).execute(
        run,
        'evaluation',
      );
      expect(await measurements(model)).toMatchObject([{}, { measures: { contended: true } }]);
      expect((await world.runs(model))[1]).toMatchObject({ state: 'done', attempts: 0 });
    });

    it('is measured only when nobody has asked for two minutes', async () => {
      const model = await submit(await taskWith(200));
      const driver = driverOf(believer);
      await work(driver);
      await remeasure(model);
      let now = 0;
      const liveRequests = new LiveRequests(() => now);
      await liveRequests.during(() => Promise.resolve());
      const due = { ...PATIENT, patienceSeconds: 0 };

      now = 119_000;
      await work(driver, due, { liveRequests });
      expect((await runsFor(model))[1]).toMatchObject({ state: 'queued', attempts: 0 });

      now = 120_000;
      await work(driver, due, { liveRequests });
      expect((await runsFor(model))[1]).toMatchObject({ state: 'done' });
    });
  });

  it('changes neither state nor scores where the model fails while it is measured', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    await work(driverOf(believer));
    const before = await world.cells(model);
    await remeasure(model);

    await work(driverOf(fakeModel.exits(3, 'Traceback')));

    expect(await world.state(model)).toMatchObject({ state: 'scored', failure: null });
    expect((await world.cells(model)).map(({ state, measures }) => ({ state, measures }))).toEqual(
      before.map(({ state, measures }) => ({ state, measures })),
    );
    expect((await world.runs(model))[1]).toMatchObject({ state: 'failed', failure: { code: 'model_exited' } });
  });

  it('does not count where the model answers otherwise than when it was scored', async () => {
    const task = await taskWith(400);
    const model = await submit(task);
    await work(driverOf(believer));
    const [before] = await world.cells(model);
    await remeasure(model);

    // fast, and consistent with itself in everything that is asked now
    await work(driverOf(answering(() => 'positive')));

    const [after] = await world.cells(model);
    expect(after!.measures).toEqual(before!.measures);
    expect(await world.state(model)).toMatchObject({ state: 'scored', failure: null });
    expect((await world.runs(model))[1]).toMatchObject({
      state: 'failed',
      failure: { code: 'inconsistent', message: expect.stringContaining('200 of 400 examples differently') },
    });
  });

  it('counts where a model answers no more otherwise than it is known for', async () => {
    // 200 of them are repeated: enough that this model does not look like another one by chance
    const task = await taskWith(4000);
    const model = await submit(task);
    let starts = 0;
    // a third of its answers change with each start
    const moody = () =>
      new FakeSandboxDriver(() => {
        const mood = String(starts++ % 3);
        return answering((text) => (text.includes(mood) ? 'positive' : labelOf(text)));
      });
    await work(moody());
    await remeasure(model);
    await work(moody());

    expect((await world.runs(model))[1]).toMatchObject({ state: 'done' });
    expect(await measuresOf(model)).toMatchObject([{ repeats: 1, throughput: expect.any(Number) }]);
  });

  describe('asks no input twice when it is measured again', () => {
    /** Counts the inputs that models are asked, and those that come a second time in one sandbox. */
    function counting(labels: (instance: object) => string) {
      const counted = { asked: 0, repeated: 0 };
      const driver = new FakeSandboxDriver(() => {
        const seen = new Set<string>();
        return fakeModel.answers((request) => {
          const { instances } = request as { instances: object[] };
          counted.asked += instances.length;
          counted.repeated += instances.filter((each) => seen.size === seen.add(JSON.stringify(each)).size).length;
          return { predictions: instances.map(labels) };
        });
      });
      return { counted, driver };
    }

    it('so that a cache of answers gains nothing: variants of the texts fill the passes', async () => {
      const model = await submit(await taskWith(60));
      await work(driverOf(believer));
      await remeasure(model);
      const { counted, driver } = counting((instance) => labelOf((instance as { text: string }).text));

      await work(driver);

      expect(counted.repeated).toBe(0);
      expect(counted.asked).toBeGreaterThan(2_000);
      const [measures] = await measuresOf(model);
      expect(measures).toMatchObject({ repeats: 1, latency_count: 662 });
      expect(measures).not.toHaveProperty('short');
    });

    it('and marks the throughput as short if there are no variants', async () => {
      const task = await world.task({ inputs: [{ name: 'stars', type: 'number' }] });
      const rows = Array.from({ length: 300 }, (_, stars) => ({ id: `${stars}`, stars, label: 'positive' }));
      await dataset(task, 'stars', rows);
      const model = await submit(task);
      const { counted, driver } = counting(() => 'positive');
      await work(
        driverOf(
          fakeModel.answers((request) => ({
            predictions: (request as { instances: unknown[] }).instances.map(() => 'positive'),
          })),
        ),
      );
      await remeasure(model);

      await work(driver);

      expect(counted).toEqual({ asked: 300, repeated: 0 });
      expect(await measuresOf(model)).toMatchObject([{ short: true, throughput: expect.any(Number) }]);
    });
  });

  it('blames nobody where the platform fails three times, and leaves the cells', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    const driver = driverOf(believer);
    await work(driver);
    await remeasure(model);
    driver.outage = 'the Docker engine does not answer';

    await work(driver);

    expect((await world.runs(model))[1]).toMatchObject({ state: 'failed', failure: { code: 'platform_failed' } });
    expect(await world.state(model)).toMatchObject({ state: 'scored' });
    expect(await world.cells(model)).toMatchObject([{ state: 'scored' }]);
  });

  it('does not stand in the way of another dataset, whose costs are its own', async () => {
    const task = await taskWith(200);
    const model = await submit(task);
    const driver = driverOf(believer);
    await work(driver);
    const [before] = await measuresOf(model);
    await remeasure(model);
    await dataset(task, 'two', examples('two', 200));
    const { run } = await request(task, model);

    expect(run).not.toBeNull();
    expect(await world.state(model)).toMatchObject({ state: 'queued' });
    driver.quiet = false;
    await work(driver);

    expect(await world.state(model)).toMatchObject({ state: 'scored' });
    const [one, two] = await measuresOf(model);
    expect(one).toEqual(before);
    expect(two).toMatchObject({ repeats: 1 });
    expect(two!.throughput).not.toBe(one!.throughput);

    driver.quiet = true;
    await work(driver);
    const [last] = (await measurements(model)).slice(-1);
    const { throughput } = last!.measures;
    expect(await measuresOf(model)).toMatchObject([{ throughput }, { throughput }]);
  });

  it('is not measured any more once the model is cancelled, withdrawn or without its artifact', async () => {
    const task = await taskWith(100);
    const driver = driverOf(believer);
    const [cancelled, withdrawn, archived] = [await submit(task), await submit(task), await submit(task)];
    await work(driver);
    for (const model of [cancelled, withdrawn, archived]) await remeasure(model);

    await act(cancelled, (em, own) => requests.cancel(em, own));
    await act(withdrawn, (em, own) => requests.withdraw(em, own));
    await world.em.execute(`update artifact set archived_at = now() where id = ?`, [
      (await world.em.findOneOrFail(RunSpecification, archived.specification!.id)).artifact.id,
    ]);
    const starts = driver.started.length;
    await work(driver);

    for (const model of [cancelled, withdrawn, archived]) {
      expect((await runsFor(model))[1]).toMatchObject({ purpose: 'measures', state: 'cancelled' });
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
    }
    expect(driver.started).toHaveLength(starts);
    await expect(act(cancelled, (em, own) => requests.cancel(em, own))).rejects.toMatchObject({
      code: 'nothing_to_cancel',
    });
    await expect(remeasure(archived)).rejects.toMatchObject({ code: 'artifact_archived' });
  });

  it('continues where another model of the same specification has use for it', async () => {
    const task = await taskWith(100);
    const driver = driverOf(believer);
    const model = await submit(task);
    const { digest } = (
      await world.em.findOneOrFail(RunSpecification, model.specification!.id, { populate: ['artifact'] })
    ).artifact;
    const twin = await world.model(task, { digest, admitted: true });
    await request(task, twin);
    await work(driver);
    await remeasure(model);

    await act(model, (em, own) => requests.withdraw(em, own));
    expect((await runsFor(model))[1]).toMatchObject({ state: 'queued' });
    await act(twin, (em, own) => requests.withdraw(em, own));
    expect((await runsFor(model))[1]).toMatchObject({ state: 'cancelled' });
  });

  it('is refused for what is not scored, and for predictions', async () => {
    const task = await taskWith(100);
    const waiting = await submit(task);
    await expect(remeasure(waiting)).rejects.toMatchObject({ code: 'not_scored' });
    await work(driverOf(believer));
    const rows = examples('one', 100) as { id: string; label: string }[];
    const { digest } = await put(
      rows.map(({ id, label }) => JSON.stringify({ dataset: 'one', id, prediction: label })).join('\n'),
    );
    const predictions = await world.model(task, { digest, kind: 'predictions' });
    await request(task, predictions);
    await work(driverOf(believer));
    await expect(remeasure(predictions)).rejects.toMatchObject({ code: 'nothing_to_measure' });
  });

  it('keeps the cells where the run that measures is not done by its deadline', async () => {
    const task = await taskWith(100);
    const model = await submit(task);
    await work(driverOf(believer));
    const run = await remeasure(model);
    await world.em.execute(`update run set deadline = now() - interval '1 second' where id = ?`, [run]);

    const jobs = {
      enqueue: () => Promise.resolve(),
      isLive: () => Promise.resolve(true),
      liveIds: () => Promise.resolve(new Set<string>()),
    };
    await new Reconciler(world.em, jobs).reconcile();

    expect((await world.runs(model))[1]).toMatchObject({ state: 'failed', failure: { code: 'deadline_passed' } });
    expect(await world.cells(model)).toMatchObject([{ state: 'scored' }]);
    expect(await world.state(model)).toMatchObject({ state: 'scored' });
  });

  it('is that of the originals: perturbed examples are asked about, and not timed', async () => {
    const task = await taskWith(200);
    const perturbed = await dataset(task, 'one~robustness', examples('PERTURBED', 100));
    await world.transaction(async (em) => {
      const version = await em.findOneOrFail(DatasetVersion, perturbed.id);
      const original = await em.findOneOrFail(DatasetVersion, { dataset: { name: 'one', task: task.id } });
      version.original = original;
    });
    const single: string[] = [];
    const spy = answering(labelOf);
    const model = await submit(task);
    await work(
      driverOf({
        ...spy,
        reply: (body, signal) => {
          const { instances } = JSON.parse(body.toString()) as { instances: { text: string }[] };
          if (instances.length === 1) single.push(instances[0]!.text);
          return spy.reply(body, signal);
        },
      }),
    );

    expect(await world.cells(model)).toMatchObject([{ state: 'scored' }, { state: 'scored' }]);
    expect(single.filter((text) => text.startsWith('PERTURBED'))).toEqual([]);
    expect(single.length).toBeGreaterThan(64);
  });

  describe('whether it answers the same twice', () => {
    const repeatability = async (model: Model) =>
      (await world.em.findOneOrFail(RunSpecification, model.specification!.id)).repeatability;

    it('is asked about a twentieth of the examples in a fresh container, all runs together', async () => {
      const task = await taskWith(400);
      const model = await submit(task);
      await work(driverOf(believer));
      expect(await repeatability(model)).toEqual({ compared: 20, different: 0 });

      await dataset(task, 'two', examples('two', 10_000));
      await request(task, model);
      await work(driverOf(believer));
      expect(await repeatability(model)).toEqual({ compared: 220, different: 0 });
    });

    it('marks a model that another start makes another', async () => {
      const task = await taskWith(400);
      const model = await submit(task);
      let starts = 0;
      await work(
        new FakeSandboxDriver(() => {
          const turned = ++starts > 1;
          const other = (text: string) => (labelOf(text) === 'positive' ? 'negative' : 'positive');
          // 157 of the 400 texts have such a number
          return answering((text) => (turned && text.includes('1') ? other(text) : labelOf(text)));
        }),
      );

      const found = await repeatability(model);
      expect(found!.compared).toBe(20);
      expect(found!.different).toBeGreaterThan(0);
      expect(found!.different).toBeLessThan(20);
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
    });

    it('lets probabilities move by a thousandth, as sums of floats do', async () => {
      const task = await taskWith(400);
      const moved = async (by: number) => {
        const model = await submit(task);
        let starts = 0;
        await work(
          new FakeSandboxDriver(() => {
            const positive = 0.7 + (++starts > 1 ? by : 0);
            return answering(() => ({ label: 'positive', probabilities: { positive, negative: 1 - positive } }));
          }),
        );
        return repeatability(model);
      };
      expect(await moved(0.0009)).toEqual({ compared: 20, different: 0 });
      expect(await moved(0.002)).toEqual({ compared: 20, different: 20 });
    });

    it('is not known where a second container fails: that is said, and the next run tries again', async () => {
      const task = await taskWith(400);
      const model = await submit(task);
      let starts = 0;
      await work(new FakeSandboxDriver(() => (++starts > 1 ? fakeModel.exits(7) : believer)));
      expect(await repeatability(model)).toEqual({
        compared: 0,
        different: 0,
        why: 'A second container failed. During startup, it exited with code 7.',
      });
      expect(await world.state(model)).toMatchObject({ state: 'scored' });

      await remeasure(model);
      await work(driverOf(believer));
      expect(await repeatability(model)).toEqual({ compared: 20, different: 0 });
    });
  });
});
