import { collectionBlobs } from '@assay/collection';
import { evaluationBlobs } from '@assay/evaluation';
import { submissionsBlobs } from '@assay/submissions';
import { tasksBlobs } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** SQL for the digests of referenced blobs, by kind. */
export const BLOB_REFERENCES = {
  ...submissionsBlobs,
  ...tasksBlobs,
  ...collectionBlobs,
  ...evaluationBlobs,
} as const;

/** SQL for all referenced digests, each once. */
export const ALL_BLOB_REFERENCES = Object.values(BLOB_REFERENCES).join(' union ');

/** Returns whether any row refers to the blob. */
export async function isBlobReferenced(em: EntityManager, digest: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from (${ALL_BLOB_REFERENCES}) as referenced where digest = ? limit 1`,
    [digest],
  );
  return rows.length > 0;
}
