import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegisteredEvaluators } from '@assay/contracts/evaluators';
import type { QueueStates } from '@assay/contracts/operations';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../../scripts/services/free-port.js';
import { misbehavingImage } from '../factories/hostile/misbehaving-image.js';
import { CLIENT, testProvider, type TestProvider } from '../factories/services/openid-provider.js';
import { PARITY_TASK } from '../factories/models/parity-task.js';
import { Prometheus } from '../factories/services/prometheus.js';
import { SecretHunt } from '../factories/secret-hunt.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import { type CollectedSpan, TraceCollector } from '../factories/services/trace-collector.js';
import { isSigned, RECEIVER_PATH, status, WebhookReceiver } from '../factories/services/webhook-receiver.js';

jest.setTimeout(600_000);

const TASK = 'parity';
const operations = join(import.meta.dirname, '../../operations');
const secret = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;
const named = (text: string): string[] => [...new Set(text.match(/\bassay_[a-z0-9_]+/g))];

describe('a service that is watched', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-operations-'));
  const image = join(folder, 'image.tar.zst');
  const token = secret('metrics');
  const mail = secret('mail');
  const receiver = new WebhookReceiver();
  const texts = secret('text');
  const examples = Array.from({ length: 120 }, (_, id) => ({ id, text: `${texts}${'x'.repeat(id)}`, label: 'even' }));
  let receiverUrl: string;
  let world: ServiceWorld;
  let collector: TraceCollector;
  let metricsPort: number;
  let workerMetricsPort: number;
  let hunt: SecretHunt;
  let provider: TestProvider;
  /** The ID of a model that is not an image, so that the receiver is notified of its failure. */
  let refused: string;
  /** The secrets by their description. */
  const secrets: Record<string, string> = {};

  beforeAll(async () => {
    receiverUrl = await receiver.open();
    collector = await TraceCollector.start();
    const port = await freePort('127.0.0.1');
    provider = await testProvider(`http://127.0.0.1:${port}/api/v1/auth/provider/callback`);
    metricsPort = await freePort('127.0.0.1');
    workerMetricsPort = await freePort('127.0.0.1');
    world = await ServiceWorld.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ASSAY_METRICS_PORT: String(metricsPort),
      ASSAY_WORKER_METRICS_PORT: String(workerMetricsPort),
      ASSAY_METRICS_TOKEN: token,
      SMTP_URL: `smtp://robot:${mail}@127.0.0.1:9`,
      LOG_LEVEL: 'debug',
      PORT: String(port),
      ASSAY_OIDC_ISSUER: provider.issuer,
      ASSAY_OIDC_CLIENT_ID: CLIENT.id,
      ASSAY_OIDC_CLIENT_SECRET: CLIENT.secret,
      ASSAY_OIDC_NAME: 'The institute',
      ASSAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      ASSAY_WEBHOOK_PORTS: '1-65535',
      ASSAY_WEBHOOK_HTTP: 'true',
    });
    await misbehavingImage(world.instance, image);
    await world.task({
      slug: TASK,
      ...PARITY_TASK,
    });
    await world.until(async () => (await world.call('GET', '/health/ready')).status === 200, 60_000);
    hunt = await SecretHunt.begin(world);
    await world.dataset(TASK, 'lengths', 'visibility=public', examples.map((row) => JSON.stringify(row)).join('\n'));
    // the webhook is delivered again after some seconds, during which the other tests run
    secrets['the secret of a webhook'] = await notifyReceiver();
    receiver.answers.push(status(503));
    secrets['what was uploaded'] = secret('bytes');
    const bytes = Buffer.from(secrets['what was uploaded']);
    refused = await world.submit(TASK, { name: 'no image', kind: 'container' }, bytes);
    await world.until(() => Promise.resolve(receiver.received.length > 0), 60_000);
  });
  afterAll(async () => {
    hunt?.end();
    await world?.close();
    await collector?.close();
    await provider?.close();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const rootOf = (request: string): CollectedSpan | undefined => collector.rootOf('PUT', request);
  const namesOf = (request: string): string[] => collector.namesOf('PUT', request);

  /** Returns the number of repairs by the worker's reconciler. */
  async function repairs(): Promise<number> {
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await fetch(`http://127.0.0.1:${workerMetricsPort}/metrics`, { headers })).text();
    const counts = [...text.matchAll(/^assay_reconciler_repairs_total\{kind="\w+"\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  const evaluators = async () =>
    ((await world.expect(200, 'GET', '/evaluators', { token: world.admin })).body as RegisteredEvaluators).items;

  it('shows one evaluator, which keeps its registration after it was killed', async () => {
    const [first, ...others] = await evaluators();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: world.instance, state: 'online', slots: availableParallelism(), owner: null });
    process.kill(world.evaluator.pid, 'SIGKILL');
    await world.evaluator.ended;
    const [killed] = await evaluators();

    await world.startEvaluator();
    await world.until(async () => (await evaluators())[0]!.lastSeenAt !== killed!.lastSeenAt, 60_000);
    expect(await evaluators()).toMatchObject([{ id: first!.id, name: world.instance, state: 'online' }]);
  });

  it('continues the trace of the run that a killed worker left', async () => {
    await world.stopWorker();
    world.startWorker({ ASSAY_FAILPOINT: 'after-claim:2' });
    const id = await world.announce(TASK, { name: 'interrupted', kind: 'predictions' });
    await world.expect(202, 'PUT', `/models/${id}/artifact`, {
      token: await world.user('ada'),
      headers: { 'x-request-id': 'interrupted-upload' },
      body: Buffer.from(examples.map((row) => predictionLine(row.id, row.label)).join('')),
    });
    expect(await world.worker.ended).toBe('was ended by SIGKILL');

    world.startWorker();
    expect((await world.untilFinal(id)).model.state).toBe('scored');
    // the process that made the repair counts it, and started with a count of 0
    expect(await repairs()).toBeGreaterThan(0);

    await world.until(() => Promise.resolve(namesOf('interrupted-upload').includes('evaluation')), 20_000);
    const { traceId } = rootOf('interrupted-upload')!;
    const evaluation = collector.trace(traceId).find(({ name }) => name === 'evaluation')!;
    await world.until(() => Promise.resolve(collector.ancestry(evaluation).length > 2), 20_000);
    expect(collector.ancestry(evaluation).map(({ name }) => name)).toEqual([
      'evaluation',
      'job predictions',
      'PUT /api/v1/models/:id/artifact',
    ]);
  });

  it('has one connected trace from an upload to the board', async () => {
    const id = await world.announce(TASK, { name: 'traced', kind: 'container' });
    const headers = { 'x-request-id': 'upload-to-board' };
    await world.expect(202, 'PUT', `/models/${id}/artifact`, { token: await world.user('ada'), headers, file: image });
    const { model } = await world.untilFinal(id);
    expect(model.state).toBe('scored');
    await world.board(TASK, ({ rows }) => rows.some((row) => row.model.name === 'traced'));

    const steps = [
      'PUT /api/v1/models/:id/artifact',
      'outbox run.requested',
      'admission',
      'evaluation',
      'sandbox install',
      'sandbox start',
      'sandbox',
      'outbox answers.stored',
      'queue answers',
      'job answers',
      'score',
      'outbox board.stale',
      'queue publish',
      'job publish',
    ];
    const isWhole = (): boolean => {
      const spans = collector.trace(rootOf('upload-to-board')?.traceId ?? '');
      const known = new Set(spans.map(({ spanId }) => spanId));
      return (
        steps.every((step) => spans.some(({ name }) => name === step)) &&
        spans.every(({ parentSpanId }) => parentSpanId === '' || known.has(parentSpanId))
      );
    };
    await world.until(() => Promise.resolve(isWhole()), 20_000).catch(() => undefined);

    expect(namesOf('upload-to-board')).toEqual(expect.arrayContaining(steps));
    const spans = collector.trace(rootOf('upload-to-board')!.traceId);
    const known = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId }) => parentSpanId === '').map(({ name }) => name)).toEqual([steps[0]]);
    expect(spans.filter(({ parentSpanId }) => parentSpanId !== '' && !known.has(parentSpanId))).toEqual([]);
    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['assay-api', 'assay-worker', 'assay-evaluator']),
    );
  });

  it('shows the administrator all queues', async () => {
    const { queues } = (await world.expect(200, 'GET', '/admin/queues', { token: world.admin })).body as QueueStates;
    expect(queues.map(({ name, failed }) => [name, failed])).toEqual(
      ['predictions', 'answers', 'sign', 'publish', 'score', 'round', 'mail', 'webhook'].map((name) => [name, 0]),
    );
  });

  it('names the request and the run in the logs of API and evaluator', () => {
    const lines = (name: string) =>
      readFileSync(join(world.home, `${name}.log`), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ request }) => request === 'upload-to-board');
    expect(lines('api')).toContainEqual(
      expect.objectContaining({
        message: 'answered',
        method: 'PUT',
        route: '/api/v1/models/:id/artifact',
        status: 202,
      }),
    );
    const runs = new Set(lines('evaluator').map(({ run }) => run));
    expect([...runs].filter((run) => run !== undefined)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  /**
   * @returns The authorisation code that the service exchanges for the identity of the user, with
   * its client secret.
   */
  async function signInAtProvider(): Promise<string> {
    provider.people.set('ann', { email: 'ann@institute.example', email_verified: true });
    provider.current = 'ann';
    const { headers } = await world.expect(302, 'GET', '/auth/provider', {});
    const back = await provider.visit(headers.get('location')!);
    const cookie = headers.get('set-cookie')!.split(';')[0]!;
    const { body } = await world.expect(200, 'GET', back.slice(back.indexOf('/auth/')), { headers: { cookie } });
    expect(body).toContain('/username');
    return new URL(back).searchParams.get('code')!;
  }

  /**
   * Subscribes the receiver to failed models of the user `ada`.
   * @returns The secret that signs the deliveries.
   */
  async function notifyReceiver(): Promise<string> {
    const body = { url: receiverUrl, kinds: ['model.failed'] };
    const made = await world.expect(201, 'POST', '/me/webhooks', { token: await world.user('ada'), body });
    return made.body.secret as string;
  }

  it('lets no secret into logs, jobs, events, traces or arguments', async () => {
    Object.assign(secrets, {
      'the token of the metrics': token,
      'the password of the mail server': mail,
      'the password of the database': new URL(world.applicationUrl).password,
      "the password of the database's owner": new URL(world.databaseUrl).password,
      'the secret of the OpenID client': CLIENT.secret,
      "the administrator's token": world.admin,
      'a token': await world.user('ada'),
      'what a dataset says': texts,
    });
    secrets['a password'] = secret('password');
    secrets['a wrong password'] = secret('wrong');
    const account = { username: 'eve', email: 'eve@example.org', password: secrets['a password'] };
    const registered = await world.expect(201, 'POST', '/auth/register', { body: account });
    const cookie = registered.headers.get('set-cookie')!.split(';')[0]!;
    secrets['a session'] = cookie.split('=')[1]!;
    const wrong = { email: account.email, password: secrets['a wrong password'] };
    await world.expect(401, 'POST', '/auth/login', { body: wrong });

    secrets['a code of the provider'] = await signInAtProvider();

    secrets['an unknown token'] = secret('assay_unknown');
    await world.expect(401, 'GET', '/me', { token: secrets['an unknown token'] });
    secrets['a token in an address'] = secret('query');
    await world.call('GET', `/tasks?token=${secrets['a token in an address']}`);
    secrets['a link of a crowd'] = secret('crowd');
    await world.call('GET', `/crowd/${secrets['a link of a crowd']}`);
    secrets['a body that is no JSON'] = secret('body');
    const broken = `{"password":"${secrets['a body that is no JSON']}"`;
    await world.expect(400, 'POST', '/auth/login', { type: 'application/json', body: broken });
    secrets['the address of a webhook'] = RECEIVER_PATH;
    await world.until(() => Promise.resolve(receiver.received.length === 2), 60_000);
    expect((await world.model(refused)).state).toBe('failed');
    expect(new Set(receiver.ids).size).toBe(1);
    expect(receiver.received.map((each) => isSigned(each, secrets['the secret of a webhook']!))).toEqual([true, true]);
    expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({
      type: 'model.failed',
      data: { model: { id: refused } },
    });

    const places = { ...(await hunt.everything()), traces: collector.received };
    for (const [place, text] of Object.entries(places)) expect([place, text.length > 100]).toEqual([place, true]);
    const found = Object.entries(places).flatMap(([place, text]) =>
      Object.entries(secrets).flatMap(([name, value]) => (text.includes(value) ? [`${name} in ${place}`] : [])),
    );
    expect(found).toEqual([]);
  });

  const withPrometheus = Prometheus.isThere() ? it : it.skip;

  withPrometheus('has what its dashboard and its alerts ask for, in a real Prometheus', async () => {
    const [evaluator, worker] = [`127.0.0.1:${metricsPort}`, `127.0.0.1:${workerMetricsPort}`];
    expect(await (await fetch(`http://${worker}/health/ready`)).json()).toMatchObject({ status: 'ok' });
    expect((await fetch(`http://${evaluator}/metrics`)).status).toBe(401);
    expect(await (await fetch(`http://${evaluator}/health/ready`)).json()).toMatchObject({ status: 'ok' });
    const text = await (
      await fetch(`http://${evaluator}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    ).text();
    expect([...text.matchAll(/^# TYPE (\w+)/gm)].filter(([, name]) => !isInBaseUnits(name!))).toEqual([]);
    const prometheus = await Prometheus.start({ api: new URL(world.url).host, worker, evaluator, token });
    try {
      const up = () => prometheus.ask<{ result: { value: [number, string] }[] }>('query?query=up');
      await prometheus.until(async () => {
        const { result } = await up();
        return result.length === 3 && result.every(({ value }) => value[1] === '1');
      }, 120_000);

      const known = Object.keys(await prometheus.ask<object>('metadata'));
      const wanted = ['grafana-dashboard.json', 'alerts.yml', 'alerts.test.yml'].flatMap((file) =>
        named(readFileSync(join(operations, file), 'utf8')),
      );
      expect(wanted.length).toBeGreaterThan(30);
      const missing = wanted.filter(
        (name) => !known.includes(name) && !known.includes(name.replace(/_(bucket|count|sum)$/, '')),
      );
      expect(missing).toEqual([]);

      await prometheus.until(async () => (await rulesOf(prometheus)).every(({ health }) => health === 'ok'), 30_000);
      expect((await rulesOf(prometheus)).length).toBeGreaterThan(10);
      expect((await rulesOf(prometheus)).filter(({ state }) => state === 'firing')).toEqual([]);
      await expectAnswers(prometheus);
    } finally {
      await prometheus.stop();
    }
  });

  withPrometheus('has alerts that say when, tried by promtool', () => {
    const promtool = (...parameters: string[]) =>
      execFileSync('promtool', parameters, { cwd: operations, encoding: 'utf8', stdio: 'pipe' });
    expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });
});

const predictionLine = (id: number, prediction: string): string =>
  `${JSON.stringify({ dataset: 'lengths', id: String(id), prediction })}\n`;

const isInBaseUnits = (name: string): boolean => !/milli|_ms\b|minutes|kilo|mega|percent/.test(name);

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
}

async function rulesOf(prometheus: Prometheus): Promise<Rule[]> {
  const { groups } = await prometheus.ask<{ groups: { rules: Rule[] }[] }>('rules');
  return groups.flatMap(({ rules }) => rules);
}

/** Panels without data, because this service has not done yet what they show. */
const NOTHING_YET = ['Models in the loop', 'Copies of models in the loop', 'Events that wait'];

/** Checks that Prometheus has data for every query of the dashboard. */
async function expectAnswers(prometheus: Prometheus): Promise<void> {
  const { panels } = JSON.parse(readFileSync(join(operations, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const questions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  expect(questions.length).toBeGreaterThan(25);
  const silent = async (): Promise<string[]> => {
    const answers = questions.map(async ({ title, expr }) => {
      const { result } = await prometheus.ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`);
      return result.length === 0 && !NOTHING_YET.includes(title) ? `${title}: ${expr}` : [];
    });
    return (await Promise.all(answers)).flat();
  };
  // a rate needs two samples
  await prometheus.until(async () => (await silent()).length === 0, 120_000).catch(() => undefined);
  expect(await silent()).toEqual([]);
}
