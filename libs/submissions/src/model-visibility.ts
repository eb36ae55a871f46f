import { isAdministrator, type Principal } from '@assay/identity';
import { type Owned, ownsTask, type Task } from '@assay/tasks';
import type { FilterQuery } from '@mikro-orm/core';
import type { Model } from './model.js';

/** The facts about a model and its task that decide who may see and change it. */
interface Guarded extends Pick<Model, 'published' | 'withdrawn' | 'state'>, Owned {
  readonly task: Owned;
  readonly specification?: object | null | undefined;
  readonly firstScoredAt?: Date | string | null | undefined;
}

/** Whether `principal` may see a model: everybody if it is public, else its owner, the owner of its task, and administrators. */
export const maySee = (principal: Principal | null, model: Guarded): boolean =>
  isPublic(model) || mayManage(principal, model) || ownsTask(principal, model.task);

/**
 * Whether everybody may see a model: it is published, not withdrawn, its artifact has arrived, and it did not fail before its first score. A
 * model that fails on one dataset after it was scored on another stays public. `publicModelSql` and `visibleOf` say the same for the database.
 */
const isPublic = (model: Guarded): boolean =>
  model.published && !model.withdrawn && Boolean(model.specification) && !isFailedUpload(model);

/** Whether a model failed before its first score. */
export const isFailedUpload = ({ state, firstScoredAt }: Pick<Guarded, 'state' | 'firstScoredAt'>): boolean =>
  state === 'failed' && !firstScoredAt;

/** The condition that a row of `model` is public. @param alias of the table in the query */
export const publicModelSql = (alias: string): string =>
  `(${alias}.published and not ${alias}.withdrawn and ${alias}.specification_id is not null
    and (${alias}.state <> 'failed' or ${alias}.first_scored_at is not null))`;

/** Condition for models that are not failed uploads: they have not failed, or have had a score. */
export const NOT_A_FAILED_UPLOAD = {
  $or: [{ state: { $ne: 'failed' } }, { firstScoredAt: { $ne: null } }],
} satisfies FilterQuery<Model>;

/** The models of `task` that `principal` may see. */
export function visibleOf(task: Task, principal: Principal | null): FilterQuery<Model> {
  if (isAdministrator(principal) || ownsTask(principal, task)) return { task };
  const shown = { published: true, withdrawn: false, specification: { $ne: null }, ...NOT_A_FAILED_UPLOAD };
  return { task, $or: principal === null ? [shown] : [shown, { owner: principal.userId }] };
}

export function mayManage(principal: Principal | null, model: Owned): boolean {
  return isAdministrator(principal) || (principal !== null && model.owner.id === principal.userId);
}
