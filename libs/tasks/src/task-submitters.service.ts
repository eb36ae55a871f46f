import { type Principal, User } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError, newId } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { lockTask, type Task } from './task.js';
import { TaskSubmitter } from './task-submitter.js';
import { auditedTask, TasksService } from './tasks.service.js';

/** Manages the lists of the users who may submit to a task. The task's owner is not on the list. */
@Injectable()
export class TaskSubmittersService {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TasksService,
  ) {}

  /**
   * Returns the users who may submit to a task, by username. Null: everyone may.
   * @throws DomainError `not_the_owner`
   */
  async list(principal: Principal, slug: string): Promise<readonly User[] | null> {
    return submittersOf(this.em.fork(), await this.tasks.getOwned(principal, slug));
  }

  /**
   * Replaces the list of the users who may submit to a task. Null: everyone may.
   * @throws DomainError `not_the_owner`; `unknown_user`, which names each unknown user
   */
  async replace(principal: Principal, slug: string, usernames: readonly string[] | null): Promise<void> {
    const owned = await this.tasks.getOwned(principal, slug);
    await this.em.fork().transactional(async (em) => {
      const task = await lockTask(em, owned);
      const before = await submittersOf(em, task);
      const users = usernames && (await usersNamed(em, usernames));
      await em.nativeDelete(TaskSubmitter, { task });
      await em.insertMany(
        TaskSubmitter,
        (users ?? []).map((user) => ({ id: newId(), task, user })),
      );
      task.limitsSubmitters = users !== null;
      const changes = { from: { submitters: idsOf(before) }, to: { submitters: idsOf(users) } };
      AuditLog.recordChange(em, principal, { action: 'task.submitters', subject: auditedTask(task) }, changes);
    });
  }
}

async function submittersOf(em: EntityManager, task: Task): Promise<readonly User[] | null> {
  if (!task.limitsSubmitters) return null;
  const rows = await em.find(
    TaskSubmitter,
    { task },
    { populate: ['user'], orderBy: { user: { usernameKey: 'asc' } }, disableIdentityMap: true },
  );
  return rows.map(({ user }) => user as User);
}

/** Returns the users with these names, sorted by name. @throws DomainError `unknown_user` */
async function usersNamed(em: EntityManager, usernames: readonly string[]): Promise<readonly User[]> {
  const keys = usernames.map((name) => name.toLowerCase());
  const users = await em.find(
    User,
    { usernameKey: { $in: keys }, role: { $ne: 'crowd' }, deletedAt: null },
    { orderBy: { usernameKey: 'asc' } },
  );
  const known = new Set(users.map(({ usernameKey }) => usernameKey));
  const problems = usernames.flatMap((name, index) =>
    known.has(keys[index]!) ? [] : [{ path: `usernames.${index}`, message: `no user "${name}" exists` }],
  );
  if (problems.length === 0) return users;
  const names = problems.map(({ message }) => message).slice(0, 10);
  throw new DomainError('invalid', 'unknown_user', `The list has unknown users: ${names.join(', ')}.`, problems);
}

const idsOf = (users: readonly User[] | null): readonly string[] | null => users && users.map(({ id }) => id).sort();
