import type { ChangeUser, ManagedUser } from '../../client/types.gen.js';
import type { Question } from '../ui/question.js';

/** What an administrator is asked before an account is changed: what it does, and what it leaves. */
export function questionOf({ username }: ManagedUser, { role, blocked }: ChangeUser): Question {
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
      text: $localize`They can not sign in any more, and none of their sessions and tokens is taken, from now on. What they have submitted and written stays, and stays on the boards. You can let them in again at any time.`,
      action: $localize`Block`,
      tone: 'bad',
    };
  }
  return {
    title: $localize`Let ${username}:user: in again?`,
    text: $localize`They can sign in again, and those of their sessions and tokens that have not expired are taken again.`,
    action: $localize`Let in`,
  };
}

/** What was done, for who does not see the row. */
export function doneInWords({ username, role, blockedAt }: ManagedUser, change: ChangeUser): string {
  if (change.blocked !== undefined) {
    return blockedAt ? $localize`${username}:user: is blocked.` : $localize`${username}:user: is let in again.`;
  }
  if (change.storageLimit !== undefined) return $localize`The storage of ${username}:user: is set.`;
  return role === 'administrator'
    ? $localize`${username}:user: is an administrator now.`
    : $localize`${username}:user: is a user now.`;
}
