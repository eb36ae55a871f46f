import { isMeasurementNeeded } from '../evaluations/measurements.js';
import {
  abandonRun,
  failRun,
  finishRun,
  LARGEST_ATTEMPTS,
  platformFailure,
  recordAdmission,
  recordStart,
} from '../outcomes/run-outcome.js';
import { refusalFor } from '../runs/refusal.js';
import type { RunClaim } from '../runs/run-lease.js';
import type { Run, RunStage } from '../runs/run.js';
import { type Ceilings, clampLimits } from '@assay/tasks/limits';
import type { EntityManager } from '@mikro-orm/postgresql';
import { readMaterial, type RunMaterial } from './run-material.js';

/** Seconds for waiting, installing an image and scoring, in addition to the model's own time. */
const SLACK_SECONDS = 2 * 3600;

/** The work of a claimed run. */
export interface PreparedRun {
  readonly work: RunStage | 'measures';
  readonly material: RunMaterial;
}

export interface PrepareOptions {
  /** The limits of the run are lowered to these; default: the limits that the task sets. */
  readonly ceilings?: Ceilings | undefined;
  /** As of `finishRun`. */
  readonly measureAfterSeconds?: number;
}

/**
 * Records that a claimed run starts, and reads what it needs. Ends the run if nothing is to be done:
 * it has failed too often, its artifact is refused or admitted already, no evaluation is missing, or no model
 * needs its measurement.
 * @returns null if the run has ended, or is queued for its next stage
 * @throws LeaseLost
 */
export async function prepareRun(
  em: EntityManager,
  claim: RunClaim,
  { ceilings, measureAfterSeconds }: PrepareOptions = {},
): Promise<PreparedRun | null> {
  if (claim.attempts >= LARGEST_ATTEMPTS) {
    await failRun(claim, platformFailure('the evaluator stopped before the run ended.'));
    return null;
  }
  await recordStart(claim);
  const material = await readMaterial(em, claim, { ceilings });
  if (claim.purpose === 'measures') {
    if (await isMeasurementNeeded(em, claim.scope)) return { work: 'measures', material };
    await abandonRun(claim);
    return null;
  }
  const { state, kind, image } = material.artifact;
  const known = refusalFor(material.artifact, material.definition.limits.unpacked);
  if (known) {
    await failRun(claim, known);
    return null;
  }
  if (claim.stage === 'admission' && state === 'admitted' && kind !== 'predictions') {
    await recordAdmission(claim, image ?? null);
    return null;
  }
  if (claim.stage === 'evaluation' && material.cells.length === 0) {
    await finishRun(claim, { measures: null }, measureAfterSeconds);
    return null;
  }
  return { work: claim.stage, material };
}

/** Returns the seconds until the deadline of a claim. */
export function deadlineSeconds({ specification }: Pick<Run, 'specification'>, ceilings?: Ceilings): number {
  const { limits } = specification.content;
  const { startSeconds, evaluationSeconds } = ceilings ? clampLimits(limits, ceilings) : limits;
  return SLACK_SECONDS + startSeconds + evaluationSeconds;
}
