import { failure } from '@assay/contracts/models';
import { failRun } from '../outcomes/run-outcome.js';
import type { StageWork } from './evaluation-runs.js';
import type { RunMaterial } from './run-material.js';

/** Upper limit of the deadline: one day. Node's timers support about 24 days. */
const LONGEST_SECONDS = 86_400;

/**
 * Returns the seconds within which an artifact must be read: 60, plus one for each 10 MB that it
 * may unpack to (or of its own size, if that is larger), which a slow disk manages. At most one
 * day.
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

/**
 * Aborts work that exceeds its deadline and fails the run. The artifact gets no verdict: another
 * host may be faster.
 */
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
