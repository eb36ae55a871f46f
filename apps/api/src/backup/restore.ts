import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '@assay/kernel';
import { type Blob, LocalBlobStore } from '@assay/storage';
import pLimit from 'p-limit';
import { migrations } from '../../migrations/index.js';
import { BackupFolder } from './backup-folder.js';
import { damaged, type Manifest, measure, readBlobs, readManifest, verifyFiles } from './manifest.js';
import { expectEmptyDatabase, fillDatabase } from './restored-database.js';

export interface RestorePlan {
  /** The URL for the role of the processes. */
  readonly databaseUrl: string;
  /** The URL for the role that owns the tables. Undefined: the same role. */
  readonly databaseOwnerUrl?: string | undefined;
  /** `ASSAY_HOME` of the restored service. */
  readonly home: string;
  readonly directory: string;
  /** The name of the snapshot. Undefined: the newest. */
  readonly snapshot?: string | undefined;
}

export interface RestoreDone {
  readonly snapshot: string;
  readonly takenAt: string;
  readonly rows: number;
  readonly blobs: number;
  /** The number of migrations that were applied on top of those of the backup. */
  readonly migrations: number;
}

/** The file that marks a home that is being filled. It contains the name of the snapshot. */
const MARK = 'restoring';
const AT_A_TIME = 4;

/**
 * Restores a backup into an empty database and an empty home. All rows appear at once, at the very
 * end. After an interruption the database has no content, and the same command starts the restore
 * again.
 * @throws DomainError `no_backup`, `no_database`, `backup_newer`, `backup_damaged`,
 *   `database_not_empty`, `home_not_empty`
 */
export async function restore(plan: RestorePlan): Promise<RestoreDone> {
  const { databaseUrl, databaseOwnerUrl: owner = databaseUrl, home, directory, snapshot } = plan;
  const backup = new BackupFolder(directory);
  const name = await backup.choose(snapshot);
  const folder = backup.folderOf(name);
  const manifest = await readManifest(folder);
  expectKnownSchema(manifest);
  await verifyFiles(folder, manifest);
  const blobs = await readBlobs(folder, manifest);
  await expectBlobs(backup.blobs, blobs);
  await expectEmptyDatabase(owner);
  await expectEmptyHome(home, name, folder, manifest);

  await mkdir(home, { recursive: true });
  await writeFile(join(home, MARK), name, { mode: 0o600, flush: true });
  await copyBlobs(backup.blobs, new LocalBlobStore(join(home, 'blobs')), blobs);
  for (const { name: key, file } of manifest.keys) await copyFile(join(folder, file.path), join(home, key));
  await fillDatabase({ owner, application: databaseUrl }, folder, manifest);
  await rm(join(home, MARK));
  return {
    snapshot: name,
    takenAt: manifest.takenAt,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    blobs: blobs.length,
    migrations: migrations.length - manifest.migrations.length,
  };
}

/**
 * Requires the migrations of the backup to be the first of those that this version has.
 * @throws DomainError `backup_newer`
 */
function expectKnownSchema(manifest: Manifest): void {
  const known = migrations.map(({ name }) => name);
  const stranger = manifest.migrations.find((name, place) => known[place] !== name);
  if (stranger === undefined) return;
  throw new DomainError(
    'conflict',
    'backup_newer',
    `The backup has a migration that this version does not have: ${stranger}. Restore it with the version of Assay that created it, or a later one.`,
  );
}

async function expectBlobs(store: LocalBlobStore, blobs: readonly Blob[]): Promise<void> {
  for (const { digest, size } of blobs) {
    const found = await store.size(digest).catch(() => null);
    if (found === null) throw damaged(`The blob ${digest}`, 'it is missing');
    if (found !== size) throw damaged(`The blob ${digest}`, `it has ${found} bytes instead of ${size}`);
  }
}

/**
 * Requires an empty home, except for what an interrupted restore of the same snapshot left.
 * @throws DomainError `home_not_empty`
 */
async function expectEmptyHome(home: string, name: string, folder: string, manifest: Manifest): Promise<void> {
  const begun = (await readFile(join(home, MARK), 'utf8').catch(() => null)) === name;
  if (!begun) {
    for (const place of ['blobs/blobs', 'uploads', 'work']) {
      const found = await readdir(join(home, place)).catch(() => []);
      if (found.length > 0) throw homeNotEmpty(home, join(home, place));
    }
  }
  for (const { name: key, file } of manifest.keys) {
    const there = await measure(join(home, key)).catch(() => null);
    if (there && there.sha256 !== (await measure(join(folder, file.path))).sha256) {
      throw homeNotEmpty(home, join(home, key));
    }
  }
}

const homeNotEmpty = (home: string, what: string): DomainError =>
  new DomainError(
    'conflict',
    'home_not_empty',
    `${what} already exists. A backup can only be restored into an empty ASSAY_HOME. Set ASSAY_HOME to a folder other than ${home}, or move ${home} away.`,
  );

async function copyBlobs(source: LocalBlobStore, target: LocalBlobStore, blobs: readonly Blob[]): Promise<void> {
  await pLimit(AT_A_TIME).map(blobs, async ({ digest, size }) => {
    if ((await target.size(digest).catch(() => null)) === size) return;
    await target.put(source.open(digest), { expectedDigest: digest }).catch((error: unknown) => {
      const altered = error instanceof DomainError && error.code === 'upload_altered';
      throw altered ? damaged(`The blob ${digest}`, 'it has changed since the backup') : error;
    });
  });
}
