import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * SQL for the digests of referenced blobs, by kind. An archived artifact no longer needs its blobs.
 */
export const NAMED_BLOBS = {
  artifacts: `select digest from artifact where archived_at is null`,
  images: `select image ->> 'archive' as digest from artifact where archived_at is null and image ->> 'archive' is not null`,
  datasets: `select content as digest from dataset_version`,
  releases: `select content as digest from round_release`,
  predictions: `select predictions as digest from evaluation where predictions is not null`,
  resamples: `select resamples as digest from evaluation where resamples is not null`,
} as const;

/** SQL for all referenced digests, each once. */
export const ALL_NAMED_BLOBS = Object.values(NAMED_BLOBS).join(' union ');

/** Returns whether any row references the blob. */
export async function isBlobNamed(em: EntityManager, digest: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(`select 1 from (${ALL_NAMED_BLOBS}) as named where digest = ? limit 1`, [
    digest,
  ]);
  return rows.length > 0;
}
