import { isDeepStrictEqual } from 'node:util';
import { codeOfIssues, problemsOf, problemsText } from '@assay/contracts';
import { TaskDefinition } from '@assay/contracts/tasks';
import { isAdministrator, type Principal, User, UserRepository } from '@assay/identity';
import { type Actor, AuditLog, type AuditRecord } from '@assay/identity/audit';
import { DomainError, type Problem } from '@assay/kernel';
import { ifDuplicate } from '@assay/persistence/queries';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { BenchmarksService } from './benchmarks/benchmarks.service.js';
import { markBoardStale } from './benchmarks/stale-board.js';
import { ceilingProblems, CEILINGS, type Ceilings, expectWithinCeilings } from './limits/ceilings.js';
import { PerturbationsService } from './perturbation/perturbations.service.js';
import { checkFields } from './examples/known-fields.js';
import { lockTask, ownsTask, Task } from './task.js';

/** The largest number of tasks per user. Administrators have no limit. */
export const MOST_TASKS = 100;

/** Fields that cannot change, because existing examples and models depend on their meaning. */
const FIXED = ['slug', 'inputs', 'output', 'performance'] as const;

/**
 * Calls `pass`, which transfers something to the receiver, and throws if the receiver then exceeds
 * a limit. Runs in the transaction of `em`, with the receiver locked.
 */
type TakeGift = (em: EntityManager, receiver: User, pass: () => Promise<void>) => Promise<void>;

@Injectable()
export class TasksService {
  constructor(
    private readonly em: EntityManager,
    private readonly benchmarks: BenchmarksService,
    private readonly perturbations: PerturbationsService,
    @Inject(CEILINGS) private readonly ceilings: Ceilings,
  ) {}

  /** @throws DomainError `slug_taken`, `too_many_tasks`, `limit_above_ceiling` */
  async create(principal: Principal, definition: TaskDefinition): Promise<Task> {
    expectWithinCeilings(definition.limits, this.ceilings);
    const taken = (): DomainError =>
      new DomainError('conflict', 'slug_taken', `A task "${definition.slug}" exists already.`);
    const created = this.em.transactional(async (em) => {
      const owner = em.getReference(User, principal.userId);
      const task = em.create(Task, { slug: definition.slug, owner, definition });
      AuditLog.record(em, principal, { action: 'task.created', subject: auditedTask(task), to: definition });
      await em.flush();
      if (!isAdministrator(principal)) await expectFewTasks(em, principal.userId);
      await em.populate(task, ['owner']);
      return task;
    });
    return created.catch(ifDuplicate(taken));
  }

  async get(slug: string): Promise<Task> {
    return this.em.findOneOrFail(Task, { slug }, { populate: ['owner'], failHandler: DomainError.missing('task') });
  }

  /** Returns the task if `principal` may change it. @throws DomainError `not_the_owner` */
  async getOwned(principal: Principal, slug: string): Promise<Task> {
    const task = await this.get(slug);
    if (!ownsTask(principal, task)) {
      throw new DomainError('forbidden', 'not_the_owner', `Only the owner of "${slug}" may do this.`);
    }
    return task;
  }

  /**
   * Transfers the task to another user. A task has one owner, so the previous owner cannot take it
   * back.
   * @param take performs the transfer, unless the receiver would exceed a limit
   * @throws DomainError `not_the_owner`, `unknown_user`
   */
  async give(principal: Principal, slug: string, username: string, take: TakeGift): Promise<Task> {
    const owned = await this.getOwned(principal, slug);
    return this.em.transactional(async (em) => {
      const task = await lockTask(em, owned);
      const failHandler = (): DomainError =>
        new DomainError('invalid', 'unknown_user', `No user "${username}" can own a task.`, [
          { path: 'username', message: 'is not a user who can own a task' },
        ]);
      const receiver = await em.findOneOrFail(
        User,
        { usernameKey: username.toLowerCase(), role: { $ne: 'crowd' }, deletedAt: null, blockedAt: null },
        { failHandler },
      );
      const changes = { from: { owner: task.owner.id }, to: { owner: receiver.id } };
      AuditLog.recordChange(em, principal, { action: 'task.given', subject: auditedTask(task) }, changes);
      await new UserRepository(em).lock(receiver.id);
      await take(em, receiver, async () => {
        task.owner = receiver;
        await em.flush();
      });
      return task;
    });
  }

  /**
   * Applies `change`, a JSON merge patch, to the definition. Releases a new benchmark version if
   * the task has one and the part that determines the board changes.
   */
  async change(principal: Principal, slug: string, change: Readonly<Record<string, unknown>>): Promise<Task> {
    const owned = await this.getOwned(principal, slug);
    return this.em.transactional(async (em) => this.apply(em, principal, await lockTask(em, owned), change));
  }

