import type { AnswerItem, GiveVerdict } from '@assay/contracts/collection';
import type { Principal } from '@assay/identity';
import { DomainError, newId, seededRng } from '@assay/kernel';
import { holdAdvisoryLock } from '@assay/persistence/locks';
import { Outbox } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import type { Round, Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { fooledRuleOf } from '../annotating/fooled-rule.js';
import { readExtraFields } from '../extra-fields.js';
import { requireContentExposure } from '../people/daily-limits.js';
import { Pseudonyms } from '../people/pseudonyms.js';
import { collectionOf, requireConsent, requireUnrelated } from '../people/eligibility.js';
import { agreesWith } from './agreement.js';
import { lockAnnotation, settle } from './decisions.js';
import { assignValidation, ASSIGNED_MILLISECONDS, awaitingCounts } from './validation-assignment.js';
import { ValidationAssignmentRepository } from './validation-assignment.repository.js';
import { readJudgedLabel, sameLabel } from './judged-labels.js';
import { expectValidated, validatedRounds } from './validated-rounds.js';
import { Validation } from './validation.js';

/** A validation with its annotation, round and task. */
export interface Judged {
  readonly task: Task;
  readonly round: Round;
  readonly annotation: Annotation;
  readonly validation: Validation;
}

/**
 * Runs the validation of examples: assigns them one at a time, takes a blind label, then a verdict.
 */
@Injectable()
export class ValidationsService {
  private readonly awaiting = awaitingCounts();

  constructor(
    private readonly em: EntityManager,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /**
   * Returns the example that the user validates next: the open assignment if there is one,
   * otherwise a new one.
   * @throws DomainError `nothing_to_validate`, `own_model_in_round`, `consent_needed`,
   *   `exposure_reached`
   */
  async next(task: Task, principal: Principal, now = new Date(), rng = seededRng(newId())): Promise<Judged> {
    const em = this.em.fork();
    await requireConsent(em, task, principal.userId);
    let refusal: DomainError | null = null;
    for (const round of await validatedRounds(em, task, now)) {
      try {
        const assign = (wait: boolean) =>
          inTransaction(em, (tx) => this.nextOf(tx, { task, round, now, wait }, principal, rng));
        let validation = await assign(false);
        while (validation === 'busy') validation = await assign(true);
        if (validation) return { task, round, annotation: validation.annotation, validation };
      } catch (error) {
        // a model of theirs in one round does not exclude them from another round
        if (!(error instanceof DomainError) || error.code !== 'own_model_in_round') throw error;
        refusal = error;
      }
    }
    throw (
      refusal ??
      new DomainError(
        'not-found',
        'nothing_to_validate',
        `You cannot validate any example of "${task.slug}" now. Come back when more have been written.`,
      )
    );
  }

  private async nextOf(
    em: EntityManager,
    { task, round, now, wait }: { task: Task; round: Round; now: Date; wait: boolean },
    { userId }: Principal,
    rng: ReturnType<typeof seededRng>,
  ): Promise<Validation | 'busy' | null> {
    await requireUnrelated(em, round, userId);
    // two browsers of one person get the same item
    await holdAdvisoryLock(em, `validator ${round.id} ${userId}`);
    const since = new Date(now.getTime() - ASSIGNED_MILLISECONDS);
    const open = await new ValidationAssignmentRepository(em).openItem(round.id, userId, since);
    if (open) return open;
    await requireContentExposure(em, task, userId, now);
    const validator = { user: userId, pseudonym: this.pseudonyms.of(task.id, userId) };
    return assignValidation(em, { task, round, validator, now, wait, awaiting: this.awaiting }, rng);
  }

  /**
   * Takes the first answer to an assigned example: a label, given blind. A verdict sent with it
   * counts at once: `flagged` always, `correct` only if the label equals the author's.
   * @throws DomainError `not_found` if the example is not assigned to the user, `own_example`,
   *   `consent_needed`, `own_model_in_round`, `not_yours_to_validate` if the assignment ends
   *   meanwhile, `validated_already`, `decided_already`, `example_retracted`, `round_closed`,
   *   `reason_needed`, and the errors of `readJudgedLabel` and `readExtraFields`
   */
  async answer(principal: Principal, annotationId: string, given: AnswerItem, now = new Date()): Promise<Judged> {
    return inTransaction(this.em, async (em) => {
      const { task, round, annotation } = await this.judgeable(em, principal, annotationId, now);
      const validation = await this.handed(em, annotation, principal.userId);
      if (validation.verdict || validation.label) throw validatedAlready(validation);

      const { output } = task.definition;
      const label = given.label === undefined ? null : readJudgedLabel(output, given.label, annotation.input);
      validation.label = label;
      validation.agrees = agreesWith(task.definition, annotation, validation);
      const agrees = label !== null && sameLabel(task.definition, label, annotation.authorLabel);
      const verdict = given.verdict === 'correct' && !agrees ? undefined : given.verdict;
      const judged = { task, round, annotation, validation };
      if (verdict) await this.conclude(em, judged, { verdict, reason: given.reason, extra: given.extra }, now);
      return judged;
    });
  }

  /**
   * Takes the second answer: a verdict on the author's label.
   * @throws DomainError `not_found`, `label_first`, `validated_already`, `right_label_needed`,
   *   `label_of_the_author`, `reason_needed`, and the errors of `answer`
   */
  async giveVerdict(principal: Principal, id: string, given: GiveVerdict, now = new Date()): Promise<Judged> {
    return inTransaction(this.em, async (em) => {
      const failHandler = DomainError.missing('validation');
      const known = await em.findOneOrFail(Validation, { id, validator: principal.userId }, { failHandler });
      const { task, round, annotation } = await this.judgeable(em, principal, known.annotation.id, now);
      const validation = await em.refreshOrFail(known, { failHandler });
      if (validation.verdict) throw validatedAlready(validation);
      if (!validation.label && given.verdict !== 'flagged') {
        throw new DomainError(
          'conflict',
          'label_first',
          `Label this example before you give a verdict. Use POST /annotations/${annotation.id}/validations.`,
        );
      }

      const judged = { task, round, annotation, validation };
      await this.conclude(em, judged, given, now);
      return judged;
    });
  }

  /**
   * Returns the annotation, locked, with its round, whose state cannot change until the transaction
   * ends, and its task. Throws if the user may not validate it.
   */
  private async judgeable(em: EntityManager, { userId }: Principal, annotationId: string, now: Date) {
    const failHandler = DomainError.missing('example');
    const found = await em.findOneOrFail(Annotation, annotationId, { failHandler });
    if (found.annotator?.id === userId) throw ownExample();
    // permission is checked before the state: a user without an assignment must learn nothing about
    // an example
    await em.findOneOrFail(Validation, { annotation: found, validator: userId }, { failHandler });
    const round = await expectValidated(em, found.round.id, now);
    const { task } = round;
    await requireConsent(em, task, userId);
    await requireUnrelated(em, round, userId);
    const annotation = await lockAnnotation(em, annotationId);
    if (annotation.retractedAt) {
      throw new DomainError(
        'conflict',
        'example_retracted',
        'The author has retracted this example. Request the next one.',
      );
    }
    return { task, round, annotation };
  }

  private async handed(em: EntityManager, annotation: Annotation, userId: string): Promise<Validation> {
    const failHandler = (): DomainError =>
      new DomainError(
        'forbidden',
        'not_yours_to_validate',
        `Example ${annotation.id} is not assigned to you. Request one with POST /tasks/{slug}/validate/next.`,
      );
    const given = { annotation, validator: userId };
    const validation = await em.findOneOrFail(Validation, given, { refresh: true, failHandler });
    if (!validation.verdict && annotation.outcome !== 'pending') throw decidedAlready(annotation);
    return validation;
  }

  /** Writes a verdict, and decides the annotation if its verdicts now suffice. */
  private async conclude(em: EntityManager, judged: Judged, given: Concluding, now: Date): Promise<void> {
    const { task, annotation, validation } = judged;
    if (annotation.outcome !== 'pending') throw decidedAlready(annotation);
    const { verdict, reason } = given;
    if (verdict === 'flagged' && reason === undefined) {
      throw new DomainError(
        'invalid',
        'reason_needed',
        'Flagging an example requires a reason. Say in "reason" what is wrong with it.',
      );
    }
    const rightLabel = verdict === 'incorrect' ? readRightLabel(judged, given) : null;
    const isAsked = fooledRuleOf(task.definition.output, collectionOf(task)) === 'ask';
    Object.assign(validation, {
      verdict,
      rightLabel,
      reason: verdict === 'flagged' ? reason : null,
      modelWrong: isAsked ? (given.modelWrong ?? null) : null,
      // a validator who flags an example need not answer questions about it
      extra: verdict === 'flagged' ? {} : readExtraFields(collectionOf(task).validationFields, given.extra),
      answeredAt: now,
      seconds: (now.getTime() - validation.createdAt.getTime()) / 1000,
    });
    validation.agrees = agreesWith(task.definition, annotation, validation);
    annotation.verdictCount += 1;
    Outbox.add(em, 'validation.answered', { annotationId: annotation.id });
    await em.flush();
    await settle(em, task, annotation, now);
  }
}

type Concluding = Pick<GiveVerdict, 'verdict' | 'label' | 'reason' | 'extra' | 'modelWrong'>;

function readRightLabel({ task, annotation }: Judged, { label }: Concluding): readonly string[] {
  if (label === undefined) {
    throw new DomainError(
      'invalid',
      'right_label_needed',
      'The verdict "incorrect" requires the correct label. Send it in "label".',
    );
  }
  const { output } = task.definition;
  const right = readJudgedLabel(output, label, annotation.input);
  if (!sameLabel(task.definition, right, annotation.authorLabel)) return right;
  throw new DomainError(
    'invalid',
    'label_of_the_author',
    'The author gave the same label. Send the verdict "correct", or another label.',
  );
}

export const ownExample = (): DomainError =>
  new DomainError('forbidden', 'own_example', 'You wrote this example. Others must decide whether it is correct.');

const validatedAlready = ({ id, verdict }: Validation): DomainError =>
  new DomainError(
    'conflict',
    'validated_already',
    verdict == null
      ? `You have already labelled this example. Give your verdict with PATCH /validations/${id}.`
      : 'You have already validated this example. Request the next one.',
  );

const decidedAlready = ({ outcome }: Annotation): DomainError =>
  new DomainError(
    'conflict',
    'decided_already',
    `This example has been decided in the meantime (${outcome}). Request the next one.`,
  );
