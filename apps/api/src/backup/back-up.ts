import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { blobReferences } from '@assay/application/blobs';
import { DomainError } from '@assay/kernel';
import { preventByteRemoval } from '@assay/persistence';
import { copyTableOut, sequencesToCopy, tablesToCopy } from '@assay/persistence/backup';
import { type Blob, type BlobStore, LocalBlobStore } from '@assay/storage';
import pLimit from 'p-limit';
import type pg from 'pg';
import { BackupFolder } from './backup-folder.js';
import { appliedMigrations, connectTo } from './database-client.js';
import { FORMAT, type BackupFile, type BackupTable, KEYS, type Manifest, MANIFEST, measure } from './manifest.js';

export interface BackupPlan {
  readonly databaseUrl: string;
  /** `ASSAY_HOME` */
  readonly home: string;
  /** The folder of the backups. It is created if it is missing. */
  readonly directory: string;
  /** The number of snapshots to keep, including this one. Undefined: all. */
  readonly keep?: number | undefined;
  readonly now: Date;
}

export interface BackupDone {
  readonly snapshot: string;
  readonly tables: number;
  readonly rows: number;
  readonly blobs: number;
  /** The total size of the snapshot's blobs in bytes. */
  readonly bytes: number;
  /** The number of blobs that the backup folder did not have yet. */
  readonly copied: number;
  /** The names of the older snapshots that were removed afterwards. */
  readonly removed: readonly string[];
}

const AT_A_TIME = 4;
const MOST_NAMED = 10;

/**
 * Takes a backup of a service, which may be running: the rows at one point in time, all blobs that
 * they name, and the keys. If it fails, no snapshot appears; the next backup removes the unfinished
 * folder.
 * @throws DomainError `no_database`, `no_service`, `backup_under_way`, `blobs_damaged`
 */
