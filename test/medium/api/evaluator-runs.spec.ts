import { readdirSync } from 'node:fs';
import { Artifact } from '@assay/submissions/artifacts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Origin } from '@assay/contracts';
import type { EvaluatorView } from '@assay/contracts/evaluators';
import type { Assignment } from '@assay/contracts/gateway';
import type { RunView } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Evaluator } from '@assay/evaluation/evaluators';
import { Run, RUN_PRIORITY } from '@assay/evaluation/runs';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Deployment } from '@assay/serving';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { GatewayWorld, told } from './gateway-world.js';
import { REPORT } from './route-world.js';

const N = 12;
const NO_COSTS = { measures: null, seen: [], timed: [] };
const COSTS = {
  throughput: 1,
  ...{ latency_p50: 1, latency_p90: 1, latency_p95: 1, latency_p99: 1, latency_count: 1 },
  ...{ memory: 1, memory_cgroup: 1, cold_start: 1, contended: false, hardware: 'A CPU' },
};
const CONTENT = 'c'.repeat(64);
const IMAGE = {
  kind: 'admitted',
  ...{ port: 8080, protocol: null, unpackedBytes: 5000, unreadable: [], contentDigest: CONTENT },
};

interface Leased {
  readonly work: string;
  readonly leaseSeconds: number;
  readonly waitedSeconds: number;
  readonly unpackedLimit: number;
  readonly origin: Origin | null;
  readonly assignment: Assignment;
}

