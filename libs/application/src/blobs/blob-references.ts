import { collectionBlobs } from '@assay/collection/rounds';
import { evaluationBlobs } from '@assay/evaluation/evaluations';
import { submissionsBlobs } from '@assay/submissions/artifacts';
import { tasksBlobs } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';

/** SQL for the digests of referenced blobs, by kind. */
const BLOB_REFERENCES = {
  ...submissionsBlobs,
  ...tasksBlobs,
  ...collectionBlobs,
  ...evaluationBlobs,
} as const;

/** SQL for all referenced digests, each once. */
export const ALL_BLOB_REFERENCES = Object.values(BLOB_REFERENCES).join(' union ');

/** Returns the digests of all blobs that rows refer to, each once. */
export async function referencedBlobs(em: EntityManager): Promise<readonly string[]> {
  return (await em.execute<{ digest: string }[]>(ALL_BLOB_REFERENCES)).map(({ digest }) => digest);
}

/**
 * Returns the kinds of the blobs that rows refer to, by digest. A digest with several kinds has the
 * first of them.
 */
export async function kindsOfBlobs(em: EntityManager): Promise<ReadonlyMap<string, keyof typeof BLOB_REFERENCES>> {
  const kinds = new Map<string, keyof typeof BLOB_REFERENCES>();
  for (const [kind, statement] of Object.entries(BLOB_REFERENCES)) {
    for (const { digest } of await em.execute<{ digest: string }[]>(statement)) {
      if (!kinds.has(digest)) kinds.set(digest, kind as keyof typeof BLOB_REFERENCES);
    }
  }
  return kinds;
}

/** Returns whether any row refers to the blob. */
export async function isBlobReferenced(em: EntityManager, digest: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from (${ALL_BLOB_REFERENCES}) as referenced where digest = ? limit 1`,
    [digest],
  );
  return rows.length > 0;
}
