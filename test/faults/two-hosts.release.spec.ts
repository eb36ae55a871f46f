import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { FaultyService } from './faulty-service.js';
import { RemoteHosts } from './remote-hosts.js';
import { canSeparateHosts } from './separate-host.js';

/** Milliseconds for the engines to build the platform's images. */
const BUILD_MILLISECONDS = 600_000;
const CUT_MILLISECONDS = 60_000;
const NAMES = ['first-host', 'second-host'] as const;

const withHosts = canSeparateHosts() ? describe : describe.skip;
if (!canSeparateHosts()) console.warn('SKIPPED: two hosts: root, ip, nsenter, openssl and dockerd are needed');

withHosts('two evaluators on hosts of their own, with an engine each', () => {
  const usual = process.env['DOCKER_HOST'];
  const folder = mkdtempSync(join(tmpdir(), 'assay-hosts-'));
  const evaluators: SupervisedProcess[] = [];
  let service: FaultyService;
  let remote: RemoteHosts;

  beforeAll(async () => {
    remote = await RemoteHosts.start(folder, NAMES.length);
    process.env['DOCKER_HOST'] = remote.engines[0]!.host;
    // the lease is shorter than the cut
    service = await FaultyService.start({ queue: 'Redis' });
    // one that is stopped while it builds an image leaves its files
    await service.untilLogged('evaluator', 'is ready');
    await service.stopBothEvaluators();
    await remote.connect(service.world);
  }, BUILD_MILLISECONDS);
  afterAll(async () => {
    await service?.close();
    await remote?.close();
    rmSync(folder, { recursive: true, force: true });
    if (usual === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = usual;
  }, BUILD_MILLISECONDS);

  async function start(place: number): Promise<void> {
    // one run at a time, so that each host gets one of two
    const oneRun = { ASSAY_RUN_CONCURRENCY: '1' };
    evaluators[place] = await remote.startEvaluator(service.world, NAMES[place]!, place, oneRun);
  }

  const isReady = (place: number): Promise<void> => service.untilLogged(`evaluator-${NAMES[place]!}`, 'is ready');

  beforeEach(async () => {
    for (const place of [0, 1]) await start(place);
    for (const place of [0, 1]) await isReady(place);
  }, BUILD_MILLISECONDS);
  afterEach(async () => {
    for (const evaluator of evaluators) await evaluator.stop();
  });

  it(
    'share the runs over TLS, and reach neither the database nor Redis',
    async () => {
      const { port: database } = new URL(service.world.databaseUrl);
      const { port: redis } = new URL(service.redis!.url);
      for (const port of [database, redis]) {
        expect(new Set(remote.connections(Number(port)))).toEqual(new Set(['ECONNREFUSED']));
      }

      const ids: string[] = [];
      for (let index = 0; index < 6; index++) ids.push(await service.submitContainer());
      await service.untilScored(ids, BUILD_MILLISECONDS);
      for (const name of NAMES) await service.untilLogged(`evaluator-${name}`, 'evaluation of a container');
      await service.expectInvariants();
    },
    BUILD_MILLISECONDS,
  );

  it.each([0, 1])(
    'survive that host %i is switched off in the middle of a run',
    async (place) => {
      const ids = [await service.submitContainer(), await service.submitContainer()];
      await service.untilLogged(`evaluator-${NAMES[place]!}`, 'evaluation of a container');
      await service.kill(evaluators[place]!);

      await service.untilScored(ids, BUILD_MILLISECONDS);
      await start(place);
      await isReady(place);
      await service.expectInvariants();
    },
    BUILD_MILLISECONDS,
  );

  it(
    'survive that a link is cut for 60 seconds',
    async () => {
      const ids = [await service.submitContainer(), await service.submitContainer()];
      await service.untilLogged(`evaluator-${NAMES[0]}`, 'evaluation of a container');
      remote.hosts[0]!.cut();
      const mended = sleep(CUT_MILLISECONDS).then(() => remote.hosts[0]!.mend());
      await service.untilScored(ids, BUILD_MILLISECONDS);
      await mended;

      // and works again
      await service.untilLogged(`evaluator-${NAMES[0]}`, 'the service answers again');
      const next = await service.submitContainer();
      await service.untilScored([next], BUILD_MILLISECONDS);
      await service.expectInvariants();
    },
    BUILD_MILLISECONDS,
  );
});
