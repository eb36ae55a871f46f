import { once } from 'node:events';
import { EVALUATOR_PROTOCOLS } from '@assay/contracts/evaluators';
import type { LeasedRunView } from '@assay/contracts/gateway';
import type { LeasedDeploymentView } from '@assay/contracts/serving';
import { Evaluation, Measurement } from '@assay/evaluation/evaluations';
import { Evaluator } from '@assay/evaluation/evaluators';
import { Run, RUN_PRIORITY } from '@assay/evaluation/runs';
import { Deployment } from '@assay/serving';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { EvaluatorProtocol } from '../../factories/protocols/evaluator-protocol.js';
import { VERSION_1 } from '../../factories/protocols/version-1.js';
import { VERSION_2 } from '../../factories/protocols/version-2.js';
import { until } from '../../factories/until.js';
import type { ApiAnswer, ApiRequest } from '../../factories/worlds/api-call.js';
import { GatewayWorld, told } from './gateway-world.js';

const VERSIONS = [VERSION_1, VERSION_2];
const N = 12;
const TASK = 'tone';

/** An evaluator that sends what its version of the protocol had, and nothing else. */
class FakeEvaluator {
  private constructor(
    private readonly gateway: GatewayWorld,
    readonly protocol: EvaluatorProtocol,
    readonly name: string,
    readonly token: string,
  ) {}

  static async registered(gateway: GatewayWorld, protocol: EvaluatorProtocol, name: string): Promise<FakeEvaluator> {
    const token = await gateway.evaluator(name, gateway.world.admin, protocol.sends.presence);
    return new FakeEvaluator(gateway, protocol, name, token);
  }

  send(method: string, path: string, request: object | ApiRequest = {}): Promise<ApiAnswer> {
    return this.gateway.world.call(method, `/evaluator${path}`, { token: this.token, ...request });
  }

  ask(stage: 'admission' | 'evaluation'): Promise<ApiAnswer> {
    return this.send('POST', '/leases', { body: this.protocol.sends.lease(stage) });
  }

  async leased(stage: 'admission' | 'evaluation'): Promise<LeasedRunView> {
    const { body } = await this.ask(stage);
    expect(body).toMatchObject(this.protocol.reads[stage]);
    return body.run as LeasedRunView;
  }

  /** Leases the evaluation of a new model. */
  async evaluating(): Promise<LeasedRunView> {
    await this.gateway.submit(TASK);
    await this.end(await this.leased('admission'), this.protocol.sends.admitted);
    return this.leased('evaluation');
  }

  about(
    method: string,
    { assignment: { run, fence } }: LeasedRunView,
    route: string,
    { query = '', ...request }: ApiRequest & { readonly query?: string } = {},
  ): Promise<ApiAnswer> {
    return this.send(method, `/runs/${run}/${route}?fence=${fence}${query}`, request);
  }

  async end(run: LeasedRunView, body: object): Promise<void> {
    expect(told(await this.about('POST', run, 'outcome', { body }))).toBe('204 undefined');
  }

  async leasedDeployment(): Promise<LeasedDeploymentView> {
    const { body } = await this.send('POST', '/deployments/leases', { body: this.protocol.sends.deploymentLease });
    expect(body).toMatchObject(this.protocol.reads.deployment);
    return body.deployment as LeasedDeploymentView;
  }

  aboutDeployment(
    method: string,
    { assignment: { deployment, fence } }: LeasedDeploymentView,
    route: string,
    request: ApiRequest = {},
  ): Promise<ApiAnswer> {
    return this.send(method, `/deployments/${deployment}/${route}?fence=${fence}`, request);
  }
}

