import type { ChangeAnnotation } from '@assay/contracts/annotating';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { Model } from '@assay/submissions';
import { ownsTask, Round, roundName } from '@assay/tasks';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { collectionOf } from '../people/eligibility.js';
import { ContextRepository } from '../rounds/context.repository.js';
import { Annotation } from './annotation.js';
import { readableAnnotation } from './annotations.service.js';
import { AssignmentRepository } from './assignment.repository.js';
import { requireShown } from './assignments.service.js';
import type { ContextMark } from '../rounds/context.js';
import { checkExtraFields, requireExtraFields } from '../extra-fields.js';
import { requireAsked } from './prepared-example.js';
import { givenExplanations, roundClosed } from './stored-example.js';

/** The names of models by ID. */
export type ModelNames = ReadonlyMap<string, string>;

/** Changes that authors make to their examples, and marks on contexts that they were shown. */
@Injectable()
export class AnnotationChangesService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the annotation, for its author and the owner of the task.
   * @throws DomainError `not_found`
   */
  async get(principal: Principal, id: string): Promise<Annotation> {
    return readableAnnotation(this.em, principal, id);
  }

  /**
   * Returns the names of the models that answered. Empty for an author while the round is open,
   * because target models are anonymous until then.
   */
  async modelNames(principal: Principal, { round, answers }: Annotation): Promise<ModelNames> {
    if (answers.length === 0 || (round.state === 'open' && !ownsTask(principal, round.task))) return new Map();
    const models = await this.em.find(Model, { id: { $in: answers.map(({ model }) => model) } });
    return new Map(models.map(({ id, name }) => [id, name]));
  }

  /**
   * Adds explanations and answers to the task's own questions, and sets whether the target models
   * answered incorrectly if the task asks the author.
   * @throws DomainError `not_found`, `not_the_author`, `round_closed`, `retracted`,
   *   `fooled_not_asked`, `unknown_field`, `invalid_field`, `field_missing`
   */
  async change(principal: Principal, id: string, change: ChangeAnnotation): Promise<Annotation> {
    const seen = await this.getOwn(principal, id);
    const { task } = seen.round;
    const collection = collectionOf(task);
    if (change.fooled !== undefined) requireAsked(task);
    if (change.extra) {
      checkExtraFields(collection.fields, change.extra, 'invalid_field');
      requireExtraFields(collection.fields, { ...seen.extra, ...change.extra });
    }
    await inTransaction(this.em, async (em) => {
      const annotation = await this.lock(em, seen, ['open']);
      if (annotation.retractedAt) {
        throw new DomainError('conflict', 'retracted', 'You have retracted this example. It can no longer be changed.');
      }
      if (change.extra) annotation.extra = { ...annotation.extra, ...change.extra };
      if (change.explanations)
        annotation.explanations = { ...annotation.explanations, ...givenExplanations(change.explanations) };
      if (change.fooled !== undefined && change.fooled !== annotation.fooled) {
        if (annotation.answeredAt && (change.fooled || annotation.fooled)) {
          await new ContextRepository(em).count(annotation.context?.id ?? null, { fooled: change.fooled ? 1 : -1 });
        }
        annotation.fooled = change.fooled;
      }
    });
    return this.reloaded(id);
  }

  /**
   * Retracts an example, which is possible until its round is frozen. Idempotent.
   * @throws DomainError `not_found`, `not_the_author`, `frozen`
   */
  async retract(principal: Principal, id: string): Promise<Annotation> {
    const seen = await this.getOwn(principal, id);
    if (!seen.retractedAt) {
      await inTransaction(this.em, async (em) => {
        const annotation = await this.lock(em, seen, ['open', 'closing']);
        if (annotation.retractedAt) return;
        annotation.retractedAt = new Date();
        const fooled = annotation.answeredAt && annotation.fooled ? -1 : 0;
        await new ContextRepository(em).count(annotation.context?.id ?? null, { annotations: -1, fooled });
        Outbox.add(em, 'annotation.retracted', { annotationId: id });
        const subject = { kind: 'annotation' as const, id, name: roundName(seen.round) };
        const changes = { from: { retracted: false }, to: { retracted: true } };
        AuditLog.record(em, principal, { action: 'annotation.retracted', subject, ...changes });
      });
    }
    return this.reloaded(id);
  }

  /**
   * Records that a person skipped or flagged a context, so that it is not assigned to them again.
   * Idempotent.
   * @throws DomainError `not_found` if the context was never shown to them
   */
  async mark(principal: Principal, contextId: string, kind: ContextMark['kind'], reason: string | null): Promise<void> {
    const { userId } = principal;
    await requireShown(this.em, contextId, userId);
    await inTransaction(this.em, async (em) => {
      await new ContextRepository(em).mark(contextId, userId, kind, reason);
      await new AssignmentRepository(em).pass(contextId, userId);
    });
  }

  private reloaded(id: string): Promise<Annotation> {
    return this.em.findOneOrFail(Annotation, id, { refresh: true, populate: ['round.task.owner', 'context'] });
  }

  private async getOwn(principal: Principal, id: string): Promise<Annotation> {
    const annotation = await this.get(principal, id);
    if (annotation.annotator?.id === principal.userId) return annotation;
    throw new DomainError('forbidden', 'not_the_author', 'Only the author of an example can change it.');
  }

  /**
   * Locks the annotation, and its round in one of `states`. Closing the round waits until the
   * transaction ends.
   * @throws DomainError `frozen` if `states` includes `closing`, otherwise `round_closed`
   */
  private async lock(
    em: EntityManager,
    { id, round }: Annotation,
    states: readonly Round['state'][],
  ): Promise<Annotation> {
    const lockMode = LockMode.PESSIMISTIC_READ;
    const now = await em.findOneOrFail(Round, round.id, { lockMode, refresh: true });
    const isFrozen = now.state === 'closing' && now.closingStep !== 'settle';
    if (!states.includes(now.state) && states.length === 1) throw roundClosed(now);
    if (!states.includes(now.state) || isFrozen) {
      const message = 'The examples of this round are already in datasets and can no longer be retracted.';
      throw new DomainError('conflict', 'frozen', message);
    }
    return em.findOneOrFail(Annotation, id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }
}
