/**
 * SQL for the digests of blobs that artifacts refer to, by kind. An archived artifact no longer
 * needs its blobs.
 */
export const submissionsBlobs = {
  artifacts: `select digest from artifact where archived_at is null`,
  images: `select image ->> 'archive' as digest from artifact where archived_at is null and image ->> 'archive' is not null`,
} as const;
