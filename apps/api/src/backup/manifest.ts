import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '@assay/kernel';
import type { Blob } from '@assay/storage';
import { z } from 'zod';

export const FORMAT = 'assay-backup-1';

/**
 * The files of `ASSAY_HOME` that a backup contains besides the blobs. They cannot be replaced: new
 * keys would not fit existing signatures, pseudonyms, links and webhooks. `signing-key.pem` is
 * where earlier versions stored the signing key.
 */
export const KEYS = ['signing-keys.json', 'signing-key.pem', 'pseudonym-key', 'crowd-link-key', 'webhook-key'] as const;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A file of a snapshot, with its size and digest when it was written. */
const BackupFile = z.strictObject({ path: z.string(), bytes: z.int().nonnegative(), sha256: Sha256 });
export type BackupFile = z.infer<typeof BackupFile>;

const BackupTable = z.strictObject({
  name: z.string(),
  columns: z.array(z.string()).readonly(),
  rows: z.int().nonnegative(),
  file: BackupFile,
});
export type BackupTable = z.infer<typeof BackupTable>;

/** The content of a snapshot. It is written last: a snapshot without it is incomplete. */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT),
  takenAt: z.iso.datetime(),
  /** The version of PostgreSQL. `migrations` has the names of the applied migrations in order. */
  postgres: z.string(),
  migrations: z.array(z.string()).min(1),
  tables: z.array(BackupTable),
  sequences: z.array(z.strictObject({ name: z.string(), value: z.string().nullable() })),
  keys: z.array(z.strictObject({ name: z.enum(KEYS), file: BackupFile })),
  /** The file has a line per blob: digest, space, size in bytes. */
  blobs: z.strictObject({ count: z.int().nonnegative(), bytes: z.int().nonnegative(), file: BackupFile }),
});
export type Manifest = z.infer<typeof Manifest>;

export const MANIFEST = 'manifest.json';

/** @throws DomainError `backup_damaged`, `backup_newer` */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch(() => '');
  const parsed = Manifest.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const format = z.object({ format: z.string().startsWith('assay-backup-') }).safeParse(jsonOf(text));
  if (format.success && format.data.format !== FORMAT) {
    throw new DomainError(
      'invalid',
      'backup_newer',
      `${path} has the format ${format.data.format}, which this version cannot read. Restore it with the version of Assay that created it.`,
    );
  }
  throw damaged(path, 'it is not a valid backup manifest');
}

/**
 * Verifies that every file of the snapshot is intact.
 * @throws DomainError `backup_damaged`
 */
export async function verifyFiles(folder: string, { tables, keys, blobs }: Manifest): Promise<void> {
  for (const { path, bytes, sha256 } of [...tables, ...keys, blobs].map(({ file }) => file)) {
    const found = await measure(join(folder, path)).catch(() => null);
    if (!found) throw damaged(join(folder, path), 'it is missing');
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw damaged(join(folder, path), 'it has changed since the backup');
    }
  }
}

/** Returns the blobs that the rows of the snapshot name. */
export async function readBlobs(folder: string, { blobs }: Manifest): Promise<Blob[]> {
  const lines = (await readFile(join(folder, blobs.file.path), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [digest = '', size = ''] = line.split(' ');
    return { digest, size: Number(size) };
  });
}

/** Returns the size and the sha256 of a file. */
export async function measure(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  await pipeline(file, hash);
  return { bytes: file.bytesRead, sha256: hash.digest('hex') };
}

export const damaged = (what: string, how: string): DomainError =>
  new DomainError(
    'invalid',
    'backup_damaged',
    `${what}: ${how}. Nothing was restored. Choose another snapshot (--snapshot), or use an intact copy of this backup.`,
  );

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
