import type { Principal } from '@assay/identity';
import { type Owned, ownsTask, type Task } from '@assay/tasks';
import type { FilterQuery } from '@mikro-orm/core';
import type { Model } from './model.js';

/** The facts about a model and its task that determine who may see and change it. */
interface Guarded extends Pick<Model, 'published' | 'withdrawn' | 'state'>, Owned {
  readonly task: Owned;
  readonly specification?: object | null | undefined;
  readonly firstScoredAt?: Date | string | null | undefined;
}

/**
 * Returns whether `principal` may see a model. Everybody may see a public model; otherwise only its
 * owner, the owner of its task and administrators may.
 */
export const maySee = (principal: Principal | null, model: Guarded): boolean =>
  isPublic(model) || mayManage(principal, model) || ownsTask(principal, model.task);

/**
 * Returns whether everybody may see a model: it is published, not withdrawn, its artifact has
 * arrived, and it did not fail before its first score. A model that fails on one dataset after it
 * was scored on another remains public. `PUBLIC_MODEL` and `publicModelSql` are the same condition
 * for the database; test/medium/model-visibility.spec.ts compares them.
 */
const isPublic = (model: Guarded): boolean =>
  model.published && !model.withdrawn && Boolean(model.specification) && !isFailedUpload(model);

/** Returns whether a model failed before its first score. */
export const isFailedUpload = ({ state, firstScoredAt }: Pick<Guarded, 'state' | 'firstScoredAt'>): boolean =>
  state === 'failed' && !firstScoredAt;

/** The filter for public models. */
export const PUBLIC_MODEL = {
  published: true,
  withdrawn: false,
  specification: { $ne: null },
  $or: [{ state: { $ne: 'failed' } }, { firstScoredAt: { $ne: null } }],
} satisfies FilterQuery<Model>;

/**
 * Returns the SQL condition for public models.
 * @param alias of the table `model` in the query
 */
export const publicModelSql = (alias: string): string =>
  `(${alias}.published and not ${alias}.withdrawn and ${alias}.specification_id is not null
    and (${alias}.state <> 'failed' or ${alias}.first_scored_at is not null))`;

/** Returns the filter for the models of `task` that `principal` may see. */
export function visibleOf(task: Task, principal: Principal | null): FilterQuery<Model> {
  if (ownsTask(principal, task)) return { task };
  return { task, $or: principal === null ? [PUBLIC_MODEL] : [PUBLIC_MODEL, { owner: principal.userId }] };
}

/** Returns whether `principal` may change a model: its owner and administrators may. */
export const mayManage = (principal: Principal | null, model: Owned): boolean => ownsTask(principal, model);
