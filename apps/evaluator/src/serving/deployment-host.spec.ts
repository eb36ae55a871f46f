import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeploymentOutcome, type LeasedDeploymentView, ReportDeployment } from '@assay/contracts/serving';
import { TaskLimits } from '@assay/contracts/tasks';
import { newId } from '@assay/kernel';
import { fakeModel, type FakeModel, FakeSandboxDriver } from '@assay/sandbox';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  FakeGateway,
  type GatewayReply,
  hangUp,
  json,
  noContent,
  problem,
  silent,
} from '../../../../test/factories/services/fake-gateway.js';
import { DEPLOYMENT, leasedDeploymentView } from '../../../../test/factories/services/lease-views.js';
import { until } from '../../../../test/factories/until.js';
import { ArtifactCache } from '../gateway/artifact-cache.js';
import { ServiceClient } from '../gateway/service-client.js';
import { LiveRequests, PeopleFirst } from '../host/live-requests.js';
import { measuringLocks, type MeasuringLocks } from '../host/measuring-locks.js';
import type { AdmittedArtifact, ImageUse } from '../run/session/model-images.js';
import { DeploymentHost, type DeploymentHostParts, type DeploymentSettings } from './deployment-host.js';

const LEASES = 'POST /deployments/leases';
const STATE = `PUT /deployments/${DEPLOYMENT}/state`;
const OUTCOME = `POST /deployments/${DEPLOYMENT}/outcome`;
const WARM_UP = `GET /deployments/${DEPLOYMENT}/warm-up`;
const ARTIFACT = `GET /deployments/${DEPLOYMENT}/artifact`;

const BYTES = Buffer.from('the artifact as uploaded');
const DIGEST = createHash('sha256').update(BYTES).digest('hex');
const { owners: OWNERS } = leasedDeploymentView().assignment;

const CEILINGS = TaskLimits.parse({});
const SETTINGS: DeploymentSettings = { most: 8, slowSeconds: 10, idleSeconds: 120, turnSeconds: 600 };
const READY = { state: 'ready' } satisfies ReportDeployment;

const good = fakeModel.answers((asked) => ({
  predictions: (asked as { instances: unknown[] }).instances.map(() => ({ label: 'good' })),
}));

type HostOptions = Partial<Omit<DeploymentHostParts, 'settings'>> & { readonly settings?: Partial<DeploymentSettings> };

