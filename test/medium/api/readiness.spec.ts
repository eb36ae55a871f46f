import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkerPresenceRepository } from '@assay/evaluation';
import { newId } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { rowsOf, startRedis, testServer, type TestRedis } from '../../factories/worlds/test-services.js';
import { REPORT } from './route-world.js';

const PARTS = ['database', 'migrations', 'blobs', 'queue', 'workers', 'evaluators', 'docker', 'outbox'];

describe('readiness', () => {
  let world: ApiWorld;
  /** The token of an evaluator that has reported. */
  let east: string;
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startRedis();
    process.env['REDIS_URL'] = redis.url;
    world = await apiWorld();
  });
  afterAll(async () => {
    await world.close();
    await redis.stop();
    delete process.env['REDIS_URL'];
  });
  beforeEach(async () => {
    await execute(`update evaluator set state = 'removed'`);
    east = await registered('east');
    await new WorkerPresenceRepository(world.orm.em.fork()).recordStart('background');
  });

  /** Returns the parts that the response reports as not ready. */
  async function missing(of = 'service'): Promise<string[]> {
    const { status, body } = await world.call('GET', `/health/ready?of=${of}`);
    if (status === 200) return [];
    expect([status, body.code]).toEqual([503, 'not_ready']);
    const parts = (body.errors as { path: string }[]).map(({ path }) => path);
    expect(body.detail).toBe(`Not ready: ${parts.join(', ')}.`);
    return parts;
  }

  /** Registers an evaluator that has reported. Returns its token. */
  async function registered(name: string): Promise<string> {
    const { body } = await world.call('POST', '/evaluators', { token: world.admin, body: { name } });
    await report(body.token as string, {});
    return body.token as string;
  }
  const report = (token: string, more: object) =>
    world.call('PUT', '/evaluator/presence', { token, body: { ...REPORT, ...more } });

  const execute = (sql: string) => world.orm.em.fork().execute(sql);
  const byOwner = (sql: string) => rowsOf(world.ownerUrl, sql);
  /** Runs a query through the server's own database instead of the one under test. */
  const onServer = (sql: string) => rowsOf(testServer().url, sql);

  it('lists what it has looked at', async () => {
    const ready = await world.call('GET', '/health/ready');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ok', parts: PARTS }]);
    const own = await world.call('GET', '/health/ready?of=api');
    expect(own.body).toEqual({ status: 'ok', parts: ['database', 'migrations', 'blobs'] });
    expect((await world.call('GET', '/health/ready?of=models')).status).toBe(422);
  });

  it('names migrations that were not run', async () => {
    await byOwner(`update mikro_orm_migrations set name = name || ' (not yet)' where id = 1`);
    expect(await missing()).toEqual(['migrations']);
    expect(await missing('api')).toEqual(['migrations']);
    await byOwner(`update mikro_orm_migrations set name = replace(name, ' (not yet)', '') where id = 1`);
    expect(await missing()).toEqual([]);
  });

  it('names the folder of the blobs', async () => {
    const folder = join(world.home, 'blobs');
    await rename(folder, `${folder}-away`);
    expect(await missing()).toEqual(['blobs']);
    await rename(`${folder}-away`, folder);
    expect(await missing()).toEqual([]);
  });

  it('names the queue, which answering requests does not need', async () => {
    await redis.stop();
    expect(await missing()).toEqual(['queue']);
    expect(await missing('api')).toEqual([]);
    await redis.start();
    expect(await missing()).toEqual([]);
  });

  it('names evaluators that are gone, and those whose engine does not answer', async () => {
    await report(east, { problem: 'The container engine does not answer.' });
    expect(await missing()).toEqual(['docker']);
    await registered('west');
    expect(await missing()).toEqual([]);

    await execute(`update evaluator set last_seen_at = now() - interval '61 seconds'`);
    expect(await missing()).toEqual(['evaluators']);
    await report(east, {});
    expect(await missing()).toEqual([]);
  });

  it('counts no evaluator that serves only the tasks of its owner', async () => {
    await execute(`update evaluator set owner_id = (select id from user_account limit 1)`);
    expect(await missing()).toEqual(['evaluators']);
  });

  it('names workers that are gone, or that cannot work', async () => {
    const processes = new WorkerPresenceRepository(world.orm.em.fork());
    await processes.recordSeen('background', ['blobs']);
    expect(await missing()).toEqual(['workers']);
    await processes.recordSeen('background');
    expect(await missing()).toEqual([]);

    await execute(`update worker_presence set seen_at = now() - interval '61 seconds'`);
    expect(await missing()).toEqual(['workers']);
  });

  it('names events that nobody delivers', async () => {
    const em = world.orm.em.fork();
    Outbox.add(em, 'annotation.retracted', { annotationId: newId() });
    await em.flush();
    expect(await missing()).toEqual([]);
    await execute(`update outbox_event set created_at = now() - interval '61 seconds'`);
    expect(await missing()).toEqual(['outbox']);
    await execute('delete from outbox_event');
  });

  it('names the database, and says that it lives all the same', async () => {
    const [{ name }] = await world.orm.em.fork().execute<[{ name: string }]>('select current_database() as name');
    await onServer(`alter database "${name}" with allow_connections false`);
    try {
      await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      expect(await missing()).toEqual(['database']);
      expect((await world.call('GET', '/health/live')).body).toEqual({ status: 'ok' });
    } finally {
      await onServer(`alter database "${name}" with allow_connections true`);
    }
    expect(await missing()).toEqual([]);
  });
});
