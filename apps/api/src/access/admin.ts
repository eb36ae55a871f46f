// The commands of `assay admin` that run on the machine of the API: back up and restore.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes } from '@assay/contracts/text';
import { DomainError } from '@assay/kernel';
import { runOperatorCommand } from '@assay/observability';
import { backUp, type BackupDone } from '../backup/back-up.js';
import { restore, type RestoreDone } from '../backup/restore.js';

const home = resolve(process.env['ASSAY_HOME'] || '.assay');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, snapshot: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const [work, directory] = positionals;
const output = values.json ? 'json' : 'text';
const plan = () => ({ databaseUrl: databaseUrl(), home, directory: resolve(directory!) });

if (work === 'backup') await runOperatorCommand(output, copy, backupText);
else await runOperatorCommand(output, bringBack, restoreText);

async function copy(): Promise<BackupDone> {
  const keep = values.keep === undefined ? undefined : Number(values.keep);
  return backUp({ ...plan(), keep, now: new Date() });
}

async function bringBack(): Promise<RestoreDone> {
  const databaseOwnerUrl = process.env['DATABASE_OWNER_URL'] || undefined;
  return restore({ ...plan(), databaseOwnerUrl, snapshot: values.snapshot });
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

function backupText({ snapshot, rows, tables, blobs, bytes, copied, removed }: BackupDone): string {
  const files = `${blobs} blobs (${formatBytes(bytes)}, ${copied} new)`;
  const gone = removed.length > 0 ? ` Removed: ${removed.join(', ')}.` : '';
  return `Snapshot ${snapshot}: ${rows} rows of ${tables} tables, ${files}.${gone}`;
}

function restoreText({ snapshot, takenAt, rows, blobs, migrations }: RestoreDone): string {
  const newer = migrations > 0 ? ` Applied ${migrations} migrations of this version.` : '';
  return `Restored ${snapshot} (taken ${takenAt}): ${rows} rows, ${blobs} blobs.${newer} You can now start the service.`;
}
