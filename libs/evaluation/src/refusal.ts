import { failure, formatBytes, type Failure } from '@assay/contracts';
import type { Artifact } from '@assay/submissions';

/**
 * Why an artifact that was looked at before is not run, for a task that allows `unpackedLimit` bytes; null where it may be. What was too
 * large for one task has to be looked at again: the limit may be another here.
 */
export function refusalFor(artifact: Artifact, unpackedLimit: number): Failure | null {
  if (artifact.archivedAt) {
    return failure('artifact_archived', 'Its owner has archived the artifact: its bytes are gone, so it cannot run.');
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