export async function backUp({ databaseUrl, home, directory, keep, now }: BackupPlan): Promise<BackupDone> {
  const folder = new BackupFolder(directory);
  const client = await connectTo(databaseUrl, 'assay-backup');
  try {
    await expectAlone(client);
    await folder.prepare();
    const name = await folder.nameFor(now);
    const target = await folder.begin(name);
    // before the rows are read, so that the blobs that they name stay until they are copied
    await preventByteRemoval(client);
    const { digests, ...rows } = await copyRows(client, target);
    const { kept, copied } = await copyBlobs(new LocalBlobStore(join(home, 'blobs')), folder.blobs, digests);
    const manifest: Manifest = {
      format: FORMAT,
      takenAt: now.toISOString(),
      ...rows,
      keys: await copyKeys(home, target),
      blobs: await listBlobs(target, kept),
    };
    await writeFile(join(target, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await folder.complete(name);
    return {
      snapshot: name,
      tables: manifest.tables.length,
      rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
      blobs: manifest.blobs.count,
      bytes: manifest.blobs.bytes,
      copied,
      removed: keep === undefined ? [] : await folder.keepNewest(keep),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function expectAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('assay backup', 0)) as mine`,
  );
  if (rows[0]?.mine === true) return;
  throw new DomainError(
    'conflict',
    'backup_under_way',
    'Another backup of this service is running. Wait until it has ended.',
  );
}

interface CopiedRows extends Pick<Manifest, 'postgres' | 'migrations' | 'tables' | 'sequences'> {
  readonly digests: readonly string[];
}

/**
 * Copies the rows at one point in time, and returns the digests of the blobs that they name.
 * @throws DomainError `no_service`
 */
async function copyRows(client: pg.Client, target: string): Promise<CopiedRows> {
  await client.query('begin isolation level repeatable read, read only');
  const migrations = await migrationsOf(client);
  const { rows: versions } = await client.query<{ server_version: string }>('show server_version');
  await mkdir(join(target, 'tables'), { mode: 0o700 });
  const tables: BackupTable[] = [];
  for (const table of await tablesToCopy(client)) {
    const path = join('tables', `${table.name}.copy.gz`);
    const rows = await copyTableOut(client, table, (content) => writeCompressed(content, join(target, path)));
    tables.push({ ...table, rows, file: await described(target, path) });
  }
  const named = await client.query<{ digest: string }>(
    `select digest from (${blobReferences(tables.map(({ name }) => name))}) as named order by 1`,
  );
  const sequences = await sequencesToCopy(client);
  await client.query('commit');
  const digests = named.rows.map(({ digest }) => digest);
  return { postgres: versions[0]!.server_version, migrations, tables, sequences, digests };
}

async function migrationsOf(client: pg.Client): Promise<string[]> {
  const migrations = await appliedMigrations(client);
  if (migrations.length > 0) return migrations;
  throw new DomainError(
    'conflict',
    'no_service',
    'The database in DATABASE_URL has no tables of Assay. Set DATABASE_URL to the database of the service.',
  );
}

const writeCompressed = (content: Readable, path: string): Promise<void> =>
  pipeline(content, createGzip({ level: 4 }), createWriteStream(path, { flags: 'wx', mode: 0o600 }));

async function described(target: string, path: string): Promise<BackupFile> {
  return { path, ...(await measure(join(target, path))) };
}

/**
 * Copies the blobs that `target` lacks, and verifies their bytes on the way. Copies all intact
 * blobs before it throws.
 * @throws DomainError `blobs_damaged`, which names the missing and the altered blobs
 */
async function copyBlobs(
  source: BlobStore,
  target: BlobStore,
  digests: readonly string[],
): Promise<{ readonly kept: readonly Blob[]; readonly copied: number }> {
  const kept: Blob[] = [];
  const bad: string[] = [];
  let copied = 0;
  const copyOne = async (digest: string): Promise<void> => {
    const size = await source.size(digest);
    const there = await target.size(digest).catch(() => null);
    if (there !== size) {
      await target.delete(digest);
      await target.put(source.open(digest), { expectedDigest: digest });
      copied++;
    }
    kept.push({ digest, size });
  };
  await pLimit(AT_A_TIME).map(digests, (digest) =>
    copyOne(digest).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      bad.push(digest);
    }),
  );
  if (bad.length > 0) throw blobsDamaged(bad);
  return { kept: kept.sort((one, other) => (one.digest < other.digest ? -1 : 1)), copied };
}

const isDamage = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'blob_missing' || error.code === 'upload_altered');

const blobsDamaged = (digests: readonly string[]): DomainError =>
  new DomainError(
    'conflict',
    'blobs_damaged',
    `The database refers to ${digests.length} blobs that are missing from ASSAY_HOME/blobs or damaged: ` +
      `${digests.slice(0, MOST_NAMED).join(', ')}${digests.length > MOST_NAMED ? ', …' : ''}. No snapshot was made. ` +
      'Check that ASSAY_HOME belongs to this database. Copy the blobs from an earlier backup to blobs/blobs/ab/cdef… and try again.',
  );

async function listBlobs(target: string, blobs: readonly Blob[]): Promise<Manifest['blobs']> {
  const lines = blobs.map(({ digest, size }) => `${digest} ${size}\n`).join('');
  await writeFile(join(target, 'blobs.txt'), lines, { mode: 0o600 });
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  return { count: blobs.length, bytes, file: await described(target, 'blobs.txt') };
}

/** Copies the keys that exist. A key may be missing, because each is created at its first use. */
async function copyKeys(home: string, target: string): Promise<Manifest['keys']> {
  await mkdir(join(target, 'keys'), { mode: 0o700 });
  const keys: Manifest['keys'] = [];
  for (const name of KEYS) {
    const there = await readFile(join(home, name)).catch(() => null);
    if (!there) continue;
    const path = join('keys', name);
    await writeFile(join(target, path), there, { mode: 0o600 });
    keys.push({ name, file: await described(target, path) });
  }
  return keys;
}
