// The commands of `assay admin` that run on the machine of the service: back up, restore, and
// rotate the signing key.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes } from '@assay/contracts/text';
import { DomainError } from '@assay/kernel';
import { backUp, type BackupDone } from '../backup/back-up.js';
import { restore, type RestoreDone } from '../backup/restore.js';
import { type RotatedKey, rotateSigningKey } from '../exports/signing-keys-file.js';

const REFUSED = 3;
const home = resolve(process.env['ASSAY_HOME'] || '.assay');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, snapshot: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const [work, directory] = positionals;

try {
  if (work === 'rotate-signing-key') tell(await rotateSigningKey(home), rotatedText);
  else await copy();
} catch (error) {
  process.exitCode = error instanceof DomainError ? REFUSED : 1;
  const { message } = error as Error;
  const code = error instanceof DomainError ? error.code : 'unexpected';
  if (values.json) console.log(JSON.stringify({ error: { code, message, exitCode: process.exitCode } }, null, 2));
  console.error(message || String(error));
}

async function copy(): Promise<void> {
  const plan = { databaseUrl: databaseUrl(), home, directory: resolve(directory!) };
  const keep = values.keep === undefined ? undefined : Number(values.keep);
  if (work === 'backup') tell(await backUp({ ...plan, keep, now: new Date() }), backupText);
  else {
    const databaseOwnerUrl = process.env['DATABASE_OWNER_URL'] || undefined;
    tell(await restore({ ...plan, databaseOwnerUrl, snapshot: values.snapshot }), restoreText);
  }
}

/**
 * Returns `DATABASE_URL`, or the URL of the embedded PostgreSQL of the installation that runs in
 * `home`.
 * @throws DomainError `no_database`
 */
function databaseUrl(): string {
  const named = process.env['DATABASE_URL'];
  if (named) return named;
  try {
    return readFileSync(join(home, 'database-url'), 'utf8').trim();
  } catch {
    throw new DomainError(
      'unavailable',
      'no_database',
      `No database found. Set DATABASE_URL. With the embedded PostgreSQL of ${home}, start Assay before you take a backup, and restore with scripts/up --restore DIR.`,
    );
  }
}

function tell<T>(done: T, text: (done: T) => string): void {
  console.log(values.json ? JSON.stringify(done, null, 2) : text(done));
}

function backupText({ snapshot, rows, tables, blobs, bytes, copied, removed }: BackupDone): string {
  const files = `${blobs} blobs (${formatBytes(bytes)}, ${copied} new)`;
  const gone = removed.length > 0 ? ` Removed: ${removed.join(', ')}.` : '';
  return `Snapshot ${snapshot}: ${rows} rows of ${tables} tables, ${files}.${gone}`;
}

function restoreText({ snapshot, takenAt, rows, blobs, migrations }: RestoreDone): string {
  const newer = migrations > 0 ? ` Applied ${migrations} migrations of this version.` : '';
  return `Restored ${snapshot} (taken ${takenAt}): ${rows} rows, ${blobs} blobs.${newer} You can now start the service.`;
}

function rotatedText({ keyId, retired }: RotatedKey): string {
  return `Results are signed with the key ${keyId} from now on. The key ${retired.keyId} is retired.`;
}
