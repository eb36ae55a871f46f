import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ALL_BLOB_REFERENCES } from '../../libs/application/src/blobs/blob-references.js';
import { programOf } from '../../scripts/services/app-program.js';
import { misbehavingImage } from '../factories/hostile/misbehaving-image.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import type { TestDatabase } from '../factories/worlds/test-services.js';
import { brokenInvariants, stillBroken } from './invariants.js';
import { type OwnPostgres, startOwnPostgres } from './own-servers.js';
import { DATASETS, parity, parityExamples, parityPredictions } from './parity-task.js';

const project = join(import.meta.dirname, '../..');
const WAITS = `select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;
const SETTLED_MILLISECONDS = 120_000;

interface Place {
  readonly database: TestDatabase;
  readonly home: string;
}

const environmentOf = ({ database, home }: Place): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  DATABASE_URL: database.applicationUrl,
  DATABASE_OWNER_URL: database.url,
  ASSAY_HOME: home,
});

/** Starts `assay admin` as a child process. */
function admin(words: readonly string[], place: Place): ChildProcess {
  return spawn(process.execPath, [programOf('api', 'access/admin'), ...words], {
    env: environmentOf(place),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function assay(words: readonly string[], place: Place): Promise<{ code: number | null; said: string }> {
  return ended(
    spawn(process.execPath, [join(project, 'dist/cli/assay.mjs'), 'admin', ...words], {
      env: environmentOf(place),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

describe('a backup of a service that is at work', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-faults-backup-'));
  const directory = join(folder, 'backups');
  let postgres: OwnPostgres;
  let other: OwnPostgres;
  let third: OwnPostgres;
  let world: ServiceWorld;
  let submissions = 0;

  const original = (): Place => ({ database: postgres.database, home: world.home });
  const restored = (): Place => ({ database: other.database, home: join(folder, 'home') });
  const accepted: string[] = [];
  const submit = async (): Promise<string> => {
    const number = ++submissions;
    const submission = { name: `file ${number}`, kind: 'predictions' } as const;
    const id = await world.submit(parity.slug, submission, parityPredictions(number));
    accepted.push(id);
    return id;
  };
  const submitContainer = async (): Promise<void> => {
    const image = join(folder, 'model.tar.zst');
    await misbehavingImage(world.instance, image);
    accepted.push(await world.submit(parity.slug, { name: 'container', kind: 'container' }, image));
  };
  const query = async <T extends object>(
    url: string,
    text: string,
    parameters: readonly unknown[] = [],
  ): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(text, [...parameters])).rows;
    } finally {
      await client.end();
    }
  };
  /**
   * Waits until no model and no event is pending. Ignores models that wait for their artifact:
   * those whose artifact arrived after the snapshot wait forever in the restored service.
   */
  const untilAllFinal = (of: ServiceWorld): Promise<void> =>
    of.until(async () => {
      const open = await of.rows(
        `select 1 from model where state not in ('scored', 'failed', 'cancelled', 'awaiting-artifact')
          union all select 1 from outbox_event where delivered_at is null limit 1`,
      );
      return open.length === 0;
    }, SETTLED_MILLISECONDS);
  /** Returns the status and the unparsed body of a response. */
  const text = async (from: ServiceWorld, path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${world.admin}` };
    const response = await fetch(`${from.url}/api/v1${path}`, { headers });
    return `${response.status} ${await response.text()}`;
  };
  /** Runs `words` until it waits for a lock that `hold` takes, and kills it there. */
  const killed = async (words: readonly string[], place: Place, name: string, hold: string): Promise<void> => {
    const holder = new pg.Client({ connectionString: place.database.url });
    await holder.connect();
    await holder.query(hold);
    const child = admin(words, place);
    const end = ended(child);
    await world.until(
      async () => (await query(place.database.url, WAITS, [name])).length > 0 || child.exitCode !== null,
      SETTLED_MILLISECONDS,
    );
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    await end;
    await holder.query('rollback');
    await holder.end();
    const gone = `select 1 from pg_stat_activity where application_name = $1`;
    await world.until(async () => (await query(place.database.url, gone, [name])).length === 0, SETTLED_MILLISECONDS);
  };

  beforeAll(async () => {
    [postgres, other, third] = await Promise.all([startOwnPostgres(), startOwnPostgres(), startOwnPostgres()]);
    world = await ServiceWorld.start({}, postgres.database);
    // predictions files are ranked only if the task weighs no cost
    await world.task({ ...parity, weights: { accuracy: 1 }, aggregate: { minimumExamples: 10 } });
    for (const [name, size] of Object.entries(DATASETS)) {
      await world.dataset(parity.slug, name, 'visibility=public', parityExamples(name, size));
    }
    for (let count = 0; count < 3; count++) await submit();
    await submitContainer();
    await world.board(parity.slug, ({ rows }) => rows.length === 4);

    let busy = true;
    // keeps runs queued and under way during the whole backup, and leaves none for afterwards
    const traffic = Array.from({ length: 4 }, async () => {
      while (busy) await world.untilFinal(await submit());
    });
    const backup = await assay(['backup', directory], original());
    busy = false;
    await Promise.all(traffic);
    if (backup.code !== 0) throw new Error(backup.said);
  });
  afterAll(async () => {
    await world?.close();
    await other?.close();
    await third?.close();
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is made into the same service on an empty machine', async () => {
    await killed(
      ['restore', directory],
      restored(),
      'assay-restore',
      // a process that creates a table of that name waits for the end of this transaction
      'begin; create table validation (id int)',
    );
    const tables = `select tablename from pg_tables where schemaname = 'public'`;
    expect(await query(restored().database.url, tables)).toEqual([{ tablename: 'mikro_orm_migrations' }]);
    expect(await query(restored().database.url, 'select 1 from mikro_orm_migrations')).toEqual([]);

    const done = await assay(['restore', directory], restored());
    expect(done).toMatchObject({ code: 0, said: expect.stringContaining('Restored') });
    expect(await assay(['restore', directory], restored())).toMatchObject({
      code: 3,
      said: expect.stringContaining('is not empty'),
    });

    const [newest] = await query<{ number: number }>(
      restored().database.url,
      'select max(number)::int as number from board_revision',
    );
    expect(newest!.number).toBeGreaterThan(0);
    const copy = await ServiceWorld.at(restored().home, other.database, { PUBLIC_URL: world.url });
    try {
      await Promise.all([untilAllFinal(world), untilAllFinal(copy)]);
      await expectSame(copy, newest!.number);
      await expectWhole(copy);
      await expectInvariants(world, accepted);
      await expectInvariants(copy, []);
    } finally {
      await copy.close();
    }
  });

  it('that rests is made into one that answers the same, to the byte', async () => {
    await untilAllFinal(world);
    await expectInvariants(world, accepted);
    const rested = join(folder, 'rested');
    expect(await assay(['backup', rested], original())).toMatchObject({ code: 0 });
    const place = { database: third.database, home: join(folder, 'third') };
    expect(await assay(['restore', rested], place)).toMatchObject({ code: 0 });

    const copy = await ServiceWorld.at(place.home, place.database, { PUBLIC_URL: world.url });
    try {
      const [container] = await copy.rows<{ id: string }>(`select id from model where name = 'container'`);
      await expectEqual(copy, [
        ...['leaderboard', 'leaderboard/matrix', 'history', 'models', 'benchmark-versions'].map(
          (page) => `/tasks/${parity.slug}/${page}`,
        ),
        ...[container!.id, accepted[0]!].flatMap((id) => [
          `/models/${id}`,
          `/models/${id}/result`,
          `/models/${id}/logs`,
        ]),
      ]);
      await expectInvariants(copy, accepted);
    } finally {
      await copy.close();
    }
  });

  it('that is killed leaves none, and the next one is whole', async () => {
    const cut = join(folder, 'cut');
    await killed(['backup', cut], original(), 'assay-backup', 'begin; lock table validation in access exclusive mode');
    const empty = { database: postgres.database, home: join(folder, 'nobody') };
    expect(await assay(['restore', cut], empty)).toMatchObject({
      code: 3,
      said: expect.stringContaining('has no complete snapshot'),
    });

    expect(await assay(['backup', cut], original())).toMatchObject({ code: 0 });
    expect(readdirSync(join(cut, 'snapshots'))).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z$/)]);
    await expectInvariants(world, accepted);
  });

  /**
   * Compares byte by byte: every board up to the one of the snapshot, the predictions of the
   * models, and the datasets.
   */
  async function expectSame(copy: ServiceWorld, newest: number): Promise<void> {
    const models = await copy.rows<{ id: string }>(`select id from model where state = 'scored'`);
    expect(models.length).toBeGreaterThanOrEqual(4);
    await expectEqual(copy, [
      ...Array.from({ length: newest }, (_, index) => `/tasks/${parity.slug}/leaderboard?asOf=r${index + 1}`),
      ...models.flatMap(({ id }) =>
        Object.keys(DATASETS).map((dataset) => `/models/${id}/datasets/${dataset}/examples?limit=100`),
      ),
      ...Object.keys(DATASETS).map((dataset) => `/tasks/${parity.slug}/datasets/${dataset}/versions/1/content`),
      '/signing-key',
    ]);
  }

  async function expectEqual(copy: ServiceWorld, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const [before, after] = [await text(world, path), await text(copy, path)];
      expect([path, before.slice(0, 4)]).toEqual([path, '200 ']);
      expect([path, after]).toEqual([path, before]);
    }
  }

  async function expectInvariants(of: ServiceWorld, models: readonly string[]): Promise<void> {
    const settled = { world: of, redis: null, accepted: models, activeJobs: 'left alone' } as const;
    expect(await stillBroken(of, () => brokenInvariants(settled))).toEqual([]);
  }

  /**
   * Checks that every model whose artifact had arrived is scored, and that every blob named by a
   * row exists and matches its digest.
   */
  async function expectWhole(copy: ServiceWorld): Promise<void> {
    expect(await copy.rows(`select name, state from model where state not in ('scored', 'awaiting-artifact')`)).toEqual(
      [],
    );
    const named = await copy.rows<{ digest: string }>(ALL_BLOB_REFERENCES);
    expect(named.length).toBeGreaterThan(0);
    for (const { digest } of named) {
      const path = join(copy.home, 'blobs/blobs', digest.slice(0, 2), digest.slice(2));
      expect(existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(digest);
    }
  }
});
