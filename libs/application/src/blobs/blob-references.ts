import { collectionBlobs } from '@assay/collection/rounds';
import { evaluationBlobs } from '@assay/evaluation/evaluations';
import { submissionsBlobs } from '@assay/submissions/artifacts';
import { supplementBlobs } from '@assay/submissions/supplements';
import { tasksBlobs } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';

/** SQL for the digests of referenced blobs, by kind, from tables of every schema. */
const BLOB_REFERENCES = {
  ...submissionsBlobs,
  ...tasksBlobs,
  ...collectionBlobs,
  ...evaluationBlobs,
} as const;

type BlobKind = keyof typeof BLOB_REFERENCES;

/** The same from tables that older schemas lack, by table. */
const LATER_REFERENCES: Readonly<Record<string, { readonly kind: BlobKind; readonly statement: string }>> = {
  supplement: { kind: 'artifacts', statement: supplementBlobs },
};

/**
 * Returns SQL for all digests that a database refers to, each once.
 * @param tables the names of its tables, which an older schema has fewer of
 */
export function blobReferences(tables: readonly string[]): string {
  const later = Object.entries(LATER_REFERENCES).filter(([table]) => tables.includes(table));
  return [...Object.values(BLOB_REFERENCES), ...later.map(([, { statement }]) => statement)].join(' union ');
}

/** SQL for all referenced digests of a database of this version, each once. */
export const ALL_BLOB_REFERENCES = blobReferences(Object.keys(LATER_REFERENCES));

/** Returns the digests of all blobs that rows refer to, each once. */
export async function referencedBlobs(em: EntityManager): Promise<readonly string[]> {
  return (await em.execute<{ digest: string }[]>(ALL_BLOB_REFERENCES)).map(({ digest }) => digest);
}

/**
 * Returns the kinds of the blobs that rows refer to, by digest. A digest with several kinds has the
 * first of them.
 */
export async function kindsOfBlobs(em: EntityManager): Promise<ReadonlyMap<string, BlobKind>> {
  const kinds = new Map<string, BlobKind>();
  const references = [
    ...Object.entries(BLOB_REFERENCES).map(([kind, statement]) => ({ kind: kind as BlobKind, statement })),
    ...Object.values(LATER_REFERENCES),
  ];
  for (const { kind, statement } of references) {
    for (const { digest } of await em.execute<{ digest: string }[]>(statement)) {
      if (!kinds.has(digest)) kinds.set(digest, kind);
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
