import type { ChangeUser, ManagedUser } from '@assay/api-client/angular';
import type { Question } from '../ui/dialogs/confirm-dialog.js';

/** The confirmation dialog for a change of an account: what changes and what stays. */
export function questionOf({ username }: ManagedUser, { role, blocked, verified }: ChangeUser): Question {
  if (role === 'administrator') {
    return {
      title: $localize`Make ${username}:user: an administrator?`,
      text: $localize`They can then see and change everything: every task, every model, every account, also yours. It holds from their next click on.`,
      action: $localize`Make administrator`,
    };
  }
  if (role === 'user') {
    return {
      title: $localize`Make ${username}:user: a user again?`,
      text: $localize`They can then change only what is their own, and do not see these pages any more. It holds from their next click on. Their tasks and models stay theirs.`,
      action: $localize`Make user`,
    };
  }
  if (blocked === true) {
    return {
      title: $localize`Block ${username}:user:?`,
      text: $localize`They can no longer sign in, and their sessions and tokens stop working immediately. What they have submitted and written stays, also on the boards. You can unblock them at any time.`,
      action: $localize`Block`,
      tone: 'bad',
    };
  }
  if (verified === true) {
    return {
      title: $localize`Verify ${username}:user:?`,
      text: $localize`The account counts as verified, also without a confirmed mail address. It can submit models to tasks with hidden data.`,
      action: $localize`Verify`,
    };
  }
  if (verified === false) {
    return {
      title: $localize`Withdraw the verification of ${username}:user:?`,
      text: $localize`The account is then verified only if its mail address is confirmed or it was registered with an invitation. Submitted models stay.`,
      action: $localize`Withdraw verification`,
      tone: 'bad',
    };
  }
  return {
    title: $localize`Unblock ${username}:user:?`,
    text: $localize`They can sign in again, and their sessions and tokens that have not expired work again.`,
    action: $localize`Unblock`,
  };
}

/** Describes a completed change for a live region: screen reader users do not see the row. */
export function doneInWords({ username, role, blockedAt, verifiedAt }: ManagedUser, change: ChangeUser): string {
  if (change.blocked !== undefined) {
    return blockedAt ? $localize`${username}:user: is blocked.` : $localize`${username}:user: is unblocked.`;
  }
  if (change.verified !== undefined) {
    return verifiedAt
      ? $localize`${username}:user: is verified.`
      : $localize`The verification of ${username}:user: is withdrawn.`;
  }
  if (change.storageLimit !== undefined) return $localize`The storage of ${username}:user: is set.`;
  return role === 'administrator'
    ? $localize`${username}:user: is an administrator now.`
    : $localize`${username}:user: is a user now.`;
}