describe('evaluators of each supported version of the protocol', () => {
  let gateway: GatewayWorld;
  beforeAll(async () => {
    gateway = await GatewayWorld.start();
    await gateway.task(TASK, { count: N, definition: { weights: { accuracy: 4, throughput: 1 } } });
  }, 60_000);
  afterAll(() => gateway.close());

  const runOf = ({ assignment: { run } }: LeasedRunView): Promise<Run> =>
    gateway.world.orm.em.fork().findOneOrFail(Run, run);
  /** Cancels all runs that are queued or leased. */
  const cancelRuns = (): Promise<unknown> =>
    gateway.world.orm.em
      .fork()
      .execute(`update run set state = 'cancelled', lease_owner = null where state in ('queued', 'leased')`);

  it('are all tested', () => {
    expect(VERSIONS.map(({ version }) => version)).toEqual(EVALUATOR_PROTOCOLS);
  });

  describe.each(VERSIONS)('version $version', (protocol) => {
    const { sends, reads, version } = protocol;
    let evaluator: FakeEvaluator;
    beforeAll(async () => {
      evaluator = await FakeEvaluator.registered(gateway, protocol, `of-version-${version}`);
    });
    afterEach(cancelRuns);

    it('starts, reports its host, and asks what waits', async () => {
      expect((await evaluator.send('GET', '')).body).toMatchObject(reads.registration);
      expect((await evaluator.send('DELETE', '/leases')).body).toMatchObject(reads.expired);
      const reported = await evaluator.send('PUT', '/presence', { body: sends.presence });
      expect([reported.status, reported.body]).toEqual([200, expect.objectContaining(reads.presence)]);
      expect((await evaluator.send('GET', '/queue')).body).toMatchObject(reads.queue);
      expect(await evaluator.ask('evaluation')).toMatchObject({ status: 200, body: { run: null } });
    });

    it('admits an artifact, answers all datasets, and reports costs and a log', async () => {
      const { id, bytes } = await gateway.submit(TASK);
      const admission = await evaluator.leased('admission');
      const whole = { headers: { 'accept-encoding': 'identity' } };
      expect((await evaluator.about('GET', admission, 'artifact', whole)).body).toBe(bytes.toString());
      const rest = { headers: { 'accept-encoding': 'identity', range: 'bytes=1000-' } };
      expect(await evaluator.about('GET', admission, 'artifact', rest)).toMatchObject({
        status: 206,
        body: bytes.subarray(1000).toString(),
      });
      expect((await evaluator.about('POST', admission, 'renewal')).status).toBe(204);
      await evaluator.end(admission, sends.admitted);

      const run = await evaluator.leased('evaluation');
      for (const dataset of run.assignment.datasets) await answer(run, dataset);
      await evaluator.end(run, sends.finished);

      expect(await runOf(run)).toMatchObject({ state: 'done', log: 'a line', withheldBytes: 7 });
      const em = gateway.world.orm.em.fork();
      const { measures } = await em.findOneOrFail(Measurement, { run: run.assignment.run });
      expect(measures).toMatchObject((sends.finished as { readonly measures: object }).measures);
      const model = await gateway.world.call('GET', `/models/${id}`, { token: gateway.builder });
      expect(model.body).toMatchObject({ state: 'running' });
    });

    /** Answers a dataset in two chunks, of which the first is sent twice, as after a lost response. */
    async function answer(run: LeasedRunView, dataset: LeasedRunView['assignment']['datasets'][number]): Promise<void> {
      const route = (name: string): string => `datasets/${dataset.id}/${name}`;
      const inputs = (await evaluator.about('GET', run, route('inputs'), { query: '&from=2' })).body as string;
      const rows = inputs.trimEnd().split('\n');
      expect(rows).toHaveLength(N - 2);
      expect(JSON.parse(rows[0]!)).toEqual({ text: expect.any(String) });

      expect((await evaluator.about('POST', run, route('start'))).body).toMatchObject(reads.started);
      expect((await evaluator.about('POST', run, route('progress'), { body: sends.progress })).status).toBe(204);
      const lines = Array.from({ length: N }, () => '"positive"\n');
      lines[1] = '{"label":"negative","probabilities":{"positive":0.25,"negative":0.75}}\n';
      const [first, second] = [lines.slice(0, 5).join(''), lines.slice(5).join('')];
      const chunk = (offset: number, body: string) =>
        evaluator.about('PUT', run, route('answers'), {
          ...{ query: `&offset=${offset}`, type: 'application/x-ndjson', body },
        });
      for (let time = 0; time < 2; time++) {
        expect((await chunk(0, first)).body).toMatchObject(reads.stored(first.length));
      }
      const size = first.length + second.length;
      expect((await chunk(first.length, second)).body).toMatchObject(reads.stored(size));
      const body = sends.answers({ size, version: dataset.version });
      expect(told(await evaluator.about('POST', run, route('answers'), { body }))).toBe('204 undefined');
      const stored = await evaluator.about('POST', run, route('stored-answers'), { body: sends.storedAnswers });
      expect(stored.body).toMatchObject(reads.storedAnswers);
    }

    it('refuses an artifact', async () => {
      const { id } = await gateway.submit(TASK);
      await evaluator.end(await evaluator.leased('admission'), sends.refused);
      const model = await gateway.world.call('GET', `/models/${id}`, { token: gateway.builder });
      expect(model.body).toMatchObject({ state: 'failed', failure: { code: 'not_an_image' } });
    });

    it('fails a dataset, and the rest of a run', async () => {
      const run = await evaluator.evaluating();
      const [{ id } = { id: '' }] = run.assignment.datasets;
      const failed = await evaluator.about('POST', run, `datasets/${id}/failure`, { body: sends.failedDataset });
      expect(failed.status).toBe(204);
      await evaluator.end(run, sends.failed);
      const cells = await gateway.world.orm.em
        .fork()
        .find(Evaluation, { specification: (await runOf(run)).specification });
      expect(cells.map(({ state }) => state)).toEqual(['failed', 'failed']);
    });

    it.each(sends.others)('ends a lease as %s', async (_, outcome, state) => {
      const run = await evaluator.evaluating();
      await evaluator.end(run, outcome);
      expect(await runOf(run)).toMatchObject({ state, leaseOwner: null });
    });

    describe('and target models', () => {
      let model: string;
      let id: string;
      beforeEach(async () => {
        ({ id: model } = await gateway.submit(TASK));
        id = await gateway.deploy(model);
      });
      afterEach(async () => {
        await gateway.world.orm.em.fork().nativeDelete(Deployment, {});
      });

      const stored = (): Promise<Deployment> => gateway.world.orm.em.fork().findOneOrFail(Deployment, id);

      it.each(sends.deploymentEnds)('serves one until it is %s', async (_, outcome, state) => {
        const held = await evaluator.leasedDeployment();
        expect((await evaluator.aboutDeployment('GET', held, 'artifact')).status).toBe(200);
        const warmUp = (await evaluator.aboutDeployment('GET', held, 'warm-up')).body as string;
        expect(JSON.parse(warmUp.split('\n')[0]!)).toEqual({ text: expect.any(String) });
        for (const body of sends.deploymentStates) {
          expect(told(await evaluator.aboutDeployment('PUT', held, 'state', { body }))).toBe('204 undefined');
        }
        expect(await stored()).toMatchObject({ state: 'ready', paused: false });

        expect(told(await evaluator.aboutDeployment('POST', held, 'outcome', { body: outcome }))).toBe('204 undefined');
        expect(await stored()).toMatchObject({ state, evaluator: null });
      });

      it('answers questions, or says why it cannot', async () => {
        const held = await evaluator.leasedDeployment();
        for (const body of sends.deploymentStates) await evaluator.aboutDeployment('PUT', held, 'state', { body });
        await gateway.openRound(model);
        const socket = new WebSocket(
          `${gateway.world.url.replace('http', 'ws')}/api/v1/evaluator/live${protocol.liveQuery}`,
          { headers: { authorization: `Bearer ${evaluator.token}` } },
        );
        const questions: unknown[] = [];
        const replies = [sends.replies.busy, sends.replies.answers(1)];
        socket.on('message', (data: Buffer) => {
          const question = JSON.parse(data.toString()) as { readonly id: number };
          questions.push(question);
          socket.send(JSON.stringify({ id: question.id, reply: replies.shift() }));
        });
        await once(socket, 'open');
        await until(
          async () => (await gateway.world.orm.em.fork().count(Evaluator, { liveAddress: { $ne: null } })) > 0,
        );

        const ask = (): Promise<ApiAnswer> =>
          gateway.world.call('POST', `/models/${model}/predict`, {
            token: gateway.builder,
            body: { input: { text: 'a good day' } },
          });
        expect(told(await ask())).toBe('503 model_starting');
        expect((await ask()).body).toMatchObject({ answer: 'positive', milliseconds: 2 });
        expect(questions).toEqual([expect.objectContaining(reads.question), expect.objectContaining(reads.question)]);
        socket.close();
        await once(socket, 'close');
      });
    });
  });

  describe('version 1 beside version 2', () => {
    let first: FakeEvaluator;
    let second: FakeEvaluator;
    beforeAll(async () => {
      first = await FakeEvaluator.registered(gateway, VERSION_1, 'first');
      second = await FakeEvaluator.registered(gateway, VERSION_2, 'second');
    });
    afterEach(cancelRuns);

    it('gets no run that only measures', async () => {
      const run = await second.evaluating();
      await second.end(run, { kind: 'released' });
      await gateway.world.orm.em.fork().nativeUpdate(Run, run.assignment.run, {
        purpose: 'measures',
        priority: RUN_PRIORITY.requested,
      });

      expect((await first.ask('evaluation')).body).toEqual({ run: null });
      expect((await second.ask('evaluation')).body.run).toMatchObject({ work: 'measures' });
    });

    it('gets one run at a time, because it runs one model at a time', async () => {
      const run = await first.evaluating();
      await gateway.submit(TASK);
      await second.end(await second.leased('admission'), VERSION_2.sends.admitted);

      expect((await first.ask('evaluation')).body).toEqual({ run: null });
      await second.leased('evaluation');
      await first.end(run, { kind: 'released' });
      expect((await first.leased('evaluation')).assignment.run).toBe(run.assignment.run);
    });

    it('does not learn that the board weighs wall times, because it would pause target models', async () => {
      const run = await first.evaluating();
      expect(run.assignment.weighsCosts).toBe(false);
      await first.end(run, { kind: 'released' });
      expect((await second.leased('evaluation')).assignment.weighsCosts).toBe(true);
    });

    it('is not waited for by evaluators with target models that measure', async () => {
      const run = await second.evaluating();
      await second.end(run, { kind: 'released' });
      const em = gateway.world.orm.em.fork();
      await em.nativeUpdate(Run, run.assignment.run, {
        purpose: 'measures',
        priority: RUN_PRIORITY.requested,
      });
      await em.execute(`update evaluator set last_seen_at = null where name not in ('first', 'second')`);
      const { id } = await gateway.submit(TASK);
      await gateway.deploy(id, { state: 'ready', evaluator: 'remote/second' });

      expect((await second.ask('evaluation')).body.run).toMatchObject({ work: 'measures' });
      await em.nativeDelete(Deployment, {});
    });
  });
});
