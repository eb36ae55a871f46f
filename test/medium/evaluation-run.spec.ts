import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TaskDefinitionInput, TaskLimits } from '@assay/contracts/tasks';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { type Run, RunLeases } from '@assay/evaluation/runs';
import { fakeModel, FakeSandboxDriver, type FakeModel } from '@assay/sandbox';
import { readPredictions } from '@assay/storage';
import type { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EvaluationRuns, type RunStages } from '@assay/evaluation/execution';
import type { RunStagesParts } from '../factories/worlds/run-stages.js';
import { allStages } from '../factories/worlds/all-stages.js';
import { scoreWaiting } from '../factories/worlds/answer-scoring.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';
import { bundleFiles, bundleOf } from '../factories/hostile/hostile-bundles.js';
import { savedImageFiles, tarOf } from '../factories/models/submitted-images.js';
import { until } from '../factories/until.js';

interface Row {
  readonly id: string;
  readonly text: string;
  readonly label: string;
  readonly tags?: readonly string[];
}

/**
 * Returns examples of which every fourth is labelled against its words, so a model that follows the
 * words is right on three of four.
 */
const examples = (name: string, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => {
    const positive = index % 2 === 0;
    const label = (index % 4 === 3) === positive ? 'negative' : 'positive';
    return {
      id: `${name}-${index}`,
      text: `${name} ${index} ${positive ? 'good' : 'bad'}`,
      label: index % 4 === 3 ? (positive ? 'negative' : 'positive') : positive ? 'positive' : label,
      tags: index % 4 === 3 ? ['turned', 'all'] : ['all'],
    };
  });

const believer = fakeModel.answers((request) => ({
  predictions: (request as { instances: { text: string }[] }).instances.map(({ text }) =>
    text.endsWith('good') ? 'positive' : 'negative',
  ),
}));

/**
 * Returns a model that answers like `believer`, with each answer replaced by the result of
 * `change`.
 */
const answering = (change: (answer: string, text: string) => unknown): FakeModel =>
  fakeModel.answers((request) => ({
    predictions: (request as { instances: { text: string }[] }).instances.map(({ text }) =>
      change(text.endsWith('good') ? 'positive' : 'negative', text),
    ),
  }));

