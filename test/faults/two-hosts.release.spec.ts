import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LARGEST_ANSWER_CHUNK } from '@assay/contracts/gateway';
import type { SignedResult } from '@assay/contracts/results';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { AddedHost } from './added-host.js';
import { FaultyService } from './faulty-service.js';
import { LyingEvaluator } from './lying-evaluator.js';
import { fakeTime, hasFaketime } from './moved-clock.js';
import { DATASETS, parity } from './parity-task.js';
import { RemoteHosts } from './remote-hosts.js';
import { canSeparateHosts } from './separate-host.js';
import { formsOf, Loot, verdict } from './stolen-secrets.js';

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

  async function start(place: number, environment: Readonly<Record<string, string>> = {}): Promise<void> {
    // one run at a time, so that each host gets one of two
    const settings = { ASSAY_RUN_CONCURRENCY: '1', ...environment };
    evaluators[place] = await remote.startEvaluator(service.world, NAMES[place]!, place, settings);
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

  it(
    'are joined by a host that follows the guide, until it is removed',
    async () => {
      await Promise.all(evaluators.map((evaluator) => evaluator.stop()));
      const added = new AddedHost(service, remote, 1);
      try {
        await added.add();
        const id = await service.submitContainer('honest', 'new');
        await service.untilScored([id], BUILD_MILLISECONDS);
        await service.world.until(async () => (await service.runs(id))[0]?.state === 'done', BUILD_MILLISECONDS);
        expect(await added.listed()).toMatch(/^gpu-1 +everyone +online /);

        await added.remove();
        expect(await added.listed()).toMatch(/^\S+ was removed on .+; a process still uses its token, last on /);
        await added.interrupt();
        await service.expectInvariants();
      } finally {
        await added.close();
      }
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

  const withFaketime = hasFaketime() ? it : it.skip;

  withFaketime.each(['+1h', '-1h'])(
    'do their runs although the clock of one is off by %s',
    async (offset) => {
      await evaluators[0]!.stop();
      await start(0, fakeTime(offset));
      await isReady(0);
      const ids = [await service.submitContainer(), await service.submitContainer()];
      for (const name of NAMES) await service.untilLogged(`evaluator-${name}`, 'evaluation of a container');

      await service.untilScored(ids, BUILD_MILLISECONDS);
      for (const id of ids) expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
      await service.expectInvariants();
    },
    BUILD_MILLISECONDS,
  );

  it(
    'lose, double and leak nothing although one lies',
    async () => {
      await evaluators[1]!.stop();
      const liar = await LyingEvaluator.register(service.world, remote, 1);
      const honest = await service.submitContainer('slow-from-the-start');
      await service.untilLogged(`evaluator-${NAMES[0]}`, 'evaluation of a container');

      // the run of the other host
      const [theirs] = await service.runs(honest);
      const [cell] = await service.witness.rows<{ id: string }>(
        'select id from evaluation where specification_id = $1',
        [await service.specification(honest)],
      );
      for (const [method, route] of [
        ['POST', 'renewal'],
        ['GET', 'artifact'],
        ['GET', `datasets/${cell!.id}/inputs`],
        ['POST', `datasets/${cell!.id}/start`],
      ] as const) {
        expect([route, await liar.about(theirs!, method, route)]).toEqual([route, '409 lease_lost']);
      }
      expect(await liar.upload(theirs!, cell!.id, '"even"\n')).toBe('409 lease_lost');
      expect(await liar.end(theirs!, { kind: 'finished', measures: null })).toBe('409 lease_lost');

      // the datasets of that run, with a lease of its own
      const spoiled = await service.submitContainer();
      const { assignment } = await liar.lease();
      const stale = { id: assignment.run, fence: assignment.fence };
      const [{ id: dataset } = { id: '' }] = assignment.datasets;
      expect(await liar.about(stale, 'GET', `datasets/${cell!.id}/inputs`)).toBe('404 not_found');
      expect(await liar.upload(stale, cell!.id, '"even"\n')).toBe('404 not_found');

      // a lease that it has given back
      expect(await liar.end(stale, { kind: 'released' })).toBe('204');
      const again = await liar.lease();
      const run = { id: again.assignment.run, fence: again.assignment.fence };
      expect(run).toEqual({ id: stale.id, fence: stale.fence + 1 });
      expect(await liar.about(stale, 'POST', 'renewal')).toBe('409 lease_lost');
      expect(await liar.upload(stale, dataset, '"even"\n')).toBe('409 lease_lost');
      expect(await liar.end(stale, { kind: 'finished', measures: null })).toBe('409 lease_lost');

      // wrong counts, and chunks that are too large or follow a gap
      const line = '"even"\n';
      const count = again.assignment.datasets[0]!.examples;
      expect(Object.values(DATASETS)).toContain(count);
      for (const wrong of [count - 1, count + 1]) {
        expect(await liar.upload(run, dataset, line.repeat(wrong))).toBe('200');
        expect(await liar.complete(run, dataset, line.length * wrong)).toBe('422 answers_invalid');
      }
      expect(await liar.upload(run, dataset, 'x'.repeat(LARGEST_ANSWER_CHUNK + 1))).toBe('413 file_too_large');
      expect(await liar.upload(run, dataset, line, 10 ** 6)).toBe('409 answers_gap');
      expect(await liar.complete(run, dataset, 10 ** 6)).toBe('409 answers_gap');

      // an end without answers: the run returns to the queue
      expect(await liar.about(run, 'GET', `datasets/${dataset}/inputs`)).toBe('200');
      expect(await liar.end(run, { kind: 'admitted' })).toBe('422 validation_failed');
      expect(await liar.end(run, { kind: 'finished', measures: null })).toBe('204');
      expect(await liar.about(run, 'POST', 'renewal')).toBe('409 lease_lost');
      await liar.close();

      await service.untilScored([honest, spoiled], BUILD_MILLISECONDS);
      expect(await service.runs(honest)).toMatchObject([{ state: 'done', attempts: 0 }]);
      expect(await service.runs(spoiled)).toMatchObject([{ state: 'done' }]);
      expect(await scoresOf(spoiled)).toEqual(await scoresOf(honest));
      const inputs = liar.received.find((text) => text.startsWith('{"text"'))!;
      for (const row of inputs.trimEnd().split('\n')) expect(Object.keys(JSON.parse(row))).toEqual(['text']);
      expect(liar.received.join('')).not.toContain(cell!.id);
      await service.expectInvariants();
    },
    BUILD_MILLISECONDS,
  );

  it(
    'give nobody a score, a token or a signature by all that one of them holds',
    async () => {
      const { world } = service;
      const [ada, other] = await Promise.all([world.user('ada'), world.user('bob')]);
      await evaluators[1]!.stop();
      const id = await service.submitContainer('slow-from-the-start', 'new');
      await service.untilLogged(`evaluator-${NAMES[0]}`, 'evaluation of a container');
      // in the middle of a run
      const loot = Loot.of(evaluators[0]!.pid, world.evaluatorHome(`${world.instance}-${NAMES[0]}`));
      const [token] = loot.secrets.filter((secret) => secret.startsWith('assay_evaluator_'));
      expect(loot.placesOf([token!])).toEqual(['environment']);
      const { current } = JSON.parse(readFileSync(join(world.home, 'signing-keys.json'), 'utf8')) as {
        readonly current: string;
      };
      const passwords = [world.databaseUrl, world.applicationUrl].map((url) => new URL(url).password);
      expect(loot.placesOf([...formsOf(current), ...passwords, world.admin, ada, other])).toEqual([]);

      const client = remote.startClient(0, token!);
      const bob = (await world.expect(200, 'GET', '/me', { token: other })).body.id as string;
      const requests = [
        { method: 'GET', path: '/me' },
        { method: 'POST', path: '/tokens', body: { name: 'minted' } },
        { method: 'POST', path: '/evaluators', body: { name: 'minted' } },
        { method: 'PATCH', path: `/admin/users/${bob}`, body: { role: 'administrator' } },
        { method: 'PUT', path: `/tasks/${parity.slug}/owner`, body: { username: 'bob' } },
        { method: 'PATCH', path: `/tasks/${parity.slug}`, body: { name: 'Mine' } },
        { method: 'PATCH', path: `/models/${id}`, body: { name: 'Mine' } },
        { method: 'POST', path: `/models/${id}/rerun`, body: {} },
      ];
      expect(await loot.accepted(client, requests)).toEqual([]);

      // a score, in the place of answers
      const [run] = await service.runs(id);
      const cells = await service.witness.rows<{ id: string }>(
        'select id from evaluation where specification_id = $1',
        [await service.specification(id)],
      );
      const score = { accuracy: 0.999 };
      const report = async (route: string, json: object): Promise<string> => {
        const path = `/api/v1/evaluator/runs/${run!.id}/${route}?fence=${run!.fence}`;
        const { status, text } = await client.send('POST', path, { json });
        return `${status} ${status < 400 ? '' : (JSON.parse(text) as { code: string }).code}`;
      };
      const completed = { size: 0, measures: null, seen: [], timed: [] };
      for (const [route, body] of [
        ['outcome', { kind: 'finished', measures: null, metrics: score }],
        ['outcome', { kind: 'finished', measures: score }],
        ['outcome', { kind: 'scored', metrics: score }],
        ...cells.map((cell) => [`datasets/${cell.id}/answers`, { ...completed, metrics: score }] as const),
      ] as const) {
        expect([route, body, await report(route, body)]).toEqual([route, body, '422 validation_failed']);
      }
      await service.untilScored([id], BUILD_MILLISECONDS);
      expect(await report('outcome', { kind: 'finished', measures: null })).toBe('409 lease_lost');
      await client.close();
      const { evaluations } = await world.model(id);
      // a quarter of the gold labels is wrong
      expect(evaluations.map(({ metrics }) => metrics?.['accuracy']?.value)).toEqual([0.75, 0.75]);

      // a signature
      const trusted = JSON.stringify((await world.expect(200, 'GET', '/signing-key', {})).body);
      const { body } = await world.expect(200, 'GET', `/models/${id}/result`, { token: ada });
      expect(verdict(body as SignedResult, trusted)).toBe('valid');
      expect(loot.forgeries(body as SignedResult, trusted)).toEqual(['altered', 'other_key']);

      // the database, from the host and from next to it
      const { port } = new URL(world.databaseUrl);
      expect(new Set(remote.connections(Number(port)))).toEqual(new Set(['ECONNREFUSED']));
      for (const url of [world.databaseUrl, world.applicationUrl]) {
        expect(await loot.logIns(url)).toEqual(['wrong password']);
      }
      await service.expectInvariants();
    },
    BUILD_MILLISECONDS,
  );

  /** Returns the scores of a model on all datasets. */
  const scoresOf = async (model: string): Promise<unknown[]> =>
    service.witness.rows(
      `select dataset_version_id, metrics -> 'accuracy' as accuracy from evaluation
        where specification_id = $1 order by dataset_version_id`,
      [await service.specification(model)],
    );
});
