import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Context, DeploymentReconciler, RoundModel } from '@assay/collection/rounds';
import { TaskLimits } from '@assay/contracts/tasks';
import { Evaluator } from '@assay/evaluation/evaluators';
import { AuditEntry } from '@assay/identity/audit';
import { BoardRevision } from '@assay/leaderboard/boards';
import { Promotion } from '@assay/leaderboard/promotions';
import { Metrics } from '@assay/observability';
import { Notifications, OutboxRelay } from '@assay/persistence/outbox';
import { type FakeModel, fakeModel, FakeSandboxDriver } from '@assay/sandbox';
import { Deployment, DEPLOYMENT_CHANNEL, DeploymentDirectory, DeploymentRepository } from '@assay/serving';
import type { Model } from '@assay/submissions';
import { Round, type Task } from '@assay/tasks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeploymentClient } from '../../apps/api/src/serving/deployment-client.js';
import { DeploymentPredictions } from '../../apps/api/src/serving/deployment-predictions.js';
import { EvaluatorConnections } from '../../apps/api/src/serving/evaluator-connections.js';
import { ArtifactCache } from '../../apps/evaluator/src/gateway/artifact-cache.js';
import { ServiceClient } from '../../apps/evaluator/src/gateway/service-client.js';
import type { MeasuringLocks } from '../../apps/evaluator/src/host/measuring-locks.js';
import { hiddenTurn } from '../../apps/evaluator/src/run/hidden-turn.js';
import type { ImageUse } from '../../apps/evaluator/src/run/session/model-images.js';
import {
  DeploymentHost,
  type DeploymentHostParts,
  type DeploymentSettings,
} from '../../apps/evaluator/src/serving/deployment-host.js';
import { boardContent } from '../factories/models/board-content.js';
import { until as untilHolds } from '../factories/until.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { EvaluationWorld, sha256 } from '../factories/worlds/evaluation-world.js';
import { REPORT } from './api/route-world.js';

const LEASE_SECONDS = 8;
const REPORT_MILLISECONDS = 1000;
const SETTINGS: DeploymentSettings = {
  most: 8,
  slowSeconds: 10,
  idleSeconds: 120,
  turnSeconds: 600,
};

type Asked = { instances: { text: string }[] };
const cheerful = fakeModel.answers((asked) => ({
  predictions: (asked as Asked).instances.map(({ text }) => ({
    label: text.includes('good') ? 'positive' : 'negative',
    probabilities: text.includes('good') ? { positive: 0.9, negative: 0.1 } : { positive: 0.2, negative: 0.8 },
  })),
}));

type ServingParts = Pick<DeploymentHostParts, 'life' | 'ceilings'> & Partial<Pick<MeasuringLocks, 'isHidden'>>;

/** The part of an evaluator that serves deployments, at the API of the test. */
class ServingEvaluator {
  readonly driver: FakeSandboxDriver;
  /** The purposes for which images were installed. */
  readonly uses: (ImageUse | undefined)[] = [];
  private host: DeploymentHost | undefined;
  private reports: NodeJS.Timeout | undefined;

  constructor(
    private readonly world: EvaluationWorld,
    private readonly models: (digest: string) => FakeModel,
  ) {
    this.driver = new FakeSandboxDriver(this.models);
  }

  async start(
    api: ApiWorld,
    token: string,
    settings: Partial<DeploymentSettings>,
    { isHidden, ...more }: ServingParts,
  ): Promise<void> {
    const report = () => api.call('PUT', '/evaluator/presence', { token, body: REPORT });
    await report();
    this.reports = setInterval(() => void report(), REPORT_MILLISECONDS);
    const { locks, folder } = this.world;
    this.host = new DeploymentHost({
      client: new ServiceClient(api.url, token),
      artifacts: await ArtifactCache.open(join(folder, 'artifacts', sha256(token))),
      driver: this.driver,
      images: {
        install: (artifact, _signal, use) => {
          this.uses.push(use);
          return Promise.resolve(artifact.digest);
        },
      },
      settings: { ...SETTINGS, ...settings },
      locks: { ...locks, ...(isHidden && { isHidden }) },
      ...more,
    });
    this.host.start();
  }

  leave(): Promise<void> {
    clearInterval(this.reports);
    return this.host!.leave();
  }
}