describe('a run through the evaluator', () => {
  Logger.overrideLogger(false);
  const requests = new EvaluationRequests();
  const measuring = { retakes: 3, patienceSeconds: 600 };
  let world: EvaluationWorld;
  let folder: string;
  let blobs: EvaluationWorld['blobs'];
  beforeAll(async () => {
    world = await EvaluationWorld.create();
    ({ folder, blobs } = world);
  });
  afterAll(() => world.close());
  const left: string[] = [];
  afterEach(async () => {
    left.push(...(await readdir(join(folder, 'work')).catch(() => [])));
    expect(left).toEqual([]);
  });

  const put = (text: string) => blobs.put(Readable.from([Buffer.from(text)]));

  async function dataset(
    task: Task,
    name: string,
    rows: readonly object[],
    given: Parameters<EvaluationWorld['dataset']>[2] = {},
  ): Promise<DatasetVersion> {
    const { digest } = await put(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
    return world.dataset(task, name, { content: digest, examples: rows.length, ...given });
  }

  /** Submits `model` and works until nothing is queued. */
  async function evaluated(
    task: Task,
    model: FakeModel,
    driver = driverOf(model),
    more: Partial<RunStagesParts> = {},
  ): Promise<Model> {
    const { model: submitted } = await waiting(task, `artifact ${Math.random()}`);
    await work(driver, more);
    return submitted;
  }

  const driverOf = (model: FakeModel) => new FakeSandboxDriver(() => model);
  const workFolder = () => join(folder, 'work');

  function stagesOf(driver: FakeSandboxDriver, more: Partial<RunStagesParts> = {}): RunStages {
    const runner = () => Promise.reject(new Error('there is no engine here'));
    const { em, locks } = world;
    return allStages({ em, driver, runner, blobs, workFolder: workFolder(), measuring, locks, ...more });
  }

  /**
   * Submits a model and leaves its evaluation in the queue.
   * @returns The model, and the ID of its run.
   */
  async function waiting(task: Task, artifact: string): Promise<{ readonly model: Model; readonly run: string }> {
    const { digest } = await put(artifact);
    const model = await world.model(task, { digest, admitted: true });
    const { run } = await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    return { model, run: run! };
  }

  async function work(driver: FakeSandboxDriver, more: Partial<RunStagesParts> = {}): Promise<void> {
    const runs = new EvaluationRuns(
      world.em,
      new RunLeases(world.em, 'evaluator'),
      stagesOf(driver, more),
      workFolder(),
    );
    for (let turn = 0; turn < 10; turn++) {
      const [next] = await world.em.execute<{ id: string; stage: 'admission' | 'evaluation' }[]>(
        `select id, stage from run where state = 'queued' limit 1`,
      );
      if (!next) break;
      await runs.execute(next.id, next.stage);
    }
    await scoreWaiting(world.em, blobs);
    expect(driver.running.size).toBe(0);
  }

  const task = (definition: Partial<TaskDefinitionInput> = {}) =>
    world.task({ metrics: ['accuracy', 'macro_f1'], slices: ['tags'], ...definition });

  it('gives every dataset its metrics, slices, measures and predictions in the order of the dataset', async () => {
    const it = await task();
    const rows = examples('one', 400);
    await dataset(it, 'one', rows);
    await dataset(it, 'two', examples('two', 12));
    const driver = driverOf(believer);

    const model = await evaluated(it, believer, driver);

    expect(await world.state(model)).toMatchObject({ state: 'scored', failure: null });
    const [one, two] = await world.cells(model);
    expect(one).toMatchObject({
      state: 'scored',
      invalid: 0,
      metrics: { accuracy: { value: 0.75 } },
      slices: { tags: { turned: { n: 100, metrics: { accuracy: { value: 0 } } }, all: { n: 400 } } },
      measures: { latency_count: 206, hardware: 'fake · 1 cpu · runc', memory: 0.0625, contended: false },
    });
    expect(two).toMatchObject({ state: 'scored', metrics: { accuracy: { value: 0.75 } } });
    expect(two!.measures).toEqual(one!.measures);
    expect(one!.measures!.throughput).toBeGreaterThan(0);
    expect(one!.measures!.latency_p95).toBeGreaterThan(0);
    expect(one!.measures!.latency_p99).toBeNull();
    // the second container checks whether the answers repeat
    expect(driver.started).toHaveLength(2);
    expect(driver.started[0]).toMatchObject({ port: 8080, limits: { memory: 4 * 2 ** 30 } });

    const answers: (string | null)[] = [];
    for await (const batch of readPredictions(await blobs.path(one!.predictions!))) answers.push(...batch.answers);
    expect(answers).toEqual(rows.map(({ text }) => (text.endsWith('good') ? 'positive' : 'negative')));
    expect(await world.events('board.stale')).toContainEqual({ taskId: it.id });
  });

  it('sends the input fields alone, in batches of 64 at most, in another order than that of the dataset', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 300));
    const seen: { text: string }[][] = [];
    const spy = fakeModel.answers((request) => {
      const { instances } = request as { instances: { text: string }[] };
      seen.push(instances);
      return { predictions: instances.map(() => 'positive') };
    });

    await evaluated(it, spy);

    expect(new Set(seen.flat().flatMap((instance) => Object.keys(instance)))).toEqual(new Set(['text']));
    expect(Math.max(...seen.map((instances) => instances.length))).toBe(64);
    const offline = seen
      // the last request repeats some of them in a second container
      .slice(-6, -1)
      .flat()
      .map(({ text }) => text);
    expect(new Set(offline).size).toBe(300);
    expect(offline).not.toEqual(examples('one', 300).map(({ text }) => text));
    const single = seen
      .filter((instances) => instances.length === 1)
      .slice(1)
      .flat();
    expect(new Set(single.map(({ text }) => text)).size).toBe(single.length);
  });

  it('does nothing twice: the same specification starts no sandbox', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 8));
    const { digest } = await put('the same artifact');
    const driver = driverOf(believer);
    for (let round = 0; round < 2; round++) {
      const model = await world.model(it, { digest, admitted: true });
      await world.transaction((em) => requests.requestMissing(em, it, model.specification!));
      await work(driver);
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
    }

    // both in the first round: one to evaluate, one to compare
    expect(driver.started).toHaveLength(2);
  });

  it.each<[string, FakeModel, string, RegExp]>([
    [
      'exits at its start',
      fakeModel.exits(3, 'Traceback'),
      'model_exited',
      /^During startup, it exited with code 3\.$/,
    ],
    ['is never ready', fakeModel.neverReady(), 'never_ready', /not ready within 120 s: GET \/ping answered 503\./],
    [
      'answers another status',
      fakeModel.fails({ kind: 'status', status: 500, body: 'oops' }),
      'http_status',
      /status 500: oops\.$/,
    ],
    ['redirects', fakeModel.fails({ kind: 'redirected', status: 307 }), 'redirected', /redirect 307/],
    ['encodes', fakeModel.fails({ kind: 'encoded', encoding: 'gzip' }), 'response_encoded', /"gzip"/],
    [
      'hangs up',
      fakeModel.fails({ kind: 'disconnected', why: 'The connection ended' }),
      'connection_lost',
      /the connection ended\.$/,
    ],
    ['answers too much', fakeModel.tooLarge(10_000_000), 'response_too_large', /an answer exceeded the limit of /],
    ['answers no JSON', fakeModel.answersBytes(Buffer.from('<html>')), 'invalid_json', /is not valid JSON/],
    ['answers something else', fakeModel.answers(() => ({ outputs: [] })), 'invalid_response', /no list "predictions"/],
    [
      'answers too few',
      fakeModel.answers(() => ({ predictions: [] })),
      'wrong_length',
      /^The model returned 0 predictions for a batch of \d+/,
    ],
    [
      'answers an unknown label',
      answering(() => 'maybe'),
      'unknown_label',
      /^predictions\[\d+\] of a batch of \d+ \(index \d+ of 200 examples\) is "maybe", which is not one/,
    ],
    ['answers null', answering(() => null), 'invalid_prediction', /is "null", not a label/],
    ['answers infinity', fakeModel.answersBytes(Buffer.from('{"predictions":[]}')), 'wrong_length', /./],
    [
      'gives odd probabilities',
      answering((label) => ({ label, probabilities: { positive: 0.9, negative: 0.9 } })),
      'invalid_probabilities',
      /sum to 1\.80000, not 1/,
    ],
    [
      'dies of memory',
      fakeModel.exitsAfter(30, 137, believer),
      'model_exited',
      /^In the latency pass, after 27 single requests, it exited with code 137/,
    ],
  ])('fails a model that %s', async (_, model, code, sentence) => {
    const it = await task();
    await dataset(it, 'one', examples('one', 200));

    const submitted = await evaluated(it, model);

    const { state, failure } = await world.state(submitted);
    expect({ state, code: failure?.code }).toEqual({ state: 'failed', code });
    expect(failure).toMatchObject({ fault: 'model', message: expect.stringMatching(sentence) });
    expect(await world.cells(submitted)).toMatchObject([{ state: 'failed', metrics: null }]);
  });

  it('refuses a label that is not the most probable one only where the task demands it, and counts it elsewhere', async () => {
    const contradicting = answering(() => ({ label: 'positive', probabilities: { positive: 0.3, negative: 0.7 } }));
    const [strict, lenient] = [await task({ strictProbabilities: true }), await task()];
    for (const each of [strict, lenient]) await dataset(each, 'one', examples('one', 40));

    const refused = await evaluated(strict, contradicting);
    expect(await world.state(refused)).toMatchObject({
      state: 'failed',
      failure: {
        code: 'label_not_top',
        fault: 'model',
        message: expect.stringContaining('is "positive", but its probabilities make "negative" more probable'),
      },
    });

    const accepted = await evaluated(lenient, contradicting);
    expect(await world.state(accepted)).toMatchObject({ state: 'scored' });
    expect(await world.cells(accepted)).toMatchObject([{ labelDiffers: 40 }]);
  });

  it('says after how many examples a model died, and fails what it could not be asked any more', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 128));
    await dataset(it, 'two', examples('two', 640));
    await dataset(it, 'zwei', examples('zwei', 10));
    let batches = 0;
    const dies: FakeModel = {
      ...believer,
      reply: (body, signal) =>
        body.includes('"text":"two') && body.length > 500 && ++batches > 6
          ? { kind: 'exceeded', limit: 'memory', amount: 4 * 2 ** 30 }
          : believer.reply(body, signal),
    };

    const model = await evaluated(it, dies);

    expect(await world.cells(model)).toMatchObject([{ state: 'scored' }, { state: 'failed' }, { state: 'failed' }]);
    const { failure } = await world.state(model);
    expect(failure!.code).toBe('out_of_memory');
    expect(failure!.message).toMatch(/^After \d+ of 640 examples, it used up all 4 GiB of memory/);
  });

  it('continues to the next dataset after a bad answer', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 20));
    await dataset(it, 'two', examples('two', 20));

    const model = await evaluated(
      it,
      answering((answer, text) => (text.startsWith('one 7 ') ? 'maybe' : answer)),
    );

    expect(await world.cells(model)).toMatchObject([{ state: 'failed' }, { state: 'scored' }]);
    const { failure } = await world.state(model);
    expect(failure!.message).toContain('(index 7 of 20 examples) is "maybe"');
  });

  it('shows nothing of an answer to hidden inputs, nor what the model wrote since', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 20), { visibility: 'hidden' });
    let output = 'loading';
    const leaks: FakeModel = {
      ...answering((_, text) => text),
      get output() {
        return output;
      },
    };
    const reply = leaks.reply.bind(leaks);
    leaks.reply = (body, signal) => {
      output = `loading\n${body.toString()}`;
      return reply(body, signal);
    };

    const model = await evaluated(it, leaks);

    const { failure } = await world.state(model);
    expect(failure).toMatchObject({
      code: 'unknown_label',
      message:
        'It failed on hidden data (unknown_label). The details and the log are withheld, as they could reveal hidden examples.',
    });
    const [run] = await world.runs(model);
    expect(run).toMatchObject({ log: null, withheldBytes: Buffer.byteLength(output) });
  });

  it('counts bad answers within the tolerance as wrong', async () => {
    const it = await task({ limits: { tolerance: 0.1 } });
    await dataset(it, 'one', examples('one', 40));
    const sometimes = (share: number) =>
      answering((answer, text) => (Number(text.split(' ')[1]) % share === 0 ? 'maybe' : answer));

    const tolerated = await evaluated(it, sometimes(10));
    expect(await world.cells(tolerated)).toMatchObject([
      { state: 'scored', invalid: 4, metrics: { accuracy: { value: 0.65 } } },
    ]);
    const refused = await evaluated(it, sometimes(5));
    expect(await world.state(refused)).toMatchObject({ state: 'failed', failure: { code: 'unknown_label' } });
  });

  it('fails a model that answers differently alone than in a batch', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 100));
    const fickle = fakeModel.answers((request) => {
      const { instances } = request as { instances: unknown[] };
      return { predictions: instances.map(() => (instances.length === 1 ? 'positive' : 'negative')) };
    });

    expect(await world.state(await evaluated(it, fickle))).toMatchObject({
      state: 'failed',
      failure: { code: 'inconsistent' },
    });
  });

  it('fails a model that answers single requests with a constant, and repeats it in batches', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 400));
    const timed = new Set<string>();
    const forger = fakeModel.answers((request) => {
      const { instances } = request as { instances: { text: string }[] };
      if (instances.length === 1) timed.add(instances[0]!.text);
      return {
        // the label of three examples in four is positive
        predictions: instances.map(({ text }) =>
          timed.has(text) || Number(text.split(' ')[1]) % 4 === 1 ? 'negative' : 'positive',
        ),
      };
    });

    expect(await world.state(await evaluated(it, forger))).toMatchObject({
      state: 'failed',
      failure: { code: 'inconsistent', message: expect.stringContaining('single, timed requests') },
    });
  });

  it.each(['container', 'onnx'] as const)(
    'gives up a %s that takes too long to read, and lets another host try',
    async (kind) => {
      const it = await task();
      await dataset(it, 'one', examples('one', 4));
      const layer = await tarOf(Array.from({ length: 2000 }, (_, index) => ({ name: `${index}`, content: 'x' })));
      const artifacts = {
        container: () => tarOf(savedImageFiles({ layers: [{ tar: layer }] })),
        onnx: () => bundleOf(bundleFiles()),
      };
      const { digest } = await blobs.put(Readable.from([await artifacts[kind]()]));
      const submit = async (): Promise<Model> => {
        const model = await world.model(it, { digest, kind });
        await world.transaction((em) => requests.requestMissing(em, it, model.specification!));
        return model;
      };
      const slow = await submit();

      await work(driverOf(believer), { readingSeconds: () => 0 });

      expect(await world.state(slow)).toMatchObject({
        state: 'failed',
        failure: { code: 'reading_timeout', fault: 'model', message: 'Reading the artifact took more than 0 s.' },
      });
      expect(await blobs.size(digest)).toBeGreaterThan(0);
      const [artifact] = await world.em.execute<unknown[]>('select state from artifact where digest = ?', [digest]);
      expect(artifact).toEqual({ state: 'received' });
    },
  );

  it('lowers the limits of a task to the ceilings of its host', async () => {
    const it = await task({
      limits: { memory: '900TiB', cpus: 64, unpacked: '10TiB', evaluationSeconds: 604_800 },
    });
    await dataset(it, 'one', examples('one', 4));
    const driver = driverOf(believer);
    const { model, run } = await waiting(it, 'greedy');
    const ceilings = { ...TaskLimits.parse({}), memory: 2 ** 30, cpus: 2 };
    const leases = new RunLeases(world.em, 'evaluator');

    await new EvaluationRuns(world.em, leases, stagesOf(driver), workFolder(), { ceilings }).execute(run, 'evaluation');
    await scoreWaiting(world.em, blobs);

    expect(await world.state(model)).toMatchObject({ state: 'scored' });
    expect(driver.started[0]!.limits).toMatchObject({ memory: 2 ** 30, cpus: 2, pids: 256 });
    const [{ deadline, startedAt }] = (await world.runs(model)) as [Run];
    expect(deadline.getTime() - startedAt!.getTime()).toBeLessThan(24 * 3_600_000);
    const [specification] = await world.em.execute<{ memory: number }[]>(
      `select (s.content -> 'limits' ->> 'memory')::float8 as memory from run_specification s where s.id = ?`,
      [model.specification!.id],
    );
    expect(specification!.memory).toBe(900 * 2 ** 40);
  });

  it('waits with hidden data for its turn, and with no other', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 4));
    const hidden = await task();
    await dataset(hidden, 'one', examples('one', 4), { visibility: 'hidden' });
    const driver = driverOf(believer);
    const runs = new EvaluationRuns(world.em, new RunLeases(world.em, 'evaluator'), stagesOf(driver), workFolder());
    const open = await waiting(it, 'open');
    const closed = await waiting(hidden, 'closed');

    const turn = await world.locks.tryHidden([hidden.owner.id]);
    for (const { run } of [closed, open]) await runs.execute(run, 'evaluation');
    await scoreWaiting(world.em, blobs);

    expect(await world.state(open.model)).toMatchObject({ state: 'scored' });
    expect(await world.state(closed.model)).toMatchObject({ state: 'queued', failure: null });
    expect(driver.started.filter(({ data }) => data === 'hidden')).toEqual([]);

    await turn!.release();
    await runs.execute(closed.run, 'evaluation');
    await scoreWaiting(world.em, blobs);
    expect(await world.state(closed.model)).toMatchObject({ state: 'scored' });
    expect(driver.started.filter(({ data }) => data === 'hidden').length).toBeGreaterThan(0);
  });

  it('turns away a model that is too slow to end in time', async () => {
    const it = await task({ limits: { evaluationSeconds: 8 } });
    await dataset(it, 'one', examples('one', 64_000));

    const { failure } = await world.state(await evaluated(it, fakeModel.slow(100, believer)));

    expect(failure!.code).toBe('too_slow');
    expect(failure!.message).toMatch(/^At [\d,]+ examples\/s, the evaluation needs \d+ s\. The limit is 8 s\.$/);
  });

  it('ends a model that becomes slow when its time is over', async () => {
    const it = await task({ limits: { evaluationSeconds: 4 } });
    await dataset(it, 'one', examples('one', 400));
    let asked = 0;
    const tires: FakeModel = {
      ...believer,
      reply: async (body, signal) => {
        if (++asked > 205) await new Promise((resolve) => setTimeout(resolve, 1600));
        return believer.reply(body, signal);
      },
    };

    const { failure } = await world.state(await evaluated(it, tires));

    expect(failure!.code).toBe('evaluation_timeout');
    expect(failure!.message).toMatch(/the evaluation reached its time limit of 4 s\.$/);
  });

  it('blames a dataset that cannot be read on the task', async () => {
    const it = await task();
    await dataset(it, 'one', [{ id: '1', text: 'good' }]);
    await dataset(it, 'two', examples('two', 10));

    const model = await evaluated(it, believer);

    expect(await world.state(model)).toMatchObject({ failure: { code: 'dataset_unavailable', fault: 'task' } });
    expect(await world.cells(model)).toMatchObject([{ state: 'failed' }, { state: 'scored' }]);
  });

  it('never blames the model for an engine that does not answer', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 10));
    const driver = driverOf(believer);
    driver.outage = 'the Docker engine does not answer';

    const model = await evaluated(it, believer, driver);

    expect(await world.state(model)).toMatchObject({
      state: 'failed',
      failure: { code: 'platform_failed', fault: 'platform' },
    });
    expect(await world.runs(model)).toMatchObject([{ fence: 3 }]);
  });

  it('puts a run back as it was when the evaluator has to leave', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 500));
    const { model, run } = await waiting(it, 'left in the middle');
    const driver = driverOf(fakeModel.slow(50, believer));
    const runs = new EvaluationRuns(world.em, new RunLeases(world.em, 'leaving'), stagesOf(driver), workFolder());

    const done = runs.execute(run, 'evaluation');
    await until(() => driver.running.size > 0);
    expect(await world.state(model)).toMatchObject({ state: 'running' });
    await runs.leave();
    await done;

    expect(await world.runs(model)).toMatchObject([{ state: 'queued', attempts: 0 }]);
    expect(await world.state(model)).toMatchObject({ state: 'queued' });
    expect(driver.running.size).toBe(0);
    await work(driverOf(believer));
    expect(await world.state(model)).toMatchObject({ state: 'scored' });
  });

  it('takes no fault for the platform’s once another evaluator has taken the run over', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 10));
    const { model, run } = await waiting(it, 'taken over');
    const stages = stagesOf(driverOf(believer));
    const evaluation = async () => {
      await world.em.execute(`update run set fence = fence + 1, lease_owner = 'other' where id = ?`, [run]);
      throw new Error('the other one has removed the container');
    };
    const outcomes: string[] = [];
    const onClaimEnded = (_stage: string, outcome: string) => outcomes.push(outcome);
    const leases = new RunLeases(world.em, 'passed by');
    const runs = new EvaluationRuns(world.em, leases, { ...stages, evaluation }, workFolder(), { onClaimEnded });

    await runs.execute(run, 'evaluation');

    expect(outcomes).toEqual(['lease_lost']);
    expect(await world.runs(model)).toMatchObject([{ state: 'leased', fence: 2, attempts: 0 }]);
    await world.em.execute(`update run set lease_until = now() - interval '1 second' where id = ?`, [run]);
    await new EvaluationRuns(world.em, new RunLeases(world.em, 'other'), stages, workFolder()).execute(
      run,
      'evaluation',
    );
    await scoreWaiting(world.em, blobs);
    expect(await world.state(model)).toMatchObject({ state: 'scored' });
  });

  it('stops the model when the run is cancelled', async () => {
    const it = await task();
    await dataset(it, 'one', examples('one', 500));
    const { model, run } = await waiting(it, 'cancelled in the middle');
    const driver = driverOf(fakeModel.slow(50, believer));
    const leases = new RunLeases(world.em, 'cancelling');
    const runs = new EvaluationRuns(world.em, leases, stagesOf(driver), workFolder());
    const done = runs.execute(run, 'evaluation');
    await until(() => driver.running.size > 0);

    await world.transaction(async (em) => {
      const { Model } = await import('@assay/submissions');
      await requests.cancel(em, await em.findOneOrFail(Model, model.id));
    });
    await leases.check(run);
    await done;

    expect(driver.running.size).toBe(0);
    expect(await world.state(model)).toMatchObject({ state: 'cancelled', failure: null });
    expect(await world.cells(model)).toMatchObject([{ state: 'cancelled', metrics: null }]);
  });

  describe('of predictions', () => {
    const rows = examples('one', 20);
    const file = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join('\n');
    const predictions = (dataset: string, of: readonly Row[]) =>
      of.map(({ id, label }) => ({ dataset, id, prediction: label }));

    async function submitted(it: Task, lines: string): Promise<Model> {
      const { digest } = await put(lines);
      const model = await world.model(it, { digest, kind: 'predictions' });
      await world.transaction((em) => requests.requestMissing(em, it, model.specification!));
      await work(driverOf(believer));
      return model;
    }

    it('gets metrics and no measures', async () => {
      const it = await task();
      await dataset(it, 'one', rows);
      const model = await submitted(it, file([...predictions('one', rows)].reverse()));

      expect(await world.state(model)).toMatchObject({ state: 'scored' });
      expect(await world.cells(model)).toMatchObject([{ metrics: { accuracy: { value: 1 } }, measures: null }]);
    });

    it('is refused with the first ten of what is missing or not known', async () => {
      const it = await task();
      await dataset(it, 'one', rows);
      const short = await submitted(it, file(predictions('one', rows.slice(12))));
      expect((await world.state(short)).failure).toMatchObject({
        code: 'predictions_incomplete',
        message: expect.stringMatching(/^12 predictions are missing: one "one-0", .*one "one-9", and 2 more\.$/),
      });

      const extra = [...predictions('one', rows), { dataset: 'one', id: 'x', prediction: 'positive' }];
      expect((await world.state(await submitted(it, file(extra)))).failure).toMatchObject({
        code: 'predictions_unknown',
        message: '1 prediction has an ID that is not in its dataset: one "x".',
      });
      const elsewhere = [...predictions('one', rows), { dataset: 'two', id: 'x', prediction: 'positive' }];
      expect((await world.state(await submitted(it, file(elsewhere)))).failure).toMatchObject({
        message: '1 prediction names a dataset that the task does not have: two "x".',
      });
    });

    it('is not told which examples a hidden dataset has', async () => {
      const it = await task();
      await dataset(it, 'one', rows);
      await dataset(it, 'secret', examples('secret', 10), { visibility: 'hidden' });
      const guess = { dataset: 'secret', id: 'guess', prediction: 'positive' };
      const model = await submitted(it, file([...predictions('one', rows), guess]));

      const { failure } = await world.state(model);
      expect(failure).toMatchObject({
        code: 'predictions_incomplete',
        message: expect.stringContaining('every example of "secret". The dataset is hidden'),
      });
      expect(JSON.stringify(failure)).not.toMatch(/secret-\d|\b10\b/);
    });

    it.each([
      ['no JSON', '{"dataset":', /^Line 21 is not valid JSON/],
      [
        'another shape',
        '{"dataset": "one", "id": "x", "answer": "positive"}',
        /^Line 21 is not \{"dataset", "id", "prediction"\}/,
      ],
      [
        'an unknown label',
        '{"dataset": "one", "id": "x", "prediction": "maybe"}',
        /^Line 21 has a prediction that is "maybe"/,
      ],
      [
        'a probability of a class that the task lacks',
        '{"dataset": "one", "id": "x", "prediction": {"label": "positive", "probabilities": {"positive": 0.5, "mixed": 0.5}}}',
        /^Line 21 has a prediction that gives a probability to "mixed", which is not a label/,
      ],
      [
        'a line twice',
        '{"dataset": "one", "id": "one-0", "prediction": "positive"}',
        /^Line 21 is a second prediction/,
      ],
    ])('is refused with the number of a line that is %s', async (_, line, sentence) => {
      const it = await task();
      await dataset(it, 'one', rows);
      const model = await submitted(it, `${file(predictions('one', rows))}\n${line}\n`);

      expect((await world.state(model)).failure).toMatchObject({
        code: 'predictions_malformed',
        message: expect.stringMatching(sentence),
      });
    });

    it('need not cover what nobody can read, nor what came later', async () => {
      const it = await task();
      await dataset(it, 'one', rows);
      await dataset(it, 'secret', examples('secret', 10), { visibility: 'hidden' });
      const model = await submitted(it, file(predictions('one', rows)));
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
      expect(await world.cells(model)).toMatchObject([
        { state: 'scored' },
        { state: 'cancelled', failure: { code: 'predictions_awaited', fault: 'task' } },
      ]);

      await dataset(it, 'later', examples('later', 10));
      await world.transaction((em) => requests.requestMissing(em, it, model.specification!));
      await work(driverOf(believer));
      expect(await world.state(model)).toMatchObject({ state: 'scored' });
    });
  });
});