  /**
   * Returns the problems of a definition that is valid by its schema, for a new task or as a
   * replacement for the definition of the task `present`.
   * @throws DomainError `not_the_owner` if `principal` does not own `present`
   */
  async problems(principal: Principal, definition: TaskDefinition, present?: string): Promise<readonly Problem[]> {
    if (present === undefined) {
      const isTaken = (await this.em.count(Task, { slug: definition.slug })) > 0;
      const taken = { path: 'slug', message: `A task "${definition.slug}" exists already.` };
      return [...(isTaken ? [taken] : []), ...ceilingProblems(definition.limits, this.ceilings)];
    }
    try {
      await this.expectChangeable(this.em, await this.getOwned(principal, present), definition);
      return [];
    } catch (error) {
      if (error instanceof DomainError && error.problems.length > 0) return error.problems;
      throw error;
    }
  }

  /** Returns the definition after `change`. @throws DomainError if the result is not allowed */
  async changed(em: EntityManager, task: Task, change: Readonly<Record<string, unknown>>): Promise<TaskDefinition> {
    const moved = FIXED.find((key) => typeof change[key] === 'string' && change[key] !== task.definition[key]);
    if (moved !== undefined) {
      // other parts of the definition name the performance metric, so they are checked with the old value
      const { error } = TaskDefinition.safeParse(
        mergePatch(task.definition, { ...change, [moved]: task.definition[moved] }),
      );
      throw fixedField(moved, problemsOf(error?.issues ?? []));
    }
    const definition = validDefinition(mergePatch(task.definition, change));
    await this.expectChangeable(em, task, definition);
    return definition;
  }

  /** @throws DomainError `fixed_field`, `unknown_slice_field`, `limit_above_ceiling` */
  private async expectChangeable(em: EntityManager, task: Task, definition: TaskDefinition): Promise<void> {
    const moved = FIXED.find((key) => !isDeepStrictEqual(definition[key], task.definition[key]));
    if (moved !== undefined) throw fixedField(moved);
    // a task from before the ceilings may keep limits above them; its runs are clamped
    expectWithinCeilings(definition.limits, this.ceilings, task.definition.limits);
    await checkFields(em, task, definition);
  }

  /**
   * Stores the runtime of a task that has none. Does nothing if it has one already, so that all models of the
   * task run under the same runtime.
   */
  async decideRuntime(id: string, runtime: NonNullable<TaskDefinition['runtime']>): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const task = await lockTask(em, { id });
      if (task.definition.runtime !== undefined) return;
      task.definition = { ...task.definition, runtime };
      const changes = { from: {}, to: { runtime } };
      AuditLog.recordChange(em, null, { action: 'task.changed', subject: auditedTask(task) }, changes);
    });
  }

  private async apply(
    em: EntityManager,
    actor: Actor,
    task: Task,
    change: Readonly<Record<string, unknown>>,
  ): Promise<Task> {
    const definition = await this.changed(em, task, change);
    const isPerturbedAlike =
      isDeepStrictEqual(definition.perturbations, task.definition.perturbations) &&
      definition.language === task.definition.language;
    if (definition.disclosure !== task.definition.disclosure) markBoardStale(em, task.id);
    const changes = { from: task.definition, to: definition };
    AuditLog.recordChange(em, actor, { action: 'task.changed', subject: auditedTask(task) }, changes);
    task.definition = definition;
    if (!isPerturbedAlike) await this.perturbations.ensureAll(em, task);
    await this.benchmarks.definitionChanged(em, actor, task);
    // another language gives other variants, but the language does not determine the board
    if (!isPerturbedAlike) await this.benchmarks.datasetsChanged(em, actor, task);
    return task;
  }
}

/**
 * Checks the user's number of tasks. Locks the user, so that concurrent requests are counted one
 * after the other.
 * @throws DomainError `too_many_tasks`
 */
async function expectFewTasks(em: EntityManager, userId: string): Promise<void> {
  await new UserRepository(em).lock(userId);
  if ((await em.count(Task, { owner: userId })) <= MOST_TASKS) return;
  throw new DomainError(
    'conflict',
    'too_many_tasks',
    `You own ${MOST_TASKS} tasks, the limit for one account. ` +
      'Transfer a task to another owner, or ask an administrator to create this one.',
  );
}

/**
 * Returns the definition with some parts replaced.
 * @throws DomainError if the result is not valid
 */
export const definitionWith = (definition: TaskDefinition, parts: Partial<TaskDefinition>): TaskDefinition =>
  validDefinition({ ...definition, ...parts });

function validDefinition(definition: unknown): TaskDefinition {
  const parsed = TaskDefinition.safeParse(definition);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error.issues);
  throw new DomainError('invalid', codeOfIssues(parsed.error.issues), problemsText(problems), problems);
}

/**
 * Returns the definition after a JSON merge patch (RFC 7396): objects are merged, null resets a key
 * to its default, other values replace.
 */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const merged = new Map(Object.entries(isPlainObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The audit log subject of a task. */
export const auditedTask = ({ id, slug }: Task): AuditRecord['subject'] => ({ kind: 'task', id, name: slug });

const fixedField = (name: string, others: readonly Problem[] = []): DomainError =>
  new DomainError('invalid', 'fixed_field', `"${name}" is fixed. Examples and models depend on it.`, [
    { path: name, message: 'cannot be changed; create a new task' },
    ...others,
  ]);
