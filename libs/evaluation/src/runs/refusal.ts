import { failure, type Failure } from '@assay/contracts/models';
import { formatBytes } from '@assay/contracts/text';
import type { Artifact } from '@assay/submissions/artifacts';

/**
 * Returns why an artifact that was admitted or refused before cannot run for a task that allows
 * `unpackedLimit` bytes; null if it can. An artifact that was too large for one task is not refused
 * here: it must be admitted again, as the limit of this task may differ.
 */
export function refusalFor(artifact: Artifact, unpackedLimit: number): Failure | null {
  if (artifact.archivedAt) {
    return failure('artifact_archived', 'The owner archived the artifact. Its bytes are removed, so it cannot run.');
  }
  if (artifact.state === 'refused')
    return artifact.failure?.code === 'unpacked_too_large' ? null : (artifact.failure ?? null);

  const unpacked = artifact.image?.unpackedBytes ?? 0;
  return unpacked > unpackedLimit
    ? failure(
        'unpacked_too_large',
        `The image is ${formatBytes(unpacked)} unpacked; this task allows ${formatBytes(unpackedLimit)}.`,
      )
    : null;
}

/**
 * Returns SQL for the condition that `refusalFor` returns a reason for a row of `artifact`.
 * @param unpackedLimit SQL for the limit in bytes
 */
export const refusedSql = (unpackedLimit: string): string =>
  `(artifact.archived_at is not null or coalesce(case artifact.state
      when 'refused' then artifact.failure ->> 'code' <> 'unpacked_too_large'
      else (artifact.image ->> 'unpackedBytes')::numeric > ${unpackedLimit} end, false))`;