describe('deployments', () => {
  let world: EvaluationWorld;
  let api: ApiWorld;
  let notifications: Notifications;
  let relay: OutboxRelay;
  let reconciler: DeploymentReconciler;
  let evaluators: ServingEvaluator[] = [];
  let models: Record<string, FakeModel> = {};
  const changes = new Set<() => void>();

  beforeAll(async () => {
    world = await EvaluationWorld.create();
    api = await apiWorld(
      { ASSAY_LEASE_SECONDS: String(LEASE_SECONDS) },
      { database: { url: world.ownerUrl, applicationUrl: world.url }, home: world.folder },
    );
    notifications = new Notifications({ url: world.url });
    await notifications.subscribe(DEPLOYMENT_CHANNEL, () => {
      for (const changed of changes) changed();
    });
  });
  beforeEach(async () => {
    await world.em.nativeDelete(Deployment, {});
    await world.em.nativeUpdate(RoundModel, { until: null }, { until: new Date() });
    await world.em.nativeUpdate(Promotion, { until: null }, { until: new Date() });
    reconciler = new DeploymentReconciler(world.em);
    relay = new OutboxRelay(world.em, notifications, reconciler.dispatch, { pollMilliseconds: 100 });
    await relay.start();
  });
  afterEach(async () => {
    await relay.stop();
    for (const each of evaluators) await each.leave();
    await world.em.nativeUpdate(Evaluator, { state: 'active' }, { state: 'removed', removedAt: new Date() });
    evaluators = [];
    models = {};
  });
  afterAll(async () => {
    await notifications.close();
    await api.close();
    await world.close();
  });

  /** Starts an evaluator. Its name in leases is `remote/NAME`. */
  async function evaluator(
    name = 'one',
    settings: Partial<DeploymentSettings> = {},
    more: ServingParts = {},
  ): Promise<ServingEvaluator> {
    const { body } = await api.call('POST', '/evaluators', { token: api.admin, body: { name } });
    const made = new ServingEvaluator(world, (digest) => models[digest] ?? cheerful);
    evaluators.push(made);
    await made.start(api, body.token as string, settings, more);
    return made;
  }

  const collecting = (): Promise<Task> => world.task({ collection: {} });

  async function openRound(task: Task, inLoop: readonly Model[]): Promise<Round> {
    const em = world.em;
    const round = em.create(Round, { task: task.id, number: 1, state: 'open', imported: false });
    for (const model of inLoop) {
      em.create(RoundModel, { round, model: model.id, reason: 'named', evidence: null, since: new Date() });
    }
    await em.flush();
    return round;
  }

  async function promoted(task: Task, model: Model): Promise<void> {
    const em = world.em;
    const evidence = { revision: 1, rank: 1, dynascore: 50, values: {}, rule: 'the best' };
    em.create(Promotion, { task: task.id, model: model.id, evidence, since: new Date(), until: null });
    await em.flush();
  }

  /** Publishes a board with the accuracy of each model. */
  async function published(task: Task, models: readonly (readonly [Model, number])[]): Promise<void> {
    const em = world.em;
    const rows = models.map(([{ id }, accuracy]) => [id, { accuracy, owner: task.slug }] as const);
    const content = boardContent(Object.fromEntries(rows), { metrics: ['accuracy'], weights: { accuracy: 1 } });
    const digest = sha256(JSON.stringify(content));
    em.create(BoardRevision, { task, number: 1, benchmarkVersion: 1, content, digest, publishedAt: new Date() });
    await em.flush();
  }

  async function modelOf(task: Task, script?: FakeModel): Promise<Model> {
    const model = await world.model(task, { admitted: true });
    if (script) models[model.specification!.artifact.digest] = script;
    return model;
  }

  const deploymentsOf = (model: Model): Promise<Deployment[]> =>
    world.em.find(Deployment, { model: model.id }, { orderBy: { createdAt: 'asc', copy: 'asc' } });

  /** Waits for notifications until the deployments of the model satisfy `wanted`. */
  async function untilAll(model: Model, wanted: (all: readonly Deployment[]) => boolean): Promise<Deployment[]> {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        const done = () => {
          changes.delete(done);
          resolve();
        };
        changes.add(done);
      });
      const deployments = await deploymentsOf(model);
      if (wanted(deployments)) return deployments;
      await changed;
    }
  }
  /** Waits for notifications until the newest deployment of the model satisfies `wanted`. */
  const until = async (model: Model, wanted: (deployment: Deployment) => boolean): Promise<Deployment> =>
    (await untilAll(model, (all) => all.slice(-1).some(wanted))).at(-1)!;
  /** Waits until the model can be asked. */
  async function ready(model: Model): Promise<Deployment> {
    const deployment = await until(model, ({ state }) => state === 'ready');
    await connected();
    return deployment;
  }
  /** Waits until every evaluator is connected. */
  const connected = (): Promise<void> =>
    untilHolds(async () => (await world.em.count(Evaluator, { liveAddress: null, state: 'active' })) === 0);

  /** Keeps the model from being leased, once it waits for that. */
  async function delayed({ id }: Model): Promise<void> {
    const sql = `update placement set due_at = now() + interval '1 hour' where model_id = ? and state = 'wanted' returning id`;
    await untilHolds(async () => (await world.em.execute<unknown[]>(sql, [id])).length === 1);
  }
  /** Lets the model be leased again. */
  async function due(model: Model): Promise<void> {
    await world.em.execute('update placement set due_at = now() where model_id = ?', [model.id]);
    await world.em.execute('select pg_notify(?, ?)', [DEPLOYMENT_CHANNEL, '']);
  }
  /** Lets the model be leased once, while a run of its owner holds it back. */
  async function heldBack(model: Model): Promise<void> {
    const [before] = await deploymentsOf(model);
    await due(model);
    await until(model, ({ state, fence }) => state === 'wanted' && fence > before!.fence);
    await delayed(model);
  }

  const predictions = (metrics?: Metrics): DeploymentPredictions =>
    new DeploymentPredictions(
      new DeploymentDirectory(world.em, notifications),
      new DeploymentClient(api.app.get(EvaluatorConnections)),
      metrics,
    );

  it('serves the models of an open round, and nothing of a task that does not collect', async () => {
    const { driver, uses } = await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    const other = await world.task();
    await promoted(other, await modelOf(other));

    expect(await reconciler.reconcile()).toMatchObject({ made: 1, stopped: 0 });
    const deployment = await ready(model);

    expect(deployment).toMatchObject({ evaluator: 'remote/one', fence: 1, progress: null, attempts: 0 });
    expect(driver.started).toMatchObject([{ cores: 'shared', data: 'readable', labels: { run: deployment.id } }]);
    // with its own image, because it runs next to other owners' runs on hidden data
    expect(uses).toEqual(['live']);
    // a sandbox has a deadline, in case its evaluator never returns
    expect(driver.started[0]!.labels.deadline).toBeGreaterThan(Date.now());
    expect(await reconciler.reconcile()).toMatchObject({ made: 0, stopped: 0 });
  });

  it('serves whom the policy has put in the loop before a round opens', async () => {
    await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    await promoted(task, model);

    await reconciler.reconcile();
    await ready(model);

    // the models of an open round take over
    const named = await modelOf(task);
    await openRound(task, [named]);
    expect(await reconciler.reconcile()).toMatchObject({ made: 1, stopped: 1 });
    await ready(named);
    expect(await deploymentsOf(model)).toMatchObject([{ state: 'stopped', evaluator: null }]);
  });

  it('answers with the label, the probabilities in the order of the task, and who answered', async () => {
    await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);

    const [good, bad] = await predictions().predict(task, model, [{ text: 'a good day' }, { text: 'rain' }]);

    expect(good).toEqual({
      model: model.id,
      specification: model.specification!.id,
      answer: 'positive',
      probabilities: [0.9, 0.1],
      milliseconds: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(bad).toMatchObject({ answer: 'negative', probabilities: [0.2, 0.8] });
  });

  it('counts each question, and what became of it', async () => {
    await evaluator();
    const task = await collecting();
    const silent = { kind: 'status', status: 404, body: '' } as const;
    const model = await modelOf(task, {
      ...cheerful,
      reply: (body, signal, path) => (path === '/explain' ? silent : cheerful.reply(body, signal)),
    });
    await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);
    const metrics = new Metrics();
    const live = predictions(metrics);
    const counted = async (question: string, outcome: string): Promise<number> => {
      const name = `assay_live_prediction_duration_seconds_count{question="${question}",outcome="${outcome}"} `;
      const line = (await metrics.expose()).body.split('\n').find((each) => each.startsWith(name));
      return Number(line?.slice(name.length) ?? 0);
    };
    const all = async () => [
      await counted('predict', 'answered'),
      await counted('explain', 'answered'),
      await counted('predict', 'unavailable'),
    ];
    expect(await all()).toEqual([0, 0, 0]);

    await live.predict(task, model, [{ text: 'good' }]);
    expect(await all()).toEqual([1, 0, 0]);
    await live.inspect(task, model, { text: 'good' });
    // the answer, the request for an explanation, and the text without its only word
    expect(await all()).toEqual([3, 1, 0]);
    await expect(live.predict(task, await modelOf(task), [{ text: 'good' }])).rejects.toThrow('is not served');
    expect(await all()).toEqual([3, 1, 1]);
  });

  it('says how far a cold model is', async () => {
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await expect(predictions().predict(task, model, [{ text: 'x' }])).rejects.toMatchObject({
      code: 'model_unavailable',
    });

    await reconciler.reconcile();

    await expect(predictions().predict(task, model, [{ text: 'x' }])).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'model_starting',
      message: 'The model waits for an evaluator that can serve it. Try again in a moment.',
      problems: expect.arrayContaining([{ path: 'step', message: 'evaluator' }]),
    });
  });

  it('starts a model again that ends, and gives it up when it keeps ending', async () => {
    const { driver } = await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    const { digest } = model.specification!.artifact;
    const round = await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);

    driver.kill(digest);
    const again = await until(model, ({ state, fence }) => state === 'ready' && fence === 2);
    expect(again).toMatchObject({ attempts: 1, failure: null });

    models[digest] = fakeModel.exits(3);
    driver.kill(digest);
    const failed = await until(model, ({ state }) => state === 'failed');
    expect(failed).toMatchObject({ failure: { code: 'model_exited', fault: 'model' }, evaluator: null });
    expect([...driver.running]).toEqual([]);
    await expect(predictions().predict(task, model, [{ text: 'x' }])).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('exited with code 3'),
    });
    expect(await world.events('placement.failed')).toContainEqual({ placementId: failed.id });
    // no model can replace it, so it stays, but it is not started again immediately
    expect(await world.em.count(RoundModel, { model: model.id, until: null })).toBe(1);
    expect(await reconciler.reconcile()).toMatchObject({ made: 0 });
    expect(await world.em.count(AuditEntry, { subjectId: round.id })).toBe(0);
  });

  it('asks a model before it is ready, and does not mind what it thinks of that', async () => {
    const { driver } = await evaluator();
    const task = await collecting();
    const asked: string[] = [];
    const model = await modelOf(task, {
      ...cheerful,
      reply: (body, signal) => {
        asked.push(body.toString());
        return asked.length === 1 ? { kind: 'status', status: 422, body: 'too short' } : cheerful.reply(body, signal);
      },
    });
    const round = await openRound(task, [model]);
    const em = world.em;
    em.create(Context, { round: round.id, externalId: '1', content: { text: 'Rain fell.', prompt: 'Write!' } });
    await em.flush();
    await reconciler.reconcile();

    expect(await ready(model)).toMatchObject({ fence: 1, attempts: 0 });

    const rain = { instances: [{ text: 'Rain fell.' }] };
    expect(asked.map((each) => JSON.parse(each))).toEqual([rain, rain]);
    expect(await predictions().predict(task, model, [{ text: 'good' }])).toMatchObject([{ answer: 'positive' }]);
    expect(driver.started).toHaveLength(1);
  });

  it('warms a model up like a run, with readable examples of its task and none that are hidden', async () => {
    await evaluator();
    const task = await collecting();
    const rows = (kind: string) =>
      Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, text: `${kind} ${n}`, label: 'positive' }));
    for (const [name, visibility] of [
      ['seen', 'public'],
      ['unseen', 'hidden'],
    ] as const) {
      const lines = rows(name).map((row) => `${JSON.stringify(row)}\n`);
      const { digest } = await world.blobs.put(Readable.from(lines));
      await world.dataset(task, name, { visibility, content: digest, examples: 500 });
    }
    const asked: string[][] = [];
    const model = await modelOf(task, {
      ...cheerful,
      reply: (body, signal) => {
        asked.push(JSON.parse(body.toString()).instances.map(({ text }: { text: string }) => text));
        return cheerful.reply(body, signal);
      },
    });
    await openRound(task, [model]);
    await reconciler.reconcile();

    await ready(model);

    expect(asked.map(({ length }) => length)).toEqual([1, 64, 64]);
    expect(asked.flat().filter((text) => !/^seen \d+$/.test(text))).toEqual([]);
    expect(new Set(asked.flat()).size).toBe(129);
  });

  it('gives a model up that ends over its first question, before anybody asked', async () => {
    const task = await collecting();
    const model = await modelOf(task, fakeModel.exitsAfter(0, 9, cheerful));
    await openRound(task, [model]);
    await reconciler.reconcile();
    // the last attempt
    await world.em.nativeUpdate(Deployment, { model: model.id }, { attempts: 3 });
    const { driver } = await evaluator();

    const failed = await until(model, ({ state }) => state === 'failed');
    expect(failed).toMatchObject({ failure: { code: 'model_exited' }, readyAt: null });
    for (const each of evaluators) await each.leave();
    expect([...driver.running]).toEqual([]);
  });

  it('serves the next best of the board in the place of a model that was given up', async () => {
    const task = await collecting();
    const failing = await modelOf(task, fakeModel.exits(3));
    const [third, second] = [await modelOf(task), await modelOf(task)];
    await published(task, [
      [third, 0.6],
      [failing, 0.9],
      [second, 0.8],
    ]);
    const round = await openRound(task, [failing]);
    await reconciler.reconcile();
    // the last attempt
    await world.em.nativeUpdate(Deployment, { model: failing.id }, { attempts: 3 });
    await evaluator();

    await ready(second);

    expect(await world.em.find(RoundModel, { round }, { orderBy: { since: 'asc', id: 'asc' } })).toMatchObject([
      { model: { id: failing.id }, until: expect.any(Date), left: expect.stringContaining('exited with code 3') },
      { model: { id: second.id }, reason: 'replacement', until: null, evidence: { revision: 1, rank: 2 } },
    ]);
    expect(await world.em.find(AuditEntry, { subjectId: round.id })).toMatchObject([
      {
        actor: null,
        action: 'loop.changed',
        subjectName: `${task.slug} round ${round.number}`,
        from: { model: failing.id },
        to: { model: second.id, why: expect.stringContaining('exited with code 3') },
      },
    ]);
    expect(await deploymentsOf(failing)).toMatchObject([{ state: 'failed', failure: { code: 'model_exited' } }]);
    expect(await deploymentsOf(third)).toEqual([]);
    expect(await predictions().predict(task, second, [{ text: 'good' }])).toMatchObject([{ answer: 'positive' }]);
  });

  it('gives a model up that is too slow for people', async () => {
    await evaluator('one', { slowSeconds: 0.001 });
    const task = await collecting();
    const model = await modelOf(task, fakeModel.slow(5, cheerful));
    await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);
    const live = predictions();

    for (let asked = 0; asked < 9; asked++) await live.predict(task, model, [{ text: `good ${asked}` }]);

    expect(await until(model, ({ state }) => state === 'failed')).toMatchObject({ failure: { code: 'too_slow' } });
  });

  it('is taken over once its lease has expired, and the old holder changes nothing any more', async () => {
    const first = await evaluator('one');
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    const { id, fence } = await ready(model);
    // the first evaluator can no longer reach the service, and does not know it
    await world.em.nativeUpdate(Evaluator, { name: 'one' }, { state: 'removed', removedAt: new Date() });
    const second = await evaluator('two');

    await world.em.execute(`update placement set lease_until = now() - interval '1 second' where id = ?`, [id]);
    const taken = await until(model, ({ state, evaluator: by }) => state === 'ready' && by === 'remote/two');

    expect(taken.fence).toBeGreaterThan(fence);
    await untilHolds(() => first.driver.running.size === 0);
    expect(await deploymentsOf(model)).toMatchObject([{ state: 'ready', evaluator: 'remote/two', fence: taken.fence }]);
    expect(second.driver.running.size).toBe(1);
  });

  it('returns to the queue when nobody takes it over', async () => {
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    await world.em.nativeUpdate(
      Deployment,
      { model: model.id },
      { state: 'ready', evaluator: 'remote/gone', leaseUntil: new Date(0) },
    );

    expect(await reconciler.reconcile()).toMatchObject({ requeued: 1 });

    expect(await deploymentsOf(model)).toMatchObject([{ state: 'wanted', evaluator: null }]);
  });

  it('lowers the limits of a live model to the ceilings of its host', async () => {
    const ceilings = { ...TaskLimits.parse({}), memory: 2 ** 30, cpus: 2 };
    const greedy = await evaluator('one', {}, { ceilings });
    const task = await world.task({ collection: {}, limits: { memory: '4GiB', cpus: 4 } });
    const model = await modelOf(task);
    await openRound(task, [model]);

    await reconciler.reconcile();
    await ready(model);

    expect(greedy.driver.started[0]!.limits).toMatchObject({ memory: 2 ** 30, cpus: 2 });
  });

  it('gives way to a run of its owner on hidden data when nobody asks, and comes back after it', async () => {
    const { driver } = await evaluator('one', { idleSeconds: 0 });
    const task = await collecting();
    const model = await modelOf(task);
    const other = await world.task({ collection: {} });
    const ofSomebodyElse = await modelOf(other);
    await openRound(task, [model]);
    await openRound(other, [ofSomebodyElse]);
    await reconciler.reconcile();
    const { fence } = await ready(model);
    await ready(ofSomebodyElse);
    expect(await driver.countReadable([task.owner.id])).toBe(1);

    const { locks } = world;
    const parts = { locks, driver, owners: [task.owner.id], signal: new AbortController().signal };
    const turn = await hiddenTurn(parts);
    expect(turn).not.toBeNull();
    expect([...driver.running.values()].map(({ labels }) => labels.owners)).toEqual([[other.owner.id]]);
    expect(await hiddenTurn(parts)).toBeNull();
    // the model is not started while the run has its turn
    await until(model, (deployment) => deployment.state === 'wanted' && deployment.fence > fence);
    expect(await driver.countReadable([task.owner.id])).toBe(0);
    await turn!.release();

    // the row may say "ready" for a moment after its sandbox has stopped
    await until(model, (deployment) => deployment.state === 'ready' && deployment.fence > fence);
    expect(await driver.countReadable([task.owner.id])).toBe(1);
  });

  it('refuses a live question while a run of its owner uses hidden data, and answers it in a new container after that', async () => {
    const { driver } = await evaluator('one', { idleSeconds: 0 });
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    const { fence } = await ready(model);
    const ask = () => predictions().predict(task, model, [{ text: 'good' }]);

    const { signal } = new AbortController();
    const turn = await hiddenTurn({ locks: world.locks, driver, owners: [task.owner.id], signal });
    await until(model, (deployment) => deployment.state === 'wanted' && deployment.fence > fence);
    await expect(ask()).rejects.toMatchObject({ kind: 'unavailable', code: 'model_starting' });
    await turn!.release();

    await until(model, (deployment) => deployment.state === 'ready' && deployment.fence > fence);
    expect(await ask()).toMatchObject([{ answer: 'positive' }]);
    expect(driver.started.map(({ data }) => data)).toEqual(['readable', 'readable']);
  });

  it('starts before the next run of its owner on hidden data when people ask it, and only then', async () => {
    const { driver } = await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    const parts = { locks: world.locks, driver, owners: [task.owner.id], signal: new AbortController().signal };
    const first = await hiddenTurn(parts);
    await reconciler.reconcile();
    await until(model, ({ state, fence }) => state === 'wanted' && fence > 0);
    await delayed(model);

    // nobody asks it: the runs of its owner follow one another
    await first!.release();
    const second = await hiddenTurn(parts);
    expect(second).not.toBeNull();

    await expect(predictions().predict(task, model, [{ text: 'good' }])).rejects.toThrow('Try again in a moment');
    // questions within ten seconds of this one are not recorded: the last may be 115 seconds ago
    await world.em.nativeUpdate(Deployment, { model: model.id }, { askedAt: new Date(Date.now() - 125_000) });
    await heldBack(model);
    await second!.release();
    expect(await hiddenTurn({ ...parts, patience: 0 })).toBeNull();
    await due(model);
    await ready(model);
    expect(await predictions().predict(task, model, [{ text: 'good' }])).toMatchObject([{ answer: 'positive' }]);

    // the model itself keeps runs away now, and no lock remains
    expect(await hiddenTurn({ ...parts, patience: 0 })).toBeNull();
    const restart = await world.locks.tryRestart(parts.owners);
    expect(restart).not.toBeNull();
    await restart!.release();
  });

  it('lets the next run of its owner on hidden data begin once people no longer ask it', async () => {
    const { driver } = await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    const parts = { locks: world.locks, driver, owners: [task.owner.id], signal: new AbortController().signal };
    const first = await hiddenTurn(parts);
    await reconciler.reconcile();
    await until(model, ({ state, fence }) => state === 'wanted' && fence > 0);
    await delayed(model);
    await expect(predictions().predict(task, model, [{ text: 'good' }])).rejects.toThrow('Try again in a moment');
    await heldBack(model);
    await world.em.nativeUpdate(Deployment, { model: model.id }, { askedAt: new Date(Date.now() - 131_000) });

    await heldBack(model);
    await first!.release();

    const second = await hiddenTurn(parts);
    expect(second).not.toBeNull();
    await second!.release();
  });

  it('does not start beside a run on hidden data that got its turn after the deployment was taken', async () => {
    let looks = 0;
    const isHidden = () => Promise.resolve(looks++ > 0);
    const late = await evaluator('one', {}, { isHidden });
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);

    await reconciler.reconcile();
    const tried = await until(model, ({ state, fence }) => state === 'ready' || (state === 'wanted' && fence > 0));

    expect(tried.state).toBe('wanted');
    expect(late.driver.started).toEqual([]);
  });

  it('gives way to no run while somebody asks it', async () => {
    const { driver } = await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);

    const { signal } = new AbortController();
    expect(await hiddenTurn({ locks: world.locks, driver, owners: [task.owner.id], signal, patience: 0 })).toBeNull();

    expect(await deploymentsOf(model)).toMatchObject([{ state: 'ready', fence: 1 }]);
    expect(await world.locks.isHidden([task.owner.id])).toBe(false);
  });

  it('gives way to one run after its turn although people ask it', async () => {
    const { driver } = await evaluator('one', { turnSeconds: 0 });
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    const { fence } = await ready(model);
    await predictions().predict(task, model, [{ text: 'good' }]);

    const parts = { locks: world.locks, driver, owners: [task.owner.id], signal: new AbortController().signal };
    const turn = await hiddenTurn(parts);
    expect(turn).not.toBeNull();
    await delayed(model);
    await expect(predictions().predict(task, model, [{ text: 'good' }])).rejects.toThrow('Try again in a moment');
    await heldBack(model);
    await turn!.release();

    expect(await hiddenTurn({ ...parts, patience: 0 })).toBeNull();
    await due(model);
    await until(model, (deployment) => deployment.state === 'ready' && deployment.fence > fence);
  });

  it('is replaced by a fresh container when it is old and nobody asks', async () => {
    const old = await evaluator('one', {}, { life: { seconds: 0, idleSeconds: 0 } });
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);

    const fresh = await until(model, ({ state, fence }) => state === 'ready' && fence > 1);

    expect(fresh).toMatchObject({ attempts: 0, failure: null });
    expect(old.driver.running.size).toBe(1);
  });

  it('is stopped when its model leaves the loop', async () => {
    const { driver } = await evaluator();
    const task = await collecting();
    const model = await modelOf(task);
    const round = await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);

    await world.em.nativeUpdate(RoundModel, { round: round.id }, { until: new Date(), left: 'replaced' });
    expect(await reconciler.reconcile()).toMatchObject({ stopped: 1 });

    await until(model, ({ state }) => state === 'stopped');
    for (const each of evaluators) await each.leave();
    expect([...driver.running]).toEqual([]);
    expect(await deploymentsOf(model)).toMatchObject([{ state: 'stopped', evaluator: null }]);
  });

  it('is given back at once by an evaluator that is stopped, and taken by another', async () => {
    const first = await evaluator('one');
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();
    await ready(model);
    evaluators = [];
    await evaluator('two');

    await first.leave();

    expect([...first.driver.running]).toEqual([]);
    expect(await until(model, ({ state }) => state === 'ready')).toMatchObject({
      evaluator: 'remote/two',
      attempts: 0,
    });
  });

  it('waits while the platform fails, and does not blame the model', async () => {
    const { driver } = await evaluator();
    driver.outage = 'the engine is down';
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);
    await reconciler.reconcile();

    const waiting = await until(
      model,
      ({ progress, state }) => state === 'wanted' && progress!.message.includes('down'),
    );
    expect(waiting).toMatchObject({ attempts: 0, failure: null });

    driver.outage = null;
    await due(model);
    await ready(model);
  });

  it('has copies on different evaluators, of which another answers where one is gone or paused', async () => {
    const one = await evaluator('one');
    const two = await evaluator('two');
    reconciler = new DeploymentReconciler(world.em, 2);
    const task = await collecting();
    const model = await modelOf(task);
    await openRound(task, [model]);

    expect(await reconciler.reconcile()).toMatchObject({ made: 2 });
    const both = await untilAll(model, (all) => all.every(({ state }) => state === 'ready'));
    await connected();
    expect(both.map(({ evaluator }) => evaluator).sort()).toEqual(['remote/one', 'remote/two']);
    expect([one, two].map(({ driver }) => driver.running.size)).toEqual([1, 1]);

    // an earlier evaluator pauses its models while it measures
    const [first, second] = await world.transaction(async (em) => {
      await em.execute(`update placement set paused = true where evaluator = 'remote/one' and model_id = ?`, [
        model.id,
      ]);
      return new DeploymentRepository(em).ofModels([model.id]);
    });
    expect([first!.paused, second!.paused]).toEqual([false, true]);
    await one.leave();
    evaluators = [two];
    expect(await predictions().predict(task, model, [{ text: 'good' }])).toMatchObject([{ answer: 'positive' }]);
  });

  it('takes no more than there is room for', async () => {
    const { driver } = await evaluator('one', { most: 1 });
    const task = await collecting();
    const inLoop = [await modelOf(task), await modelOf(task)];
    await openRound(task, inLoop);

    await reconciler.reconcile();
    await until(inLoop[0]!, () => driver.running.size === 1);

    const states = (await Promise.all(inLoop.map(deploymentsOf))).flat().map(({ state }) => state);
    expect(states).toContain('wanted');
  });

  describe('inspecting', () => {
    const explains: FakeModel = {
      ...cheerful,
      reply: (body, signal, path) => {
        if (path !== '/explain') return cheerful.reply(body, signal);
        return Buffer.from('{"explanations":[{"text":[{"token":"good","start":2,"end":6,"weight":0.7}]}]}');
      },
    };
    const silent: FakeModel = {
      ...cheerful,
      reply: (body, signal, path) =>
        path === '/explain' ? { kind: 'status', status: 404, body: '' } : cheerful.reply(body, signal),
    };

    async function served(script: FakeModel): Promise<{ task: Task; model: Model }> {
      await evaluator();
      const task = await collecting();
      const model = await modelOf(task, script);
      await openRound(task, [model]);
      await reconciler.reconcile();
      await ready(model);
      return { task, model };
    }

    it('asks the model itself where it explains', async () => {
      const { task, model } = await served(explains);

      expect(await predictions().inspect(task, model, { text: 'a good day' })).toEqual({
        method: 'model',
        fields: { text: [{ token: 'good', start: 2, end: 6, weight: 0.7 }] },
      });
      // a model explains only its own answer; another label is explained by leaving words out
      expect(await predictions().inspect(task, model, { text: 'a good day' }, 'negative')).toMatchObject({
        method: 'occlusion',
      });
    });

    it('leaves words out where it does not', async () => {
      const { task, model } = await served(silent);

      const { method, fields } = await predictions().inspect(task, model, { text: 'a good day' });

      expect(method).toBe('occlusion');
      expect(fields['text']!.map(({ token, weight }) => [token, Math.round(weight * 10) / 10])).toEqual([
        ['a', 0],
        ['good', 0.7],
        ['day', 0],
      ]);
    });

    it.each<[string, Buffer, RegExp]>([
      ['nests without end', Buffer.alloc(900_000, '['), /limit: 64 levels/],
      ['is no JSON', Buffer.from('{"explanations":'), /is not valid JSON/],
      ['does not end', Buffer.alloc(16 << 20, ' '), /limit of 976\.6 KiB/],
    ])('fails, and nothing else, where what the model explains %s', async (_, explanation, why) => {
      const { task, model } = await served({
        ...cheerful,
        reply: (body, signal, path) => (path === '/explain' ? explanation : cheerful.reply(body, signal)),
      });

      await expect(predictions().inspect(task, model, { text: 'a good day' })).rejects.toMatchObject({
        code: 'model_failed',
        message: expect.stringMatching(why),
      });
      expect(await predictions().predict(task, model, [{ text: 'good' }])).toMatchObject([{ answer: 'positive' }]);
      expect(await deploymentsOf(model)).toMatchObject([{ state: 'ready', attempts: 0 }]);
    });
  });
});
