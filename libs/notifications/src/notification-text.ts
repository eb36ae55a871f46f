import type { NotificationKind } from '@assay/contracts/people';
import type { NotificationData } from './user-notification.js';

const FATES: Readonly<Record<string, string>> = {
  validated: 'was found correct',
  rejected: 'was found incorrect',
  flagged: 'was flagged',
  undecided: 'remains undecided because the validators did not agree',
};

/** Returns a sentence that says what happened. It never includes the content of an example. */
export function notificationTitle(kind: NotificationKind, data: NotificationData): string {
  const model = `Your model "${data.model?.name ?? ''}"`;
  const round = data.round === undefined ? '' : `round ${data.round} of `;
  switch (kind) {
    case 'model_finished':
      return `${model} has all its scores on ${data.task}.`;
    case 'model_failed':
      return `${model} failed on ${data.task}${data.why === undefined ? '.' : `: ${data.why}`}`;
    case 'loop_entered':
      return `${model} entered the loop of ${round}${data.task}. Annotators now write examples against it.`;
    case 'loop_left':
      return `${model} left the loop of ${round}${data.task}${data.why === undefined ? '.' : `: ${data.why}`}`;
    case 'example_decided':
      return `Your example in ${round}${data.task} ${FATES[data.outcome ?? ''] ?? 'was decided'}.`;
    case 'round_opened':
      return `Round ${data.round} of ${data.task} is open.`;
    case 'round_closed':
      return `Round ${data.round} of ${data.task} is closed.`;
    case 'webhook_disabled':
      return `Your webhook at ${data.webhook?.origin ?? ''} was disabled: ${data.why ?? ''}`;
  }
}
