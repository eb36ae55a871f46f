import type { DecideAlone, Verdict } from '@assay/contracts/collection';
import { type Principal, User } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError, newId } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import { ownsTask, roundName, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { Pseudonyms } from '../people/pseudonyms.js';
import { requireUnrelated } from '../people/eligibility.js';
import { decide, lockAnnotation } from './decisions.js';
import { readJudgedLabel, sameLabel } from './judged-labels.js';
import { expectValidated } from './validated-rounds.js';
import { Validation } from './validation.js';
import { ownExample } from './validations.service.js';

/** Decisions that owners make alone. They may overrule a decision of the validators. */
@Injectable()
export class OwnerDecisionsService {
  constructor(
    private readonly em: EntityManager,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /**
   * Writes the owner's decision and their verdict on an annotation.
   * @throws DomainError `not_found`, `not_the_owner`, `own_example`, `own_model_in_round`,
   *   `round_closed`, `example_retracted`, `check_is_known`, and the errors of `readJudgedLabel`
   */
  async decide(principal: Principal, annotationId: string, given: DecideAlone, now = new Date()): Promise<Annotation> {
    return inTransaction(this.em, async (em) => {
      const failHandler = DomainError.missing('example');
      const found = await em.findOneOrFail(Annotation, annotationId, { populate: ['round.task.owner'], failHandler });
      if (!ownsTask(principal, found.round.task)) {
        if (found.annotator?.id !== principal.userId) throw failHandler();
        throw new DomainError('forbidden', 'not_the_owner', 'Only the task owner may decide without validators.');
      }
      if (found.annotator?.id === principal.userId) throw ownExample();
      if (found.isCheck) {
        throw new DomainError(
          'conflict',
          'check_is_known',
          'This example is a check with a known label and cannot be decided.',
        );
      }
      const round = await expectValidated(em, found.round.id, now);
      await requireUnrelated(em, round, principal.userId);
      const annotation = await lockAnnotation(em, annotationId);
      if (annotation.retractedAt) {
        throw new DomainError('conflict', 'example_retracted', 'The author has retracted this example.');
      }
      const from = { outcome: annotation.outcome };
      await this.write(em, { task: round.task, annotation, given, userId: principal.userId }, now);
      // neither labels nor reasons: they may be texts of people, who can have them removed from the
      // service, but not from the audit log
      AuditLog.record(em, principal, {
        action: 'annotation.decided',
        subject: { kind: 'annotation', id: annotationId, name: roundName(round) },
        from,
        to: { outcome: given.outcome, relabelled: given.label !== undefined },
      });
      return annotation;
    });
  }

  private async write(
    em: EntityManager,
    { task, annotation, given, userId }: { task: Task; annotation: Annotation; given: DecideAlone; userId: string },
    now: Date,
  ): Promise<void> {
    const { output } = task.definition;
    const named = given.label === undefined ? null : readJudgedLabel(output, given.label, annotation.input);
    const label = named && !sameLabel(task.definition, named, annotation.authorLabel) ? named : null;
    const verdict: Verdict =
      given.outcome === 'flagged' ? 'flagged' : given.outcome === 'rejected' || label ? 'incorrect' : 'correct';
    const earlier = await em.findOne(Validation, { annotation, validator: userId });
    // a verdict that the owner gave as a validator becomes the owner's decision
    if (earlier?.verdict && !earlier.byOwner) annotation.verdictCount -= 1;
    const row =
      earlier ??
      em.create(
        Validation,
        {
          id: newId(),
          annotation,
          validator: em.getReference(User, userId),
          pseudonym: this.pseudonyms.of(task.id, userId),
        },
        { persist: true },
      );
    Object.assign(row, { verdict, rightLabel: label, reason: given.reason, byOwner: true, answeredAt: now });
    const decision = { outcome: given.outcome, label, modelWrong: null };
    await decide(em, { task, annotation, decision, decidedByOwner: true }, now);
  }
}
