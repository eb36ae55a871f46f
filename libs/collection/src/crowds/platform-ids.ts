import type { StartCrowdSession } from '@assay/contracts/rounds';
import { DomainError } from '@assay/kernel';
import type { CrowdLink } from './crowd-session.js';

const PREVIEW = 'ASSIGNMENT_ID_NOT_AVAILABLE';

/** The worker, assignment and HIT or study, as the crowd platform names them. */
export interface PlatformIds {
  readonly worker: string;
  readonly assignment: string;
  readonly hit: string | null;
  /** The origin to which finished work is submitted; null on Prolific. */
  readonly submitTo: string | null;
}

/**
 * Reads the platform's IDs from the query parameters of the request.
 * @throws DomainError `preview_only`, `missing_ids`, `submit_to_refused`
 */
export function platformIds(link: CrowdLink, given: StartCrowdSession): PlatformIds {
  if (link.platform === 'prolific') {
    const { PROLIFIC_PID, SESSION_ID, STUDY_ID } = given;
    if (PROLIFIC_PID === undefined || SESSION_ID === undefined) throw missing('PROLIFIC_PID and SESSION_ID');
    return { worker: PROLIFIC_PID, assignment: SESSION_ID, hit: STUDY_ID ?? null, submitTo: null };
  }
  const { workerId, assignmentId, hitId, turkSubmitTo } = given;
  if (assignmentId === PREVIEW) {
    throw new DomainError('invalid', 'preview_only', 'This is a preview. Accept the HIT to begin.');
  }
  if (workerId === undefined || assignmentId === undefined || turkSubmitTo === undefined) {
    throw missing('workerId, assignmentId and turkSubmitTo');
  }
  return { worker: workerId, assignment: assignmentId, hit: hitId ?? null, submitTo: allowed(link, turkSubmitTo) };
}

function allowed({ submitTo }: CrowdLink, given: string): string {
  const origin = URL.canParse(given) ? new URL(given).origin : null;
  if (origin !== null && submitTo.includes(origin)) return origin;
  throw new DomainError(
    'invalid',
    'submit_to_refused',
    'The owner of this link does not allow submissions to this turkSubmitTo.',
  );
}

const missing = (what: string): DomainError =>
  new DomainError('invalid', 'missing_ids', `The link must contain ${what}. Open it exactly as the platform shows it.`);