describe('the runs of a registered evaluator', () => {
  let gateway: GatewayWorld;
  let world: ApiWorld;
  let gpu: string;

  beforeAll(async () => {
    gateway = await GatewayWorld.start();
    ({ world } = gateway);
    await task('tone');
    gpu = await evaluator('gpu');
  }, 60_000);
  afterAll(() => gateway.close());

  const task = (slug: string, token?: string): Promise<void> => gateway.task(slug, { count: N }, token);
  const evaluator = (name: string, by?: string, host: object = REPORT.host): Promise<string> =>
    gateway.evaluator(name, by, { host });
  const submit = (slug = 'tone', ...how: readonly [by?: string, more?: object, bytes?: Buffer<ArrayBuffer>]) =>
    gateway.submit(slug, ...how);

  const ask = (stage: string, { token = gpu, waitSeconds = 0, protocol = 2 } = {}): Promise<ApiAnswer> =>
    world.call('POST', '/evaluator/leases', { token, body: { protocol, stage, waitSeconds } });
  const about = (
    method: string,
    path: string,
    { assignment: { run, fence } }: Leased,
    request: Parameters<ApiWorld['call']>[2] = {},
  ): Promise<ApiAnswer> =>
    world.call(method, `/evaluator/runs/${run}/${path}${path.includes('?') ? '&' : '?'}fence=${fence}`, {
      token: gpu,
      ...request,
    });
  const end = (leased: Leased, body: object): Promise<ApiAnswer> => about('POST', 'outcome', leased, { body });

  async function leased(stage: string, token = gpu): Promise<Leased> {
    const { body } = await ask(stage, { token });
    expect(body.run).not.toBeNull();
    return body.run as Leased;
  }

  /** Submits a model, admits it, and leases its evaluation. */
  async function evaluating(slug?: string): Promise<Leased & { readonly model: string }> {
    const { id } = await submit(slug);
    expect((await end(await leased('admission'), IMAGE)).status).toBe(204);
    return { ...(await leased('evaluation')), model: id };
  }

  const upload = (run: Leased, dataset: string, lines: readonly string[], offset = 0): Promise<ApiAnswer> =>
    about('PUT', `datasets/${dataset}/answers?offset=${offset}`, run, {
      type: 'application/x-ndjson',
      body: lines.map((line) => `${line}\n`).join(''),
    });
  const complete = (run: Leased, dataset: string, size: number): Promise<ApiAnswer> =>
    about('POST', `datasets/${dataset}/answers`, run, { body: { ...NO_COSTS, size } });
  const cell = (id: string): Promise<Evaluation> => world.orm.em.fork().findOneOrFail(Evaluation, id);
  const row = ({ assignment: { run } }: Leased): Promise<Run> => world.orm.em.fork().findOneOrFail(Run, run);

  it('admits an artifact, which it downloads in parts', async () => {
    const { id, bytes } = await submit();
    const run = await leased('admission');

    expect(run).toMatchObject({
      work: 'admission',
      leaseSeconds: 60,
      assignment: { fence: 1, artifact: { kind: 'container', size: bytes.length, image: null, isArchived: false } },
    });
    expect(run.assignment.artifact.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
    const whole = await about('GET', 'artifact', run);
    expect([whole.status, whole.headers.get('content-length'), whole.body]).toEqual([
      200,
      String(bytes.length),
      bytes.toString(),
    ]);
    const rest = await about('GET', 'artifact', run, { headers: { range: 'bytes=1000-' } });
    expect([rest.status, rest.headers.get('content-range'), rest.body]).toEqual([
      206,
      `bytes 1000-${bytes.length - 1}/${bytes.length}`,
      bytes.subarray(1000).toString(),
    ]);
    expect((await end(run, IMAGE)).status).toBe(204);
    expect(await row(run)).toMatchObject({ state: 'queued', stage: 'evaluation', attempts: 0 });
    const { digest } = run.assignment.artifact;
    const stored = await world.orm.em.fork().findOneOrFail(Artifact, { digest });
    expect(stored.image).toMatchObject({ port: 8080, contentDigest: CONTENT });
    expect((await world.call('GET', `/models/${id}`, { token: gateway.builder })).body.state).toBe('queued');
    await end(await leased('evaluation'), { kind: 'abandoned' });
  });

  it('answers datasets whose inputs carry neither gold nor IDs', async () => {
    const run = await evaluating();
    const { datasets } = run.assignment;
    expect(run.work).toBe('evaluation');
    expect(datasets.map(({ visibility, examples }) => [visibility, examples])).toEqual([
      ['hidden', N],
      ['public', N],
    ]);
    expect(JSON.stringify(run)).not.toMatch(/-set/);

    for (const { id } of datasets) {
      const inputs = await about('GET', `datasets/${id}/inputs`, run);
      const lines = (inputs.body as string).trimEnd().split('\n');
      expect(lines).toHaveLength(N);
      for (const line of lines) expect(Object.keys(JSON.parse(line))).toEqual(['text']);
      const rest = await about('GET', `datasets/${id}/inputs?from=9`, run);
      expect((rest.body as string).trimEnd().split('\n')).toEqual(lines.slice(9));

      const variants = (await about('GET', `datasets/${id}/variants?count=30`, run)).body as string;
      expect(new Set([...lines, ...variants.trimEnd().split('\n')]).size).toBe(N + 30);
      for (const line of variants.trimEnd().split('\n')) expect(Object.keys(JSON.parse(line))).toEqual(['text']);

      expect((await about('POST', `datasets/${id}/start`, run)).body).toEqual({ isAsked: true });
      const progress = { body: { done: 3, examplesPerSecond: 1.5 } };
      expect((await about('POST', `datasets/${id}/progress`, run, progress)).status).toBe(204);
      const first = Array.from({ length: N - 1 }, () => '"positive"');
      const { size } = (await upload(run, id, first)).body;
      // the same chunk again, as after a lost response
      expect((await upload(run, id, first)).body).toEqual({ size });
      const all = (
        await upload(run, id, ['{"label":"negative","probabilities":{"positive":0.25,"negative":0.75}}'], size)
      ).body.size;
      expect((await complete(run, id, all)).status).toBe(204);
      expect(await cell(id)).toMatchObject({ state: 'running', invalid: 0, predictions: expect.any(String) });
      const answers = { body: { places: [0, N - 1] } };
      expect((await about('POST', `datasets/${id}/stored-answers`, run, answers)).body).toEqual({
        answers: ['positive', { label: 'negative', probabilities: { negative: 0.75, positive: 0.25 } }],
      });
    }
    const finished = { kind: 'finished', measures: null, log: { log: 'a line', logSeen: [], withheldBytes: 7 } };
    expect(await end(run, finished)).toMatchObject({ status: 204 });
    expect(await row(run)).toMatchObject({ state: 'done', log: 'a line', withheldBytes: 7, leaseOwner: null });
    expect(readdirSync(join(world.home, 'work'))).toEqual([]);
    const { body: view } = await world.call('GET', `/models/${run.model}`, { token: gateway.builder });
    expect(view).toMatchObject({ awaitsMeasurement: true, measuring: false });
  });

  it('reports to administrators that two evaluators found something else in the same image', async () => {
    const differing = async () =>
      (await world.call('GET', '/admin/evaluators', { token: world.admin })).body.differingImages as object[];
    const facts = { port: IMAGE.port, protocol: IMAGE.protocol, unpackedBytes: IMAGE.unpackedBytes };
    const known = (await differing()).length;
    const same = await evaluating();
    await end(same, { kind: 'failed', failure: { code: 'model_exited', message: 'x' }, rebuilt: facts });
    expect(await differing()).toHaveLength(known);

    const other = await evaluating();
    const rebuilt = { ...facts, port: facts.port + 1, unpackedBytes: 2 * facts.unpackedBytes };
    await end(other, { kind: 'failed', failure: { code: 'model_exited', message: 'x' }, rebuilt });

    expect(await differing()).toHaveLength(known + 1);
    expect((await differing())[0]).toEqual({
      digest: other.assignment.artifact.digest,
      admitted: { evaluator: 'gpu', ...facts },
      found: { evaluator: 'gpu', ...rebuilt },
      at: expect.any(String),
    });
  });

  describe('gets only', () => {
    it('runs that its host can run', async () => {
      const small = await evaluator('small', world.admin, { ...REPORT.host, memoryBytes: 1 });
      const other = await evaluator('other', world.admin, { ...REPORT.host, runtimes: ['runsc'] });
      await submit();
      for (const token of [small, other]) expect((await ask('admission', { token })).body).toEqual({ run: null });
      await end(await leased('admission'), { kind: 'abandoned' });
    });

    it('runs that fit in what it has free', async () => {
      await submit();
      await end(await leased('admission'), IMAGE);
      const free = { cpus: 0.5, memoryBytes: 2 ** 40 };
      const request = { protocol: 2, stage: 'evaluation', waitSeconds: 0, free };

      expect((await world.call('POST', '/evaluator/leases', { token: gpu, body: request })).body).toEqual({
        run: null,
      });
      await end(await leased('evaluation'), { kind: 'abandoned' });
    });

    it('runs of others on the tasks of its owner if all who submitted the model allow it', async () => {
      const own = await evaluator('allowed', gateway.owner);
      const allowed = { allowForeignEvaluators: true };
      await task('not-its', gateway.builder);
      await submit('not-its', gateway.builder, allowed);
      const { bytes } = await submit('tone', gateway.builder);
      const stranger = await world.user('stranger');
      await submit('tone', stranger, allowed, bytes);
      expect((await ask('admission', { token: own })).body).toEqual({ run: null });
      for (let run = 0; run < 2; run++) await end(await leased('admission'), { kind: 'abandoned' });

      const { id } = await submit('tone', gateway.builder, allowed);
      expect((await world.call('GET', `/models/${id}`)).body).toMatchObject(allowed);
      const run = await leased('admission', own);
      await about('POST', 'outcome', run, { token: own, body: { kind: 'abandoned' } });
    });

    it('the runs of its owner on the tasks of its owner', async () => {
      const own = await evaluator('own', gateway.owner);
      await task('elsewhere', gateway.builder);
      await submit('tone', gateway.builder);
      await submit('elsewhere', gateway.owner);
      expect((await ask('admission', { token: own })).body).toEqual({ run: null });
      for (let run = 0; run < 2; run++) await end(await leased('admission'), { kind: 'abandoned' });

      await submit('tone', gateway.owner);
      const run = await leased('admission', own);
      expect(await row(run)).toMatchObject({ leaseOwner: 'remote/own' });
      expect(told(await end(run, { kind: 'abandoned' }))).toBe('409 lease_lost');
      expect((await about('POST', 'outcome', run, { token: own, body: { kind: 'abandoned' } })).status).toBe(204);
    });

    it('work once it has reported its host, under a version that the service supports', async () => {
      const { body } = await world.call('POST', '/evaluators', { token: world.admin, body: { name: 'silent' } });
      expect(told(await ask('admission', { token: body.token as string }))).toBe('409 presence_required');
      expect(told(await ask('admission', { protocol: 99 }))).toBe('409 protocol_unsupported');
      expect(told(await ask('admission', { token: gateway.builder }))).toBe('403 evaluator_token_required');
    });
  });

  it('waits for work, and gets a run as soon as it is queued', async () => {
    const waiting = ask('admission', { waitSeconds: 30 });
    const { id } = await submit();
    const { run } = (await waiting).body as { run: Leased };
    expect(run.work).toBe('admission');
    expect(run.waitedSeconds).toBeLessThan(30);
    await end(run, { kind: 'failed', failure: { code: 'reading_timeout', message: 'It took 60 s.' } });
    const model = await world.call('GET', `/models/${id}`, { token: gateway.builder });
    expect(model.body).toMatchObject({ state: 'failed', failure: { code: 'reading_timeout' } });
  });

  it('goes to no evaluator that has not reported for half a lease, although its request still waits', async () => {
    const waiting = ask('admission', { waitSeconds: 1 });
    await world.orm.em
      .fork()
      .execute(`update evaluator set last_seen_at = now() - interval '31 seconds' where name = 'gpu'`);
    await submit();
    expect((await waiting).body).toEqual({ run: null });

    await world.call('PUT', '/evaluator/presence', { token: gpu, body: REPORT });
    await end(await leased('admission'), { kind: 'abandoned' });
  });

  it('continues the request that queued it, in the evaluator and in what follows', async () => {
    await submit();
    const admission = await leased('admission');
    const { origin } = await row(admission);
    expect(admission.origin).toEqual(origin);
    expect(origin).toEqual({ request: expect.stringMatching(/./) });

    await end(admission, IMAGE);
    const evaluation = await leased('evaluation');
    const { id: dataset, examples } = evaluation.assignment.datasets[0]!;
    const { size } = (await upload(evaluation, dataset, Array<string>(examples).fill('"positive"'))).body as {
      size: number;
    };
    await complete(evaluation, dataset, size);
    const events = await world.orm.em.fork().find(OutboxEvent, { type: 'answers.stored' }, { orderBy: { id: 'desc' } });
    expect(events[0]).toMatchObject({ origin });
    await end(evaluation, { kind: 'abandoned' });
  });

  describe('that says what is wrong', () => {
    let run: Leased;
    let dataset: string;
    beforeAll(async () => {
      run = await evaluating();
      dataset = run.assignment.datasets[0]!.id;
    });
    afterAll(() => end(run, { kind: 'abandoned' }));

    it.each([
      ['fewer answers than examples', N - 1, '"positive"', 'has 11 answers, and the dataset has 12 examples'],
      ['more answers than examples', N + 1, '"positive"', 'has 13 answers, and the dataset has 12 examples'],
      ['an unknown label', N, '"neutral"', 'line 1 is "neutral", which is not one of the labels'],
      ['probabilities beyond 1', N, '{"label":"positive","probabilities":{"positive":2,"negative":-1}}', 'line 1 has'],
      ['a line that is no JSON', N, '{"label"', 'line 1 is not JSON'],
    ])('in %s is refused', async (_, count, line, why) => {
      const { size } = (await upload(run, dataset, Array<string>(count).fill(line))).body as { size: number };
      const refused = await complete(run, dataset, size);
      expect([told(refused), refused.body.detail ?? refused.body.title]).toEqual([
        '422 answers_invalid',
        expect.stringContaining(why),
      ]);
      expect((await cell(dataset)).predictions).toBeNull();
    });

    it('in a gap, a chunk too large, or bytes that never came is refused', async () => {
      expect(told(await upload(run, dataset, ['"positive"'], 1_000_000))).toBe('409 answers_gap');
      expect(told(await upload(run, dataset, ['x'.repeat(8 * 2 ** 20)]))).toBe('413 file_too_large');
      expect(told(await complete(run, dataset, 999_999_999))).toBe('409 answers_gap');
    });

    it('about the stage is refused', async () => {
      expect(told(await end(run, IMAGE))).toBe('409 wrong_stage');
      const { id } = await submit();
      const admission = await leased('admission');
      expect(told(await end(admission, { kind: 'finished', measures: null }))).toBe('409 wrong_stage');
      const own = await world.orm.em
        .fork()
        .findOneOrFail(Evaluation, { run: null, predictions: null, state: 'queued' });
      expect(told(await about('GET', `datasets/${own.id}/inputs`, admission))).toBe('404 not_found');
      await end(admission, { kind: 'refused', code: 'not_an_image', message: 'It is no image.' });
      const model = await world.call('GET', `/models/${id}`, { token: gateway.builder });
      expect(model.body).toMatchObject({ state: 'failed', failure: { code: 'not_an_image', fault: 'model' } });
    });

    it.each([
      ['hardware that is a story', { kind: 'finished', measures: { ...COSTS, hardware: 'x'.repeat(201) } }],
      ['a negative cost', { kind: 'finished', measures: { ...COSTS, throughput: -1 } }],
      ['an unknown cost', { kind: 'finished', measures: { ...COSTS, energy: 1 } }],
      ['a failure without a code', { kind: 'failed', failure: { code: 'tired', message: '' } }],
    ])('about %s is refused', async (_, outcome) => {
      expect(told(await end(run, outcome))).toBe('422 validation_failed');
    });

    it('about the datasets of another run is refused', async () => {
      const other = await evaluating();
      const [foreign] = other.assignment.datasets;
      for (const [method, path] of [
        ['GET', 'inputs'],
        ['POST', 'start'],
        ['PUT', 'answers?offset=0'],
      ] as const) {
        const request = method === 'PUT' ? { type: 'application/x-ndjson', body: '1\n' } : {};
        expect([path, told(await about(method, `datasets/${foreign!.id}/${path}`, run, request))]).toEqual([
          path,
          '404 not_found',
        ]);
      }
      await end(other, { kind: 'abandoned' });
    });
  });

  it('is lost to an evaluator whose fence is old, or whose run was cancelled', async () => {
    const run = await evaluating();
    const [first] = run.assignment.datasets;
    expect((await about('POST', 'renewal', run)).status).toBe(204);
    expect((await world.call('DELETE', '/evaluator/leases', { token: gpu })).body).toEqual({ expired: 1 });
    // whoever leases the run again has another fence
    await world.orm.em.fork().nativeUpdate(Run, run.assignment.run, { state: 'queued', leaseOwner: null });
    const again = await leased('evaluation');
    expect(again.assignment).toMatchObject({ run: run.assignment.run, fence: run.assignment.fence + 1 });
    for (const [method, path] of [
      ['POST', 'renewal'],
      ['GET', 'artifact'],
      ['GET', `datasets/${first!.id}/inputs`],
      ['POST', `datasets/${first!.id}/start`],
    ] as const) {
      expect([path, told(await about(method, path, run))]).toEqual([path, '409 lease_lost']);
    }
    expect(told(await end(run, { kind: 'finished', measures: null }))).toBe('409 lease_lost');
    expect((await world.call('POST', `/models/${run.model}/cancel`, { token: gateway.builder })).status).toBe(200);
    expect(told(await about('POST', 'renewal', again))).toBe('409 lease_lost');
  });

  it.each([
    ['a user has requested it', RUN_PRIORITY.requestedWeighed],
    ['it is the first one of a model', RUN_PRIORITY.automaticWeighed],
  ])(
    'is leased before evaluations if it measures what a board weighs, %s, and it has waited',
    async (_why, priority) => {
      const run = await evaluating();
      await submit();
      expect((await end(await leased('admission'), IMAGE)).status).toBe(204);
      const em = world.orm.em.fork();
      await em.nativeUpdate(Run, run.assignment.run, {
        ...{ state: 'queued', purpose: 'measures', priority, leaseOwner: null },
        createdAt: new Date(Date.now() - 31 * 60_000),
      });

      expect(await leased('evaluation')).toMatchObject({
        work: 'measures',
        assignment: { run: run.assignment.run, mayDrain: true },
      });

      expect(await em.findOneOrFail(Evaluator, { name: 'gpu' })).toMatchObject({ drainedBy: run.assignment.run });
      expect(await leased('evaluation')).toMatchObject({ work: 'evaluation' });
      await em.nativeUpdate(Run, { state: 'leased' }, { state: 'cancelled' });
    },
  );

  it('is left to an evaluator without target models for a while if it only measures', async () => {
    const run = await evaluating();
    const em = world.orm.em.fork();
    await em.nativeUpdate(Run, run.assignment.run, {
      ...{ state: 'queued', purpose: 'measures', priority: RUN_PRIORITY.requested },
      leaseOwner: null,
    });
    const { specification, task: of } = await em.findOneOrFail(Run, run.assignment.run);
    em.create(Deployment, { task: of, model: run.model, specification, state: 'ready', evaluator: 'remote/gpu' });
    await em.flush();
    await em.execute('update evaluator set last_seen_at = null');
    const free = await evaluator('free');
    await world.call('PUT', '/evaluator/presence', { token: gpu, body: REPORT });

    expect((await ask('evaluation')).body).toEqual({ run: null });
    const again = await leased('evaluation', free);

    expect(again).toMatchObject({ work: 'measures', assignment: { run: run.assignment.run, interruptions: 0 } });
    expect((await about('POST', 'outcome', again, { token: free, body: { kind: 'interrupted' } })).status).toBe(204);
    expect(await row(again)).toMatchObject({ state: 'queued', attempts: 0, interruptions: 1 });
    await em.nativeUpdate(Run, run.assignment.run, { state: 'cancelled' });
    await em.nativeDelete(Deployment, {});
  });

  describe('that its evaluator cannot end', () => {
    const evaluators = async () =>
      (await world.call('GET', '/evaluators', { token: world.admin })).body.items as EvaluatorView[];
    const present = (report: object) => world.call('PUT', '/evaluator/presence', { token: gpu, body: report });
    const forget = () => world.orm.em.fork().execute('update evaluator set last_seen_at = null');
    const waits = async (id: string) =>
      (await world.call('GET', `/models/${id}`, { token: gateway.builder })).body.run as RunView;

    it('goes to another one at once, without an attempt, when its evaluator is removed', async () => {
      const removed = await evaluator('removed');
      const { id: model } = await submit();
      const run = await leased('admission', removed);
      const waiting = ask('admission', { waitSeconds: 30 });
      const { id } = (await evaluators()).find(({ name }) => name === 'removed')!;

      expect((await world.call('DELETE', `/evaluators/${id}`, { token: world.admin })).status).toBe(204);

      expect(told(await about('POST', 'renewal', run, { token: removed }))).toBe('401 evaluator_removed');
      expect((await evaluators()).map(({ name }) => name)).not.toContain('removed');
      const again = (await waiting).body.run as Leased;
      expect(again.assignment).toMatchObject({ run: run.assignment.run, fence: run.assignment.fence + 1 });
      expect(await row(again)).toMatchObject({ attempts: 0, leaseOwner: 'remote/gpu' });
      expect(await waits(model)).toMatchObject({ state: 'running', attempt: 1 });
      await end(again, { kind: 'abandoned' });
    });

    it('waits with the reason, without an attempt, while no evaluator has the memory', async () => {
      await forget();
      await present({ ...REPORT, host: { ...REPORT.host, memoryBytes: 2 ** 20 } });
      const { id } = await submit();

      expect((await ask('admission')).body).toEqual({ run: null });
      expect((await evaluators()).find(({ name }) => name === 'gpu')).toMatchObject({
        state: 'online',
        host: { memoryBytes: 2 ** 20 },
      });
      expect(await waits(id)).toMatchObject({ state: 'waiting', attempt: 1, noEstimate: 'no_fitting_evaluator' });

      await present(REPORT);
      await end(await leased('admission'), { kind: 'abandoned' });
    });

    it('waits with the reason, without an attempt, while the only host has another architecture', async () => {
      await forget();
      await present({ ...REPORT, host: { ...REPORT.host, architecture: 'arm64' } });
      const { id } = await submit();

      expect((await ask('admission')).body).toEqual({ run: null });
      const problem = 'This host is arm64; models need amd64.';
      expect((await evaluators()).find(({ name }) => name === 'gpu')).toMatchObject({ state: 'online', problem });
      expect(await waits(id)).toMatchObject({ state: 'waiting', attempt: 1, noEstimate: 'no_fitting_evaluator' });

      await present(REPORT);
      await end(await leased('admission'), { kind: 'abandoned' });
    });

    it.each([
      ['older', 0],
      ['newer', 3],
    ])(
      'waits with the reason, without an attempt, while the only evaluator has an %s protocol',
      async (_age, protocol) => {
        await forget();
        expect(told(await present({ ...REPORT, protocol }))).toBe('409 protocol_unsupported');
        const { id } = await submit();

        const refused = await ask('admission', { protocol });
        expect(told(refused)).toBe('409 protocol_unsupported');
        expect(refused.body.detail).toContain(`version ${protocol} of the protocol, and this service supports: 1, 2.`);
        expect((await evaluators()).find(({ name }) => name === 'gpu')).toMatchObject({ state: 'online', protocol });
        expect(await waits(id)).toMatchObject({ state: 'waiting', attempt: 1, noEstimate: 'no_evaluator' });

        await present(REPORT);
        const run = await leased('admission');
        expect(await row(run)).toMatchObject({ attempts: 0 });
        await end(run, { kind: 'abandoned' });
      },
    );

    it.each(['The disk of /var/lib/docker has 1.0 MiB free.', 'The container engine does not answer.'])(
      'waits with the reason, without an attempt, while the only one says: %s',
      async (problem) => {
        await forget();
        await present({ ...REPORT, problem });
        const { id } = await submit();

        expect((await evaluators()).find(({ name }) => name === 'gpu')).toMatchObject({ state: 'online', problem });
        expect(await waits(id)).toMatchObject({ state: 'waiting', attempt: 1, noEstimate: 'no_fitting_evaluator' });

        await present(REPORT);
        await end(await leased('admission'), { kind: 'abandoned' });
      },
    );

    it('is answered from the first example by the next one when half of the answers came', async () => {
      const run = await evaluating();
      const [dataset] = run.assignment.datasets;
      const half = Array<string>(N / 2).fill('"positive"');
      const { size } = (await upload(run, dataset!.id, half)).body as { size: number };
      expect(told(await complete(run, dataset!.id, size))).toBe('422 answers_invalid');
      await upload(run, dataset!.id, half);
      await end(run, { kind: 'released' });

      const again = await leased('evaluation');
      expect(again.assignment).toMatchObject({ run: run.assignment.run, datasets: run.assignment.datasets });
      expect(await row(again)).toMatchObject({ attempts: 0 });
      expect(told(await upload(run, dataset!.id, half, size))).toBe('409 lease_lost');
      expect(told(await upload(again, dataset!.id, half, size))).toBe('409 answers_gap');
      expect((await upload(again, dataset!.id, [...half, ...half])).body).toEqual({ size: 2 * size });
      expect((await complete(again, dataset!.id, 2 * size)).status).toBe(204);
      expect((await cell(dataset!.id)).predictions).not.toBeNull();
      await end(again, { kind: 'abandoned' });
    });
  });

  it('returns to the queue if the evaluator stops or fails, and is put off after a failure', async () => {
    const run = await evaluating();
    expect((await end(run, { kind: 'released' })).status).toBe(204);
    const again = await leased('evaluation');
    expect(again.assignment).toMatchObject({ run: run.assignment.run, fence: run.assignment.fence + 1 });
    expect((await end(again, { kind: 'platform_failed', message: 'The engine is down.' })).status).toBe(204);
    expect(await row(again)).toMatchObject({ state: 'queued', attempts: 1, notBefore: expect.any(Date) });
    expect((await ask('evaluation')).body).toEqual({ run: null });
  });
});
