import type { Visibility } from '@assay/contracts/datasets';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { isAdministrator, type Principal, User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Repository } from '@assay/persistence/queries';
import { defineEntity, type EntityManager, LockMode, p } from '@mikro-orm/postgresql';

const TaskSchema = defineEntity({
  name: 'Task',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    slug: p.string().length(63).unique(),
    owner: () => p.manyToOne(User),
    definition: p.json<TaskDefinition>(),
    /** True if only the owner and the users on the list of submitters may submit. */
    limitsSubmitters: p.boolean().default(false),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

export class Task extends TaskSchema.class {}
TaskSchema.setClass(Task);

/**
 * Locks a task until the transaction ends. Every change of its datasets, definition or board takes
 * this lock.
 */
export async function lockTask(em: EntityManager, task: Pick<Task, 'id'>): Promise<Task> {
  return em.findOneOrFail(Task, task.id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, populate: ['owner'] });
}

/** The tasks of the database. */
export class TaskRepository extends Repository<typeof TaskSchema> {
  /** Locks a task FOR KEY SHARE until the transaction ends: `lockTask` waits. */
  async lockShared(id: string): Promise<void> {
    await this.db.selectFrom('task').select('id').where('id', '=', id).forKeyShare().execute();
  }

  hasSlug(slug: string): Promise<boolean> {
    return this.exists(this.db.selectFrom('task').select('id').where('slug', '=', slug));
  }
}

/** The part of a task or a model that determines who may change it. */
export interface Owned {
  readonly owner: Pick<User, 'id'>;
}

export function ownsTask(principal: Principal | null, task: Owned): boolean {
  return isAdministrator(principal) || (principal !== null && task.owner.id === principal.userId);
}

/**
 * Returns whether `principal` may read single examples of a dataset with their gold: everyone for a
 * public dataset, only the task owner and administrators for others.
 */
export const mayReadExamples = (
  principal: Principal | null,
  task: Owned,
  { visibility }: { readonly visibility: Visibility },
): boolean => visibility === 'public' || ownsTask(principal, task);

/**
 * Returns whether scores on a dataset are rounded: by tasks that disclose them so, as long as the
 * dataset is not public.
 */
export const roundsScores = (
  { definition }: Pick<Task, 'definition'>,
  { visibility }: { readonly visibility: Visibility },
): boolean => definition.disclosure === 'rounded' && visibility !== 'public';

/** Returns whether `principal` sees rounded scores on a dataset. The owner of the task never does. */
export const seesRoundedScores = (
  principal: Principal | null,
  task: Owned & Pick<Task, 'definition'>,
  dataset: { readonly visibility: Visibility },
): boolean => roundsScores(task, dataset) && !ownsTask(principal, task);

/** Returns the `disclosure` of a view with scores on `datasets`, if some of them are rounded for readers. */
export const shownDisclosure = (
  principal: Principal | null,
  task: Owned & Pick<Task, 'definition'>,
  datasets: readonly { readonly visibility: Visibility }[],
): { readonly disclosure?: TaskDefinition['disclosure'] } =>
  datasets.some((dataset) => roundsScores(task, dataset))
    ? { disclosure: ownsTask(principal, task) ? 'exact' : 'rounded' }
    : {};
