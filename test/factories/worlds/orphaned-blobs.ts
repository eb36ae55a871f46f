import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ALL_BLOB_REFERENCES } from '../../../libs/application/src/blobs/blob-references.js';

/** The part of a `ServiceWorld` that is needed. */
interface Storage {
  readonly home: string;
  readonly rows: <T extends object>(query: string) => Promise<T[]>;
}

/**
 * Checks that every blob is named by a row, and that every blob named by a row exists.
 * @returns A description of each violation.
 */
export async function orphanedBlobs({ home, rows }: Storage): Promise<string[]> {
  const digests = await rows<{ digest: string }>(ALL_BLOB_REFERENCES);
  const named = new Set(digests.map(({ digest }) => digest));
  const kept = new Set(blobsIn(join(home, 'blobs/blobs')));
  return [
    ...[...kept].filter((digest) => !named.has(digest)).map((digest) => `no row names blob ${digest}`),
    ...[...named].filter((digest) => !kept.has(digest)).map((digest) => `blob ${digest} is gone`),
  ];
}

function blobsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${basename(entry.parentPath)}${entry.name}`);
}