describe('DeploymentHost', () => {
  let gateway: FakeGateway;
  let folder: string;
  let host: DeploymentHost;
  let model: FakeModel;
  let driver: FakeSandboxDriver;
  let locks: MeasuringLocks;
  let liveRequests: LiveRequests;
  const installed: [AdmittedArtifact, ImageUse | undefined][] = [];
  const logged = { warn: jest.spyOn(Logger.prototype, 'warn'), error: jest.spyOn(Logger.prototype, 'error') };

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    for (const spy of Object.values(logged)) spy.mockReset().mockReturnValue();
    gateway = await FakeGateway.start();
    folder = await mkdtemp(join(tmpdir(), 'deployment-host-'));
    model = good;
    driver = new FakeSandboxDriver(() => model);
    locks = measuringLocks(newId());
    liveRequests = new LiveRequests();
    installed.length = 0;
    gateway.on(STATE, noContent);
    gateway.on(OUTCOME, noContent);
    gateway.on(WARM_UP, (response) => response.end('{"text":"one"}\n{"text":"two"}\n'));
    gateway.on(ARTIFACT, (response) => response.end(BYTES));
  });

  afterEach(async () => {
    await host.leave();
    expect([...host.live]).toEqual([]);
    expect([...driver.running]).toEqual([]);
    for (const body of gateway.bodiesOf(STATE)) ReportDeployment.parse(body);
    for (const body of gateway.bodiesOf(OUTCOME)) DeploymentOutcome.parse(body);
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  /** Offers each of these leases once. After that, requests for a lease wait. */
  function offer(...views: readonly LeasedDeploymentView[]): void {
    gateway.on(LEASES, ...views.map((deployment) => json({ deployment })), silent);
  }

  async function start({ settings, ...more }: HostOptions = {}): Promise<void> {
    host = new DeploymentHost({
      client: new ServiceClient(gateway.url, 'assay_token'),
      artifacts: await ArtifactCache.open(folder),
      driver,
      images: {
        install: (artifact, _signal, use) => {
          installed.push([artifact, use]);
          return Promise.resolve(artifact.digest);
        },
      },
      settings: { ...SETTINGS, ...settings },
      locks,
      liveRequests,
      ...more,
    });
    host.start();
  }

  const states = () => gateway.bodiesOf(STATE) as readonly ReportDeployment[];
  const outcomes = () => gateway.bodiesOf(OUTCOME);
  const whenReady = () => until(() => states().at(-1)?.state === 'ready');
  const whenEnded = (times = 1) => until(() => outcomes().length === times);

  async function reply(id: number): Promise<unknown> {
    await until(() => gateway.sockets.length > 0);
    const question = { id, deployment: DEPLOYMENT, ask: 'predict', instances: [{ text: 'x' }] };
    gateway.sockets.at(-1)!.send(JSON.stringify(question));
    const mine = () => (gateway.received as { id: number; reply: unknown }[]).find((answer) => answer.id === id);
    await until(() => mine() !== undefined);
    return mine()!.reply;
  }

  describe('serves a model', () => {
    it('that it leases, starts and warms up, and answers with it', async () => {
      const asked: unknown[] = [];
      model = fakeModel.answers((request) => {
        asked.push(request);
        return { predictions: (request as { instances: unknown[] }).instances.map(() => ({ label: 'good' })) };
      });
      offer(leasedDeploymentView());
      await start();
      await whenReady();

      expect(gateway.bodiesOf(LEASES)).toEqual([
        { protocol: 2, waitSeconds: 30 },
        { protocol: 2, waitSeconds: 30 },
      ]);
      expect(gateway.of(STATE)[0]!.query.toString()).toBe('fence=2');
      expect(states()).toEqual([{ state: 'starting', step: 'start' }, READY]);
      // with its own image, because it runs next to other owners' runs on hidden data
      expect(installed.map(([, use]) => use)).toEqual(['live']);
      const labels = { run: DEPLOYMENT, attempt: 2, owners: OWNERS };
      expect(driver.started).toMatchObject([{ cores: 'shared', data: 'readable', labels }]);
      // a sandbox has a deadline, in case its evaluator never returns
      expect(driver.started[0]!.labels.deadline).toBeGreaterThan(Date.now());
      expect(asked.length).toBeGreaterThan(0);
      expect([...host.live]).toEqual([DEPLOYMENT]);
      expect(await reply(1)).toMatchObject({ kind: 'answers', answers: [{ text: 'good' }] });
    });

    it('within the ceilings of the host', async () => {
      offer(leasedDeploymentView());
      const ceilings = { ...CEILINGS, memory: 2 ** 20, cpus: 0.5 };
      await start({ ceilings });
      await whenReady();

      expect(driver.started).toMatchObject([{ limits: { memory: 2 ** 20, cpus: 0.5 } }]);
    });

    it('from the bytes as uploaded', async () => {
      offer(leasedDeploymentView({}, { digest: DIGEST, size: BYTES.length }));
      const read: Buffer[] = [];
      await start({
        images: {
          install: async ({ source, digest }) => {
            read.push(await readFile(await source()));
            return digest;
          },
        },
      });
      await whenReady();

      expect(read).toEqual([BYTES]);
      expect(gateway.of(ARTIFACT)[0]!.query.toString()).toBe('fence=2');
    });

    it('after an interruption of the first instances', async () => {
      gateway.on(WARM_UP, hangUp, (response) => response.end('{"text":"one"}\n'));
      offer(leasedDeploymentView());
      await start();

      await whenReady();

      expect(gateway.of(WARM_UP)).toHaveLength(2);
    });

    it('and repeats its state, which renews the lease', async () => {
      offer(leasedDeploymentView({ leaseSeconds: 0.4 }));
      gateway.on(STATE, noContent, noContent, hangUp, noContent);
      await start();

      await until(() => states().filter(({ state }) => state === 'ready').length === 4);

      expect(outcomes()).toEqual([]);
    });
  });

  it('leases no more models than it may serve, and the next one when one has ended', async () => {
    const first = leasedDeploymentView();
    offer(first, { ...first, assignment: { ...first.assignment, fence: 3 } });
    await start({ settings: { most: 1 } });
    await whenReady();
    expect(gateway.of(LEASES)).toHaveLength(1);

    driver.kill(first.assignment.artifact.digest);
    await until(() => gateway.of(STATE).some(({ query }) => query.get('fence') === '3'));

    expect(gateway.of(LEASES)).toHaveLength(2);
  });

  it('leases none, and does not connect, if it may serve none', async () => {
    await start({ settings: { most: 0 } });
    await host.leave();

    expect(gateway.requests).toEqual([]);
  });

  it('leases nothing while this host cannot run models', async () => {
    offer(leasedDeploymentView());
    let attempts = 0;
    await start({
      expectAble: () => {
        expect(gateway.of(LEASES)).toEqual([]);
        return ++attempts === 1 ? Promise.reject(new Error('no engine')) : Promise.resolve();
      },
      settings: { most: 1 },
    });
    await whenReady();

    expect(logged.warn.mock.calls).toEqual([['this host cannot run models now: no engine']]);
  });

  describe('lets a measurement give way', () => {
    it('to the start of a model', async () => {
      const { next } = liveRequests;
      let isInterrupted = false;
      model = { ...good, start: () => ((isInterrupted = next.aborted), 0) };
      offer(leasedDeploymentView());
      await start();
      await whenReady();

      expect(isInterrupted).toBe(true);
    });

    it('to a request, which waits for nothing', async () => {
      offer(leasedDeploymentView());
      await start();
      await whenReady();
      const measuring = await locks.measuring(new AbortController().signal);
      const { next } = liveRequests;

      expect(await reply(1)).toMatchObject({ kind: 'answers' });

      expect(next.reason).toBeInstanceOf(PeopleFirst);
      await measuring.release();
    });
  });

  describe('while a run of the owner uses hidden data', () => {
    const heldBack = { kind: 'held_back' };

    it('starts no model', async () => {
      const hidden = await locks.tryHidden(OWNERS);
      offer(leasedDeploymentView());
      await start();
      await whenEnded();
      await hidden!.release();

      expect(outcomes()).toEqual([heldBack]);
      expect(driver.started).toEqual([]);
      // nobody asks it, so the next run need not wait for it
      await (await locks.tryHidden(OWNERS))!.release();
    });

    it('starts no model if the run began while its image was installed', async () => {
      offer(leasedDeploymentView());
      let hidden: Awaited<ReturnType<MeasuringLocks['tryHidden']>> = null;
      await start({
        images: {
          install: async ({ digest }) => {
            hidden = await locks.tryHidden(OWNERS);
            return digest;
          },
        },
      });
      await whenEnded();
      await hidden!.release();

      expect(outcomes()).toEqual([heldBack]);
      expect(driver.started).toEqual([]);
    });

    it('lets no other such run begin before a model that people ask has started', async () => {
      const hidden = await locks.tryHidden(OWNERS);
      let offerAgain: () => unknown = () => undefined;
      const again = json({ deployment: leasedDeploymentView({ askedSeconds: 130 }) });
      gateway.on(LEASES, again, (response, request) => (offerAgain = () => again(response, request)), silent);
      await start();
      await whenEnded();
      await hidden!.release();
      await until(() => gateway.of(LEASES).length === 2);
      expect(outcomes()).toEqual([heldBack]);
      expect(await locks.tryHidden(OWNERS)).toBeNull();

      offerAgain();
      await whenReady();
      await (await locks.tryHidden(OWNERS))!.release();
    });

    it('lets another such run begin when the evaluator leaves', async () => {
      const hidden = await locks.tryHidden(OWNERS);
      offer(leasedDeploymentView({ askedSeconds: 0 }));
      await start();
      await whenEnded();
      await hidden!.release();
      expect(await locks.tryHidden(OWNERS)).toBeNull();

      await host.leave();
      await (await locks.tryHidden(OWNERS))!.release();
    });

    it.each<[string, Partial<DeploymentSettings>]>([
      ['is idle', { idleSeconds: 0 }],
      ['has served for its turn', { turnSeconds: 0 }],
    ])('gives way with a model that %s', async (_, settings) => {
      offer(leasedDeploymentView());
      await start({ settings });
      await whenReady();

      const hidden = await locks.tryHidden(OWNERS);
      await whenEnded();
      await hidden!.release();

      expect(outcomes()).toEqual([{ kind: 'released' }]);
      expect([...driver.running]).toEqual([]);
    });
  });

  describe('reports', () => {
    const { digest } = leasedDeploymentView().assignment.artifact;

    it('a model that does not start', async () => {
      model = fakeModel.exits(3);
      offer(leasedDeploymentView({}, { image: { port: 8080, unreadable: ['/model'] } }));
      await start();
      await whenEnded();

      const message = expect.stringContaining('cannot read "/model"');
      expect(outcomes()).toEqual([{ kind: 'ended', failure: { code: 'model_exited', message }, servedSeconds: 0 }]);
    });

    it('a model that ends over its first question', async () => {
      model = fakeModel.exitsAfter(0, 1, good);
      offer(leasedDeploymentView());
      await start();
      await whenEnded();

      expect(outcomes()).toMatchObject([{ kind: 'ended', failure: { code: 'model_exited' } }]);
      expect(states().filter(({ state }) => state === 'ready')).toEqual([]);
    });

    it('a model that ends, and answers for it no more', async () => {
      offer(leasedDeploymentView());
      await start();
      await whenReady();
      driver.kill(digest);
      await whenEnded();

      const [outcome] = outcomes() as [{ servedSeconds: number }];
      expect(outcome).toMatchObject({ kind: 'ended', failure: { code: 'model_exited' } });
      expect(outcome.servedSeconds).toBeGreaterThan(0);
      expect(await reply(1)).toBeNull();
    });

    it('a model that is too slow for people', async () => {
      offer(leasedDeploymentView());
      await start({ settings: { slowSeconds: 1e-9 } });
      await whenReady();
      for (let id = 0; id < 9; id++) await reply(id);
      await whenEnded();

      expect(outcomes()).toMatchObject([{ kind: 'failed', failure: { code: 'too_slow' } }]);
    });

    it('a container that was replaced because of its age', async () => {
      offer(leasedDeploymentView());
      await start({ life: { seconds: 0, idleSeconds: 0 } });
      await whenEnded();

      expect(outcomes()).toEqual([{ kind: 'released' }]);
    });

    it.each<[string, HostOptions, LeasedDeploymentView, string]>([
      [
        'an image that cannot be installed',
        { images: { install: () => Promise.reject(new Error('the disk is full')) } },
        leasedDeploymentView(),
        'the disk is full',
      ],
      ['a missing image', {}, leasedDeploymentView({}, { image: null }), 'The artifact has no image'],
    ])('an error of the platform: %s', async (_, options, view, message) => {
      gateway.on(OUTCOME, hangUp, noContent);
      offer(view);
      await start(options);
      await whenEnded(2);

      const failed = { kind: 'platform_failed', message };
      expect(outcomes()).toEqual([failed, failed]);
      expect(logged.error).toHaveBeenCalledTimes(1);
    });

    it('an error of the platform: no first instance', async () => {
      gateway.on(WARM_UP, (response) => response.end());
      offer(leasedDeploymentView());
      await start();
      await whenEnded();

      expect(outcomes()).toMatchObject([{ kind: 'platform_failed' }]);
    });
  });

  describe('loses the lease', () => {
    it.each<[string, GatewayReply]>([
      ['when the service says so', problem(409, 'lease_lost')],
      ['when the service does not answer', silent],
    ])('%s: it stops the model, and reports nothing', async (_, lost) => {
      offer(leasedDeploymentView({ leaseSeconds: 0.5 }));
      await start();
      await whenReady();

      gateway.on(STATE, lost);
      await until(() => host.live.size === 0);

      expect([...driver.running]).toEqual([]);
      expect(outcomes()).toEqual([]);
      expect(logged.error).not.toHaveBeenCalled();
      expect(await reply(1)).toBeNull();
    });
  });

  describe('when it leaves', () => {
    const released = { kind: 'released' };

    it('releases its models, and leases no other', async () => {
      offer(leasedDeploymentView());
      await start();
      await whenReady();
      const requests = gateway.of(LEASES).length;

      await host.leave();

      expect(outcomes()).toEqual([released]);
      expect(gateway.of(LEASES)).toHaveLength(requests);
      await until(() => gateway.sockets.every(({ readyState, CLOSED }) => readyState === CLOSED));
    });

    it('releases a model that starts', async () => {
      model = { ...good, start: () => 60_000 };
      offer(leasedDeploymentView());
      await start();
      await until(() => driver.running.size === 1);

      await host.leave();

      expect(outcomes()).toEqual([released]);
    });

    it('releases a model whose error it could not report yet', async () => {
      gateway.on(OUTCOME, hangUp, noContent);
      offer(leasedDeploymentView());
      await start({ images: { install: () => Promise.reject(new Error('broken')) } });
      await whenEnded();

      await host.leave();

      expect(outcomes().at(-1)).toEqual(released);
    });
  });
});
