import { isAdmissionFailure, type Failure, type QuotaView } from '@assay/contracts/models';
import { type TaskDefinition } from '@assay/contracts/tasks';
import { dayOf, DomainError, RefusedForNow, secondsUntil } from '@assay/kernel';
import { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Model } from '../model.js';
import { ModelRepository } from '../model.repository.js';

/** A submission whose artifact has arrived. */
export interface Submission {
  readonly acceptedAt: Date;
  readonly failure: Failure | null;
}

/**
 * Returns whether a submission counts as an attempt. Failures in admission, and failures caused by
 * the platform or the task, do not count.
 */
export const isAttempt = ({ failure }: { readonly failure: Pick<Failure, 'fault' | 'code'> | null }): boolean =>
  failure === null || (failure.fault === 'model' && !isAdmissionFailure(failure.code));

/** Returns how much of the quota is used at `now`. Days are UTC days. */
export function quotaAt(
  now: Date,
  { perDay, total }: TaskDefinition['quota'],
  submissions: readonly Submission[],
): QuotaView {
  const { start, end } = dayOf(now);
  const attempts = submissions.filter(isAttempt);
  return {
    perDay,
    total,
    usedToday: attempts.filter(({ acceptedAt }) => acceptedAt >= start).length,
    used: attempts.length,
    resetsAt: end.toISOString(),
  };
}

/**
 * Checks that the user may submit once more.
 * @throws DomainError `quota_total` if no submissions are left
 * @throws RefusedForNow `quota_day` if none are left today
 */
export function expectQuota(slug: string, { perDay, total, used, usedToday, resetsAt }: QuotaView, now: Date): void {
  if (used >= total) {
    throw new DomainError('conflict', 'quota_total', `You have used all ${total} submissions to "${slug}".`);
  }
  if (usedToday >= perDay) {
    const message = `You have used today's ${perDay} submissions to "${slug}". The quota resets at ${resetsAt}.`;
    throw new RefusedForNow('quota_day', message, secondsUntil(new Date(resetsAt), now));
  }
}

/** Returns the submissions of one user to a task, published or not. */
export async function submissionsOf(em: EntityManager, userId: string, task: Task): Promise<Submission[]> {
  const models = await em.find(
    Model,
    { owner: userId, task, acceptedAt: { $ne: null } },
    { disableIdentityMap: true, fields: ['acceptedAt', 'failure'] },
  );
  return models.map(({ acceptedAt, failure }) => ({ acceptedAt: acceptedAt!, failure: failure ?? null }));
}

/**
 * Returns the number of attempts at the task for each owner ID. Unpublished and withdrawn models
 * count, and so do models that failed through their own fault after admission.
 */
export async function attemptsByOwner(em: EntityManager, task: Task): Promise<ReadonlyMap<string, number>> {
  const attempts = new Map<string, number>();
  for (const { owner, fault, code, count } of await new ModelRepository(em).submissionsByFailure(task.id)) {
    const failure = fault === null || code === null ? null : { fault, code };
    if (isAttempt({ failure })) attempts.set(owner, (attempts.get(owner) ?? 0) + count);
  }
  return attempts;
}
