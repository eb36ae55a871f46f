import { failure } from '@assay/contracts';
import { failRun } from '@assay/evaluation';
import type { StageWork } from '../run/evaluation-runs.js';
import type { RunMaterial } from '../run/run-material.js';

/** A timer takes 49 days at most, and nothing is read for longer than a day. */
const LONGEST_SECONDS = 86_400;

/**
 * Seconds in which an artifact must be read: a minute, and one for each 10 MB that it may unpack to, which a slow disk
 * manages; at most a day.
 */
export function readingSeconds({
  artifact,
  definition,
}: {
  readonly artifact: Pick<RunMaterial['artifact'], 'size'>;
  readonly definition: { readonly limits: Pick<RunMaterial['definition']['limits'], 'unpacked'> };
}): number {
  return Math.min(LONGEST_SECONDS, 60 + Math.max(artifact.size, definition.limits.unpacked) / 10e6);
}

/** Gives up what takes longer, without a word on the artifact: another host may be faster. */
export function withinDeadline(work: StageWork, seconds: (material: RunMaterial) => number): StageWork {
  return async (lease, material, signal) => {
    const limit = seconds(material);
    const over = AbortSignal.timeout(Math.round(limit * 1000));
    try {
      await work(lease, material, AbortSignal.any([signal, over]));
    } catch (error) {
      if (signal.aborted || !over.aborted) throw error;
      await failRun(lease, failure('reading_timeout', `Reading the artifact took more than ${Math.round(limit)} s.`));
    }
  };
}
