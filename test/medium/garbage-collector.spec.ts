import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { WorkerPresenceRepository } from '@assay/evaluation';
import { preventByteRemoval } from '@assay/persistence';
import { LocalBlobStore, OrphanMarks } from '@assay/storage';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { GarbageCollector } from '../../apps/worker/src/maintenance/garbage-collector.js';
import { HostLock } from '@assay/persistence/locks';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { scoredModel } from '../factories/models/scored-models.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const LINES = [0, 1, 2, 3].map((id) => JSON.stringify({ id, text: `t${id}`, label: 'positive' })).join('\n');

describe('what nobody needs', () => {
  let world: ApiWorld;
  let owner: string;
  let blobs: LocalBlobStore;
  let clearing: GarbageCollector;
  let workFolders: string;
  const now = Date.now();
  const clear = (milliseconds: number) => clearing.clear(new Date(now + milliseconds));
  const listed = async (): Promise<string[]> =>
    (await Array.fromAsync(blobs.list())).map(({ digest }) => digest).sort();
  const age = (path: string, milliseconds: number): void => {
    const then = new Date(now - milliseconds);
    utimesSync(path, then, then);
  };
  const orphan = async (text: string): Promise<string> => {
    const { digest } = await blobs.put(Readable.from([text]));
    age(await blobs.path(digest), 30 * DAY);
    return digest;
  };
  const model = (name: string): Promise<string> =>
    scoredModel(world, { slug: 'tone', name, token: owner, answer: () => ({ text: 'positive' }) });

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('PUT', '/tasks/tone/datasets/first?visibility=public', {
      token: owner,
      type: 'application/x-ndjson',
      body: LINES,
    });
    await model('kept');
    blobs = new LocalBlobStore(join(world.home, 'blobs'));
    workFolders = join(world.home, 'work');
    clearing = new GarbageCollector({
      em: world.orm.em,
      blobs,
      marks: new OrphanMarks(join(world.home, 'blobs/orphans'), blobs),
      workFolders,
      instance: 'own',
      graceMilliseconds: DAY,
    });
  });
  afterAll(() => world.close());

  it('is a blob without a row, after a day, and none that has one', async () => {
    const named = await listed();
    for (const digest of named) age(await blobs.path(digest), 30 * DAY);
    const left = await orphan('killed between file and row');

    expect((await clear(0)).blobs).toEqual({ files: 0, bytes: 0 });
    expect(await blobs.has(left)).toBe(true);

    expect((await clear(DAY + HOUR)).blobs).toEqual({ files: 1, bytes: 27 });
    expect(await listed()).toEqual(named);
  });

  it('is no blob that a backup may still need', async () => {
    const digest = await orphan('the snapshot names it');
    await clear(0);
    const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
    await client.connect();
    await preventByteRemoval(client);
    expect((await clear(2 * DAY)).blobs).toBeNull();
    expect(await blobs.has(digest)).toBe(true);

    await client.end();
    const gone = `select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and database = (select oid from pg_database where datname = current_database())`;
    while ((await world.orm.em.fork().execute<unknown[]>(gone)).length > 0) continue;
    expect((await clear(2 * DAY)).blobs).toMatchObject({ files: 1 });
  });

  it('are the bytes of an archived model that stayed for the sake of a backup', async () => {
    const id = await model('archived');
    await world.orm.em.fork().execute(`update run set state = 'done'`);
    const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
    await client.connect();
    await preventByteRemoval(client);
    const found = await world.orm.em.fork().findOneOrFail(Model, id, { populate: ['specification.artifact'] });
    const { digest } = found.specification!.artifact;
    const archived = await world.call('POST', `/models/${id}/archive`, { token: owner });
    expect(archived).toMatchObject({ status: 200, body: { artifact: { archivedAt: expect.any(String) } } });
    expect(await blobs.has(digest)).toBe(true);
    await client.query('select pg_advisory_unlock_all()');
    await client.end();

    age(await blobs.path(digest), 30 * DAY);
    await clear(0);
    expect((await clear(2 * DAY)).blobs).toMatchObject({ files: 1 });
    expect(await blobs.has(digest)).toBe(false);
  });

  it('is what an arrival left that ended half-way', async () => {
    const temporary = join(world.home, 'blobs/temporary');
    writeFileSync(join(temporary, 'half'), 'half');
    age(join(temporary, 'half'), 2 * DAY);
    writeFileSync(join(temporary, 'arriving'), 'half');

    expect((await clear(0)).partial).toBe(1);
    expect(readdirSync(temporary)).toEqual(['arriving']);
  });

  it('are the files of work of an evaluator that does not come back', async () => {
    for (const name of ['own', 'gone', 'fresh', 'seen', 'held']) {
      const folder = join(workFolders, name, 'run');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'answers'), 'half');
      const paths = [join(folder, 'answers'), folder, join(workFolders, name)];
      for (const path of name === 'fresh' ? paths.slice(1) : paths) age(path, 2 * DAY);
    }
    await new WorkerPresenceRepository(world.orm.em.fork()).recordStart('seen');
    const held = await HostLock.acquire('worker-held', new AbortController().signal);

    expect((await clear(0)).work).toBe(1);

    expect(readdirSync(workFolders).sort()).toEqual(['fresh', 'held', 'own', 'seen']);
    expect(existsSync(join(workFolders, 'own/run/answers'))).toBe(true);
    await held.release();
    expect((await clear(0)).work).toBe(1);
  });
});
