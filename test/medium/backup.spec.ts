import { randomBytes } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { databaseOptions } from '@assay/persistence';
import { LocalBlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrations } from '../../apps/api/migrations/index.js';
import { backUp, type BackupDone } from '../../apps/api/src/backup/back-up.js';
import { KEYS, Manifest } from '../../apps/api/src/backup/manifest.js';
import { restore } from '../../apps/api/src/backup/restore.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { scoredModel } from '../factories/models/scored-models.js';
import { signingWorker } from '../factories/worlds/signing-worker.js';
import { type TestDatabase, testDatabase } from '../factories/worlds/test-services.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  quota: { perDay: 100, total: 100 },
};
const lines = (name: string): string =>
  Array.from({ length: 30 }, (_, id) =>
    JSON.stringify({ id, text: `${name}\t\\${id}\n`, label: id % 2 ? 'positive' : 'negative' }),
  ).join('\n');

/** An empty database and an empty home. */
interface Target {
  readonly database: TestDatabase;
  readonly home: string;
}

describe('a backup', () => {
  let world: ApiWorld;
  let owner: string;
  /** The folder of a backup that no test changes. */
  let whole: string;
  /** A database that stays empty, because nothing is restored into it. */
  let untouched: TestDatabase;
  const folders: string[] = [];
  const databases: TestDatabase[] = [];

  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'assay-backup-'));
    folders.push(path);
    return path;
  };
  const copied = (): string => {
    const directory = folder();
    cpSync(whole, directory, { recursive: true });
    return directory;
  };
  const emptyTarget = async (): Promise<Target> => {
    const database = await testDatabase();
    databases.push(database);
    return { database, home: join(folder(), 'home') };
  };
  /** The database URL of the owner role. The backup itself uses the role of the processes. */
  const databaseUrl = (): string => world.ownerUrl;
  const backUpTo = (directory: string, keep?: number): Promise<BackupDone> =>
    backUp({ databaseUrl: process.env['DATABASE_URL']!, home: world.home, directory, keep, now: new Date() });
  const refusingTarget = (): Target => ({ database: untouched, home: join(folder(), 'home') });
  const restoreTo = (directory: string, { database, home }: Target, snapshot?: string) =>
    restore({ databaseUrl: database.applicationUrl, databaseOwnerUrl: database.url, home, directory, snapshot });
  const manifestPath = (directory: string, snapshot: string): string =>
    join(directory, 'snapshots', snapshot, 'manifest.json');
  const manifest = (directory: string, snapshot: string): Manifest =>
    Manifest.parse(JSON.parse(readFileSync(manifestPath(directory, snapshot), 'utf8')));
  const content = (directory: string, snapshot: string) => {
    const { tables, sequences, keys, blobs } = manifest(directory, snapshot);
    return { tables, sequences, keys, blobs };
  };
  const rows = async <T extends object>(url: string, query: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(query)).rows;
    } finally {
      await client.end();
    }
  };
  const filesIn = (path: string): string[] =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const tablesOf = ({ database }: Target) =>
    rows(
      database.url,
      `select tablename from pg_tables where schemaname = 'public' and tablename <> 'mikro_orm_migrations'`,
    );
  const model = async (name: string): Promise<string> => {
    const id = await scoredModel(world, {
      slug: 'tone',
      name,
      token: owner,
      bytes: randomBytes(500).toString('hex'),
      answer: (_, { index }) => ({ text: index % 3 ? 'positive' : 'negative', probabilities: [0.25, 0.75] }),
    });
    await rows(databaseUrl(), `update run set state = 'done' where state = 'queued'`);
    return id;
  };
  const digestOf = async (id: string): Promise<string> => {
    const found = await world.orm.em.fork().findOneOrFail(Model, id, { populate: ['specification.artifact'] });
    return found.specification!.artifact.digest;
  };
  const dataset = (name: string) =>
    world.call('PUT', `/tasks/tone/datasets/${name}?visibility=public`, {
      token: owner,
      type: 'application/x-ndjson',
      body: lines(name),
    });
  /**
   * Starts a backup and holds it at the last of its tables until the returned function is called.
   */
  const heldBackup = async (directory: string) => {
    const holder = new pg.Client({ connectionString: databaseUrl() });
    await holder.connect();
    await holder.query('begin; lock table validation in access exclusive mode');
    const done = backUpTo(directory);
    done.catch(() => undefined);
    const waiting = `select 1 from pg_stat_activity where application_name = 'assay-backup' and wait_event_type = 'Lock'`;
    while ((await rows(databaseUrl(), waiting)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const letGo = async (): Promise<void> => {
      await holder.query('rollback');
      await holder.end();
    };
    return { done, letGo };
  };

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await dataset('first');
    await model('one');
    // the first start of a worker creates the signing keys
    const worker = await signingWorker(world, world.home);
    await worker.stop();
    whole = join(mkdtempSync(join(tmpdir(), 'assay-backup-')), 'new');
    await backUpTo(whole);
    untouched = await testDatabase();
  });
  afterEach(async () => {
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
    for (const database of databases.splice(0)) await database.drop();
  });
  afterAll(async () => {
    rmSync(dirname(whole), { recursive: true, force: true });
    await untouched.drop();
    await world.close();
  });

  it('of what was restored is the same backup', async () => {
    const [directory, again] = [folder(), folder()];
    const target = await emptyTarget();
    const { snapshot } = await backUpTo(directory);

    const done = await restoreTo(directory, target);

    expect(done).toMatchObject({ snapshot, migrations: 0 });
    const restored = {
      databaseUrl: target.database.applicationUrl,
      home: target.home,
      directory: again,
      now: new Date(),
    };
    const second = await backUp(restored);
    expect(content(again, second.snapshot)).toEqual(content(directory, snapshot));
    expect(manifest(directory, snapshot).keys.map(({ name }) => name)).toEqual(
      KEYS.filter((name) => readdirSync(world.home).includes(name)),
    );
    expect(manifest(directory, snapshot).keys).toHaveLength(4);
    expect(filesIn(join(target.home, 'blobs/blobs'))).toHaveLength(done.blobs);
    // entries of the audit log are protected against changes in the restored database too
    for (const url of [target.database.url, target.database.applicationUrl]) {
      await expect(rows(url, 'delete from audit_entry')).rejects.toThrow();
    }
  });

  it('is for the eyes of its owner', () => {
    const others = filesIn(join(whole, 'snapshots')).filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(others).toEqual([]);
    expect(statSync(whole).mode & 0o777).toBe(0o700);
  });

  it('copies what is new, and forgets what is old', async () => {
    const directory = folder();
    const gone = await model('gone');
    const first = await backUpTo(directory);
    expect(first.copied).toBe(first.blobs);
    const digest = await digestOf(gone);
    const kept = new LocalBlobStore(directory);
    await world.call('POST', `/models/${gone}/archive`, { token: owner });

    const second = await backUpTo(directory);
    expect(second).toMatchObject({ copied: 0, blobs: first.blobs - 1, removed: [] });
    expect(await kept.has(digest)).toBe(true);

    const third = await backUpTo(directory, 2);
    expect(third.removed).toEqual([first.snapshot]);
    expect(readdirSync(join(directory, 'snapshots')).sort()).toEqual([second.snapshot, third.snapshot].sort());
    expect(await kept.has(digest)).toBe(false);
    await restoreTo(directory, await emptyTarget(), second.snapshot);
  });

  it('is taken by one at a time, of one moment, and what that names stays until it is copied', async () => {
    const directory = folder();
    const going = await model('going');
    const digest = await digestOf(going);
    const { done, letGo } = await heldBackup(directory);

    await expect(backUpTo(directory)).rejects.toMatchObject({ code: 'backup_under_way' });
    await model('later');
    expect((await dataset('later')).status).toBe(201);
    expect((await world.call('POST', `/models/${going}/archive`, { token: owner })).status).toBe(200);
    await letGo();

    const { snapshot } = await done;
    const target = await emptyTarget();
    await restoreTo(directory, target);
    const [artifact] = await rows<{ archived_at: Date | null }>(
      target.database.url,
      `select archived_at from artifact where digest = '${digest}'`,
    );
    expect(artifact).toEqual({ archived_at: null });
    expect(await new LocalBlobStore(join(target.home, 'blobs')).has(digest)).toBe(true);
    expect(await rows(target.database.url, `select 1 from model where name = 'later'`)).toEqual([]);
    expect(await rows(target.database.url, `select 1 from dataset where name = 'later'`)).toEqual([]);
    expect(manifest(directory, snapshot).tables.map(({ name }) => name)).not.toContain('worker_presence');
  });

  it('is not made where a blob is missing or is another, and says which', async () => {
    const directory = folder();
    const id = await model('damaged');
    const digest = await digestOf(id);
    const path = join(world.home, 'blobs/blobs', digest.slice(0, 2), digest.slice(2));
    const bytes = readFileSync(path);
    for (const damage of [() => rmSync(path), () => writeFileSync(path, Buffer.alloc(bytes.length))]) {
      damage();
      await expect(backUpTo(directory)).rejects.toMatchObject({
        code: 'blobs_damaged',
        message: expect.stringContaining(digest),
      });
    }
    await expect(restoreTo(directory, refusingTarget())).rejects.toMatchObject({ code: 'no_backup' });

    writeFileSync(path, bytes);
    await backUpTo(directory);
    expect(readdirSync(join(directory, 'snapshots'))).toHaveLength(1);
    expect(readdirSync(join(directory, 'temporary'))).toEqual([]);
  });

  it('is not taken of another database', async () => {
    const { database, home } = await emptyTarget();
    await expect(
      backUp({ databaseUrl: database.url, home, directory: folder(), now: new Date() }),
    ).rejects.toMatchObject({
      code: 'no_service',
    });
  });

  it('says so where the database does not answer', async () => {
    const url = new URL(databaseUrl());
    url.pathname = '/not_there';
    const plan = { databaseUrl: url.href, home: folder(), directory: folder(), now: new Date() };
    await expect(backUp(plan)).rejects.toMatchObject({ code: 'no_database' });
  });

  describe('that is damaged', () => {
    const flip = (path: string): void => {
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
    };
    const someBlob = (directory: string): string => filesIn(join(directory, 'blobs'))[0]!;
    const inSnapshot = (directory: string, path: string): string =>
      join(directory, 'snapshots', readdirSync(join(directory, 'snapshots'))[0]!, path);

    it.each<[string, (directory: string) => void]>([
      ['a table', (directory) => flip(inSnapshot(directory, 'tables/model.copy.gz'))],
      ['a table that is gone', (directory) => rmSync(inSnapshot(directory, 'tables/model.copy.gz'))],
      ['a key', (directory) => flip(inSnapshot(directory, 'keys/pseudonym-key'))],
      ['the list of blobs', (directory) => truncateSync(inSnapshot(directory, 'blobs.txt'), 65)],
      ['the manifest', (directory) => truncateSync(inSnapshot(directory, 'manifest.json'), 500)],
      ['a blob', (directory) => flip(someBlob(directory))],
      ['a blob that is cut', (directory) => truncateSync(someBlob(directory), 1)],
      ['a blob that is gone', (directory) => rmSync(someBlob(directory))],
    ])('in %s is not restored', async (_, damage) => {
      const directory = copied();
      const target = refusingTarget();
      damage(directory);

      await expect(restoreTo(directory, target)).rejects.toMatchObject({ code: 'backup_damaged' });
      expect(await tablesOf(target)).toEqual([]);
    });

    it('in a blob is restored once that is mended, and continues where it was', async () => {
      const directory = copied();
      const target = await emptyTarget();
      const path = someBlob(directory);
      const bytes = readFileSync(path);
      flip(path);
      await expect(restoreTo(directory, target)).rejects.toMatchObject({ code: 'backup_damaged' });

      writeFileSync(path, bytes);
      await restoreTo(directory, target);
      expect(await tablesOf(target)).not.toEqual([]);
      expect(readdirSync(target.home)).not.toContain('restoring');
    });
  });

  describe('of another schema', () => {
    const changed = (change: (found: Manifest) => object): string => {
      const directory = copied();
      const [snapshot = ''] = readdirSync(join(directory, 'snapshots'));
      const found = manifest(directory, snapshot);
      writeFileSync(manifestPath(directory, snapshot), JSON.stringify({ ...found, ...change(found) }));
      return directory;
    };

    it.each<[string, (found: Manifest) => object]>([
      ['schema', ({ migrations: known }) => ({ migrations: [...known, 'Migration20990101000000'] })],
      ['format', () => ({ format: 'assay-backup-2' })],
    ])('that is newer is refused: %s', async (_, change) => {
      const target = refusingTarget();
      await expect(restoreTo(changed(change), target)).rejects.toMatchObject({ code: 'backup_newer' });
      expect(await tablesOf(target)).toEqual([]);
    });

    it('that is older is brought to the one of this version', async () => {
      const old = await emptyTarget();
      const directory = folder();
      await migrateTo(old.database.url, migrations.length - 2);
      await rows(
        old.database.url,
        `insert into user_account (id, username, username_key, email, password_hash, role, created_at)
           values (gen_random_uuid(), 'Ada', 'ada', 'ada@example.org', '', 'user', now())`,
      );
      await backUp({ databaseUrl: old.database.url, home: old.home, directory, now: new Date() });

      const target = await emptyTarget();
      expect(await restoreTo(directory, target)).toMatchObject({ migrations: 2 });
      expect(await rows(target.database.url, 'select username from user_account')).toEqual([{ username: 'Ada' }]);
      expect(await rows(target.database.url, 'select name from mikro_orm_migrations order by id')).toEqual(
        migrations.map(({ name }) => ({ name })),
      );
    });
  });

  describe('is not restored into', () => {
    it('a database that has something', async () => {
      const target = await emptyTarget();
      await rows(target.database.url, 'create table mine (id int)');
      await expect(restoreTo(whole, target)).rejects.toMatchObject({ code: 'database_not_empty' });
      expect(await tablesOf(target)).toEqual([{ tablename: 'mine' }]);
    });

    it('the service that it is of', async () => {
      const before = await rows(databaseUrl(), 'select count(*) from model');
      await expect(restore({ databaseUrl: databaseUrl(), home: world.home, directory: whole })).rejects.toMatchObject({
        code: 'database_not_empty',
      });
      expect(await rows(databaseUrl(), 'select count(*) from model')).toEqual(before);
    });

    it('a home that has blobs, or another key', async () => {
      const [blobs, key] = [refusingTarget(), refusingTarget()];
      await new LocalBlobStore(join(blobs.home, 'blobs')).put(Readable.from(['mine']));
      mkdirSync(key.home);
      writeFileSync(join(key.home, 'pseudonym-key'), 'mine');
      for (const target of [blobs, key]) {
        await expect(restoreTo(whole, target)).rejects.toMatchObject({ code: 'home_not_empty' });
        expect(await tablesOf(target)).toEqual([]);
      }
      expect(readFileSync(join(key.home, 'pseudonym-key'), 'utf8')).toBe('mine');
    });
  });

  it('knows of every column that may hold a digest whether it is one of a blob', async () => {
    const known = {
      blobs: [
        'artifact.digest',
        'dataset_version.content',
        'evaluation.predictions',
        'evaluation.resamples',
        'round_release.content',
        'supplement.digest',
      ],
      others: [
        'annotation.pseudonym',
        'annotator_count.pseudonym',
        'board_revision.digest',
        'credential.hash',
        'crowd_link.completion_code',
        'crowd_session.code',
        'crowd_session.secret_hash',
        'dataset_version.commitment',
        'dataset_version.digest',
        'dataset_version.inputs_digest',
        'dataset_version.salt',
        'evaluation.scoring_key',
        'evaluator.live_secret',
        'evaluator.token_hash',
        'invitation.hash',
        'mail_confirmation.hash',
        'provider_sign_in.hash',
        'provider_sign_in.nonce',
        'provider_sign_in.state',
        'run_specification.key',
        'sign_in_attempt.account',
        'validation.pseudonym',
        'validator_count.pseudonym',
      ],
    };
    const columns = await rows<{ name: string }>(
      databaseUrl(),
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and character_maximum_length = 64`,
    );
    // after adding a column: add it to libs/application/src/blobs/blob-references.ts if it names
    // a blob
    expect(columns.map(({ name }) => name).sort()).toEqual([...known.blobs, ...known.others].sort());
  });
});

async function migrateTo(url: string, count: number): Promise<void> {
  const orm = await MikroORM.init(databaseOptions({ url, entities: [Artifact], migrations, poolMax: 2 }));
  await orm.migrator.up({ to: migrations[count - 1]!.name });
  await orm.close();
}
