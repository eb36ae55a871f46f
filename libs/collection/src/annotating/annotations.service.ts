import type { WriteAnnotation } from '@assay/contracts/annotating';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { LivePredictions } from '@assay/serving';
import { ownsTask, Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { countTrial, requireContentExposure, requireExamplesLeft } from '../people/daily-limits.js';
import { Pseudonyms } from '../people/pseudonyms.js';
import { requireConsent, requireUnrelated } from '../people/eligibility.js';
import { ContextRepository } from '../rounds/context.repository.js';
import { armOf, enroll, type EnrolledIn } from '../rounds/participation.js';
import { RoundModel } from '../rounds/round-model.js';
import { Annotation, type Judgement } from './annotation.js';
import { AnnotationRepository } from './annotation.repository.js';
import { Assignment } from './assignment.js';
import { refuseBlocked } from './checks/check-example.js';
import { drawOf, judge, type Judgeable } from './fooling-check.js';
import { type PreparedExample, prepareExample } from './prepared-example.js';
import { findSent, roundClosed, storeExample } from './stored-example.js';

/** The result of trying out an example. */
export interface Trial extends Judgement {
  readonly round: Round;
  readonly condition: string | null;
  readonly goal: string | null;
  readonly example: PreparedExample;
}

/** Takes the examples that people write against the target models. */
@Injectable()
export class AnnotationsService {
  constructor(
    private readonly em: EntityManager,
    private readonly pseudonyms: Pseudonyms,
    private readonly live: LivePredictions,
  ) {}

  /**
   * Stores an example, then asks the target models. A stored example counts at once. If no model
   * answers, a repeated request with the same key asks the models again.
   * @returns the annotation, and whether it is new
   * @throws DomainError `not_found`, `duplicate_example`, `copied_context`, `other_language`,
   *   `input_length`, `consent_needed`, `own_model_in_round`, `daily_cap`, `exposure_reached`, and
   *   the errors of `prepareExample`, `storeExample` and `LivePredictions.predict`; `round_closed`
   *   also if the round closed before a model answered
   */
  async submit(
    principal: Principal,
    task: Task,
    number: number,
    body: WriteAnnotation,
    now = new Date(),
  ): Promise<{ readonly annotation: Annotation; readonly created: boolean }> {
    const { userId } = principal;
    const round = await roundOf(this.em, task, number);
    const sent = await findSent(this.em, { task, round, userId, body });
    if (sent) return { annotation: await this.answeredBefore(sent.id), created: false };
    const arm = await this.admit(task, round, userId);
    await requireExamplesLeft(this.em, task, userId, now);
    await requireContentExposure(this.em, task, userId, now);
    const example = await prepareExample(this.em, { task, round, userId, arm }, body);
    refuseBlocked(example.findings);
    const pseudonym = this.pseudonyms.of(task.id, userId);
    const { condition } = arm;
    const id = await storeExample(this.em, { task, round, userId, pseudonym, condition, body, example, now });
    await answerExample(this.em, this.live, id, judgeable({ task, round, arm, userId }, example, body));
    return { annotation: await this.answered(id), created: true };
  }

  /**
   * Returns what the target models would answer to an example, and whether it would fool them.
   * Stores only the enrolment in the round and the number of trials. The context need not be
   * assigned to the user.
   * @throws DomainError `not_found`, `round_closed`, `consent_needed`, `own_model_in_round`,
   *   `trial_cap`, and the errors of `prepareExample` and `LivePredictions.predict`
   */
  async tryOut(principal: Principal, task: Task, number: number, body: WriteAnnotation): Promise<Trial> {
    const { userId } = principal;
    const round = await roundOf(this.em, task, number);
    const arm = await this.admit(task, round, userId);
    const example = await prepareExample(this.em, { task, round, userId, arm }, body);
    await countTrial(this.em, task, round, userId);
    const judgement = await judge(this.em, this.live, judgeable({ task, round, arm, userId }, example, body));
    const open = await this.em.findOne(Assignment, { context: example.context, user: userId, state: 'open' });
    return { ...judgement, round, condition: arm.condition, goal: open?.goal ?? null, example };
  }

  private async admit(task: Task, round: Round, userId: string): Promise<EnrolledIn> {
    if (round.state !== 'open') throw roundClosed(round);
    await requireConsent(this.em, task, userId);
    await requireUnrelated(this.em, round, userId);
    return enroll(this.em, round, userId);
  }

  private async answeredBefore(id: string): Promise<Annotation> {
    try {
      await answerAnnotation(this.em, this.live, id);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { round } = await this.load(id);
      // while a closing round settles, answers still arrive; after that its models are no longer
      // served
      if (round.state === 'open' || round.closingStep === 'settle') throw error;
    }
    return this.answered(id);
  }

  /** @throws DomainError `round_closed` if the annotation has target models and none answered */
  private async answered(id: string): Promise<Annotation> {
    const annotation = await this.load(id);
    if (!(await isGivenUp(this.em, annotation))) return annotation;
    throw new DomainError(
      'conflict',
      'round_closed',
      `Round ${annotation.round.number} closed before a model answered your example. ` +
        `The example is stored and counts as submitted, without answers. See /annotations/${id}.`,
    );
  }

  private load(id: string): Promise<Annotation> {
    return this.em.findOneOrFail(Annotation, id, {
      populate: ['round.task.owner', 'context'],
      strategy: 'select-in',
      refresh: true,
    });
  }
}

const judgeable = (
  { task, round, arm, userId }: { task: Task; round: Round; arm: EnrolledIn; userId: string },
  { context, written: { input, gold } }: PreparedExample,
  { fooled }: WriteAnnotation,
): Judgeable => {
  const draw = drawOf(context.id, userId);
  return { task, round, context, condition: arm.condition, input, gold, draw, claimed: fooled ?? null };
};

/** @throws DomainError `not_found` */
export function roundOf(em: EntityManager, task: Task, number: number): Promise<Round> {
  return em.findOneOrFail(Round, { task, number }, { refresh: true, failHandler: DomainError.missing('round') });
}

/**
 * Returns the annotation, for its author and the owner of the task.
 * @throws DomainError `not_found`
 */
export async function readableAnnotation(em: EntityManager, principal: Principal, id: string): Promise<Annotation> {
  const annotation = await em.findOne(Annotation, id, { populate: ['round.task.owner', 'context'] });
  if (annotation?.annotator?.id === principal.userId || (annotation && ownsTask(principal, annotation.round.task)))
    return annotation;
  throw DomainError.notFound('annotation');
}

/**
 * Asks the target models about a stored annotation and stores their answers. Only the first call
 * stores anything. May run long after the annotation was sent, even after the round has closed.
 * @throws DomainError as `LivePredictions.predict`; the annotation then still waits for answers
 */
async function answerAnnotation(em: EntityManager, live: LivePredictions, id: string): Promise<void> {
  const annotation = await em.findOneOrFail(Annotation, id, { populate: ['round.task', 'context'] });
  if (annotation.answeredAt) return;
  const { round, context, annotator, condition, input, authorLabel, fooled } = annotation;
  await answerExample(em, live, id, {
    task: round.task,
    round,
    context: context ?? null,
    condition: condition ?? null,
    input,
    gold: authorLabel,
    draw: drawOf(context?.id ?? id, annotator?.id ?? annotation.pseudonym),
    claimed: fooled ?? null,
  });
}

/** As `answerAnnotation`, for callers that have the annotation's data already. */
async function answerExample(em: EntityManager, live: LivePredictions, id: string, example: Judgeable): Promise<void> {
  const judgement = await judge(em, live, example);
  await inTransaction(em, async (tx) => {
    const stored = await new AnnotationRepository(tx).storeAnswers(id, judgement);
    if (!stored || stored.retractedAt) return;
    if (judgement.fooled) await new ContextRepository(tx).count(stored.context, { fooled: 1 });
    Outbox.add(tx, 'annotation.submitted', { annotationId: id });
  });
}

/**
 * Returns whether the annotation has target models and the round closed before any of them
 * answered.
 */
async function isGivenUp(em: EntityManager, { round, condition, answers, createdAt }: Annotation): Promise<boolean> {
  if (round.state === 'open' || answers.length > 0 || !armOf(round, condition ?? null).model) return false;
  return (await em.count(RoundModel, { round, since: { $lte: createdAt } })) > 0;
}
