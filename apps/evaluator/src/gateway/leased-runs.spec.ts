import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeasedRunView } from '@assay/contracts/gateway';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { currentOrigin } from '@assay/observability';
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
import { leasedRunView, RUN } from '../../../../test/factories/services/lease-views.js';
import { until } from '../../../../test/factories/until.js';
import type { RunWork } from '../run/run-work.js';
import { ArtifactCache } from './artifact-cache.js';
import { LeasedRuns, type LeasedRunsParts } from './leased-runs.js';
import { ServiceClient } from './service-client.js';
import { LeaseLost } from './service-error.js';

const GIB = 2 ** 30;
const OUTCOME = `POST /runs/${RUN}/outcome`;
const RENEWAL = `POST /runs/${RUN}/renewal`;

describe('LeasedRuns', () => {
  let gateway: FakeGateway;
  let folder: string;
  let runs: LeasedRuns;
  let ended: unknown[][];
  const logged = { warn: jest.spyOn(Logger.prototype, 'warn'), error: jest.spyOn(Logger.prototype, 'error') };

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    for (const spy of Object.values(logged)) spy.mockReset().mockReturnValue();
    gateway = await FakeGateway.start();
    folder = await mkdtemp(join(tmpdir(), 'leased-runs-'));
    ended = [];
    gateway.on(RENEWAL, noContent);
    gateway.on(OUTCOME, noContent);
  });

  afterEach(async () => {
    await runs.leave();
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  /** Offers a run once, to the stage that its work belongs to. Other requests for a lease wait. */
  function offer(view: LeasedRunView): void {
    let isOffered = false;
    gateway.on('POST /leases', (response, request) => {
      const { stage } = JSON.parse(request.body.toString()) as { stage: string };
      const isMatch = !isOffered && stage === (view.work === 'admission' ? 'admission' : 'evaluation');
      isOffered ||= isMatch;
      (isMatch ? json({ run: view }) : silent)(response, request);
    });
  }

  async function start(work: RunWork, more: Partial<LeasedRunsParts> = {}): Promise<void> {
    runs = new LeasedRuns({
      client: new ServiceClient(gateway.url, 'assay_token'),
      artifacts: await ArtifactCache.open(join(folder, 'artifacts')),
      work: { admission: work, evaluation: work, measures: work },
      workFolder: join(folder, 'work'),
      capacity: { cpus: 2, memoryBytes: 16 * GIB },
      onClaimEnded: (...claim) => ended.push(claim),
      ...more,
    });
    runs.start();
  }

  const whenEnded = () => until(() => ended.length > 0);
  /** Work that ends when it is aborted, as a sandbox does. */
  const untilAborted: RunWork = (_, signal) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });

  interface Offered {
    readonly cpus: number;
    readonly memory?: number;
    readonly visibility?: 'hidden' | 'public';
    readonly work?: 'evaluation' | 'measures';
  }

  /** Offers these evaluations, one after the other. Other requests for a lease wait. */
  function offerEvaluations(...offered: readonly Offered[]): void {
    const views = offered.map(({ visibility = 'public', work = 'evaluation', ...given }, place) => {
      const view = leasedRunView({ work });
      const { specification, datasets } = view.assignment;
      const wanted = {
        run: `run-${place}`,
        specification: { ...specification, limits: { ...specification.limits, ...given } },
        datasets: datasets.map((dataset) => ({ ...dataset, visibility })),
      };
      return { ...view, assignment: { ...view.assignment, ...wanted } };
    });
    gateway.on('POST /leases', (response, request) => {
      const { stage } = JSON.parse(request.body.toString()) as { stage: string };
      const view = stage === 'evaluation' ? views.shift() : undefined;
      (view ? json({ run: view }) : silent)(response, request);
    });
  }
  const evaluationRequests = (): object[] =>
    gateway.bodiesOf('POST /leases').filter((body) => (body as { stage: string }).stage === 'evaluation') as object[];

  it('asks for an artifact to admit, and for an evaluation', async () => {
    gateway.on('POST /leases', silent);
    await start(untilAborted);

    await until(() => gateway.of('POST /leases').length === 2);

    const request = { protocol: 2, waitSeconds: 30 };
    expect(gateway.bodiesOf('POST /leases')).toEqual(
      expect.arrayContaining([
        { ...request, stage: 'admission' },
        { ...request, stage: 'evaluation' },
      ]),
    );
  });

  it('asks for another evaluation while it has a core free, and says what is free', async () => {
    offerEvaluations({ cpus: 1, memory: 4 * GIB }, { cpus: 0.5, memory: 5 * GIB });
    await start(untilAborted);

    await until(() => evaluationRequests().length === 3);

    const busy = { protocol: 2, stage: 'evaluation', waitSeconds: 2 };
    expect(evaluationRequests().slice(1)).toEqual([
      { ...busy, free: { cpus: 1, memoryBytes: 12 * GIB } },
      { ...busy, free: { cpus: 0.5, memoryBytes: 7 * GIB } },
    ]);
  });

  it.each<[string, Offered]>([
    ['needs more cores than there are', { cpus: 3 }],
    ['uses hidden data, beside which nothing runs', { cpus: 1, visibility: 'hidden' }],
    ['is a measurement', { cpus: 1, work: 'measures' }],
  ])('asks for no evaluation until one has ended that %s', async (_, offered) => {
    offerEvaluations(offered);
    let end: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => (end = resolve));
    await start((run) => isOver.then(() => run.finish({ measures: null })));
    await until(() => runs.live.size === 1);
    expect(evaluationRequests()).toHaveLength(1);

    end();
    await until(() => evaluationRequests().length === 2);

    expect(evaluationRequests()[1]).toEqual({ protocol: 2, stage: 'evaluation', waitSeconds: 30 });
  });

  it.each(['admission', 'evaluation', 'measures'] as const)('does the work of a lease: %s', async (work) => {
    offer(leasedRunView({ work }));
    const seen: unknown[] = [];
    await start(untilAborted, {
      work: {
        admission: untilAborted,
        evaluation: untilAborted,
        measures: untilAborted,
        [work]: (async (run) => {
          seen.push(run.assignment.run, [...runs.live], existsSync(join(folder, 'work')));
          await run.finish({ measures: null });
        }) satisfies RunWork,
      },
    });

    await until(() => runs.live.size === 0 && ended.length > 0);

    expect(seen).toEqual([RUN, [RUN], true]);
    expect(gateway.bodiesOf(OUTCOME)).toEqual([{ kind: 'finished', measures: null }]);
    expect(ended).toEqual([[work === 'admission' ? 'admission' : 'evaluation', 'done', expect.any(Number)]]);
    await until(() => gateway.of('POST /leases').length === 3);
  });

  it('holds a run whose next stage begins before its last one has ended', async () => {
    let accept: () => unknown = () => undefined;
    let continueRun: () => unknown = () => undefined;
    gateway.on(OUTCOME, (response, request) => (accept = () => noContent(response, request)), noContent);
    gateway.on('POST /leases', (response, request) => {
      const { stage } = JSON.parse(request.body.toString()) as { stage: string };
      if (stage === 'evaluation') continueRun = () => json({ run: leasedRunView() })(response, request);
      else if (gateway.of(OUTCOME).length === 0) json({ run: leasedRunView({ work: 'admission' }) })(response, request);
    });
    let isEvaluated = false;
    await start(untilAborted, {
      capacity: { cpus: 1, memoryBytes: 16 * GIB },
      work: {
        admission: (run) =>
          run.admit({ port: 8080, protocol: null, unpackedBytes: 1, unreadable: [], contentDigest: null }),
        evaluation: (run, signal) => {
          isEvaluated = true;
          return untilAborted(run, signal);
        },
        measures: untilAborted,
      },
    });
    await until(() => gateway.of(OUTCOME).length === 1 && gateway.of('POST /leases').length === 2);
    continueRun();
    await until(() => isEvaluated);

    accept();
    await whenEnded();

    expect([...runs.live]).toEqual([RUN]);
  });

  it('continues the request that queued the run', async () => {
    const origin = { request: 'the-upload' };
    offer(leasedRunView({ origin }));
    let seen: unknown;
    await start((run) => {
      seen = currentOrigin();
      return run.postpone();
    });

    await whenEnded();

    expect(seen).toEqual(origin);
  });

  it('renews the lease while the work lasts', async () => {
    offer(leasedRunView({ leaseSeconds: 0.4 }));
    await start(async (run) => {
      await until(() => gateway.of(RENEWAL).length === 3);
      await run.postpone();
    });

    await whenEnded();

    expect(gateway.of(RENEWAL)[0]!.query.get('fence')).toBe('3');
    expect(gateway.bodiesOf(OUTCOME)).toEqual([{ kind: 'postponed' }]);
  });

  it('aborts the work when the lease is lost, and reports nothing', async () => {
    offer(leasedRunView({ leaseSeconds: 0.2 }));
    gateway.on(RENEWAL, problem(409, 'lease_lost'));
    const reasons: unknown[] = [];
    await start((run, signal) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return untilAborted(run, signal);
    });

    await whenEnded();

    expect(reasons).toEqual([expect.any(LeaseLost)]);
    expect(gateway.of(OUTCOME)).toEqual([]);
    expect(ended).toEqual([['evaluation', 'lease_lost', expect.any(Number)]]);
    expect(logged.warn).toHaveBeenCalledWith('lease 3 is lost');
    expect(logged.error).not.toHaveBeenCalled();
  });

  it('returns a run to the queue after an error of this host', async () => {
    offer(leasedRunView());
    gateway.on(OUTCOME, hangUp, noContent);
    await start(() => Promise.reject(new Error('The disk is full')));

    await whenEnded();

    expect(gateway.bodiesOf(OUTCOME)).toEqual(
      Array.from({ length: 2 }, () => ({ kind: 'platform_failed', message: 'The disk is full.' })),
    );
    expect(ended).toEqual([['evaluation', 'platform_failed', expect.any(Number)]]);
  });

  describe('when this host cannot run models any more', () => {
    const unable = () => Promise.reject(new Error('no engine'));

    async function failed(fence: number): Promise<readonly unknown[]> {
      const view = leasedRunView();
      offer({ ...view, assignment: { ...view.assignment, fence } });
      let isAble = true;
      const expectAble = () => (isAble ? Promise.resolve() : unable());
      const work = () => {
        isAble = false;
        return unable();
      };
      await start(work, { expectAble });
      await whenEnded();
      return gateway.bodiesOf(OUTCOME);
    }

    it('releases a run, which costs it no attempt', async () => {
      expect(await failed(10)).toEqual([{ kind: 'released' }]);
      expect(ended).toEqual([['evaluation', 'left', expect.any(Number)]]);
    });

    it('counts an attempt of a run that was claimed often, because it may be the cause', async () => {
      expect(await failed(11)).toEqual([{ kind: 'platform_failed', message: 'no engine.' }]);
    });
  });

  it('returns a run to the queue when the work forgets its outcome', async () => {
    offer(leasedRunView());
    await start(() => Promise.resolve());

    await whenEnded();

    expect(gateway.bodiesOf(OUTCOME)).toMatchObject([{ kind: 'platform_failed' }]);
  });

  it('releases its runs when it leaves, and leases no other', async () => {
    offer(leasedRunView());
    await start(untilAborted);
    // for admissions, for the run, and for another one beside it
    const asked = 3;
    await until(() => runs.live.size === 1 && gateway.of('POST /leases').length === asked);

    await runs.leave();

    expect(gateway.bodiesOf(OUTCOME)).toEqual([{ kind: 'released' }]);
    expect(gateway.of('POST /leases')).toHaveLength(asked);
    expect(ended).toEqual([['evaluation', 'left', expect.any(Number)]]);
  });

  it('releases a run whose error it could not report yet', async () => {
    offer(leasedRunView());
    gateway.on(OUTCOME, hangUp, noContent);
    await start(() => Promise.reject(new Error('broken')));
    await until(() => gateway.of(OUTCOME).length === 1);

    await runs.leave();

    expect(gateway.bodiesOf(OUTCOME).at(-1)).toEqual({ kind: 'released' });
  });

  it('leases nothing while this host cannot run models', async () => {
    gateway.on('POST /leases', silent);
    let attempts = 0;
    const expectAble = () => {
      expect(gateway.of('POST /leases')).toEqual([]);
      return ++attempts <= 6 ? Promise.reject(new Error('no engine')) : Promise.resolve();
    };
    await start(untilAborted, { expectAble });

    await until(() => gateway.of('POST /leases').length === 2);

    expect(logged.warn.mock.calls).toEqual([['this host cannot run models now: no engine']]);
  });

  it.each<[string, GatewayReply]>([
    ['the token', problem(401, 'unauthenticated')],
    ['the protocol', problem(409, 'protocol_unsupported')],
  ])('waits, and says so once, while the service does not accept %s', async (_, refusal) => {
    gateway.on('POST /leases', refusal);
    await start(untilAborted);

    await until(() => gateway.of('POST /leases').length === 2 && logged.warn.mock.calls.length > 0);

    await runs.leave();
    expect(logged.warn).toHaveBeenCalledTimes(1);
    expect(gateway.of('POST /leases')).toHaveLength(2);
  });
});
