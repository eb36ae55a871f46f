import type { EvaluatorRegistered, RegisterEvaluator as Registration } from '@assay/contracts/evaluators';
import { Evaluator, newEvaluatorToken } from '@assay/evaluation/evaluators';
import { hashOf, isAdministrator, type Principal, User } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { ifDuplicate } from '@assay/persistence/queries';
import { Task } from '@assay/tasks';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** The largest number of evaluators that a user may have registered at the same time. */
const MOST_EVALUATORS = 20;

/** Registers an evaluator: for the tasks of everyone, or only for the tasks that the caller owns. */
@Injectable()
export class RegisterEvaluator {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the evaluator with its token, which cannot be read again.
   * @throws DomainError `administrators_only`, `no_task`, `too_many_evaluators`, `evaluator_name_taken`
   */
  async execute(
    principal: Principal,
    { name, own = !isAdministrator(principal) }: Registration,
  ): Promise<EvaluatorRegistered> {
    if (!own && !isAdministrator(principal)) throw administratorsOnly();

    const token = newEvaluatorToken();
    const id = await this.em
      .fork()
      .transactional(async (em) => {
        const owner = own ? await ownerOf(em, principal) : null;
        const evaluator = em.create(Evaluator, { name, owner, tokenHash: hashOf(token) }, { persist: true });
        AuditLog.record(em, principal, {
          action: 'evaluator.registered',
          // the name that a user chose may be personal; it is deleted with their account
          subject: { kind: 'evaluator', id: evaluator.id, ...(!own && { name }) },
          to: { owner: owner?.id ?? null },
        });
        await em.flush();
        return evaluator.id;
      })
      .catch(ifDuplicate(() => nameTaken(name)));
    return { id, name, own, token };
  }
}

/**
 * Returns the caller as the owner of another evaluator. Locks the account, so that concurrent requests
 * are counted one after the other, and an account that is being deleted gets no more evaluators.
 */
async function ownerOf(em: EntityManager, { userId }: Principal): Promise<User> {
  const owner = await em.findOneOrFail(
    User,
    { id: userId, deletedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: DomainError.missing('account') },
  );
  if ((await em.count(Task, { owner })) === 0) throw noTask();
  if ((await em.count(Evaluator, { owner, state: 'active' })) >= MOST_EVALUATORS) throw tooMany();
  return owner;
}

const administratorsOnly = (): DomainError =>
  new DomainError(
    'forbidden',
    'administrators_only',
    'Only administrators can register an evaluator for the tasks of everyone. Leave out `own` to register one for your tasks.',
  );

const noTask = (): DomainError =>
  new DomainError(
    'forbidden',
    'no_task',
    'Your own evaluator serves only the tasks that you own, and you own none. Create a task first.',
  );

const tooMany = (): DomainError =>
  new DomainError(
    'conflict',
    'too_many_evaluators',
    `You have ${MOST_EVALUATORS} registered evaluators, the limit for one account. Remove one that you no longer use.`,
  );

const nameTaken = (name: string): DomainError =>
  new DomainError(
    'conflict',
    'evaluator_name_taken',
    `Another registered evaluator is named ${name}. Choose another name, or remove that evaluator first.`,
  );
