import type { AskNext } from '@assay/contracts/annotating';
import type { Principal } from '@assay/identity';
import { DomainError, newId, type Rng, seededRng } from '@assay/kernel';
import { inTransaction, isUniqueViolation } from '@assay/persistence/queries';
import { Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { requireContentExposure, requireExamplesLeft } from '../people/daily-limits.js';
import { collectionOf, requireConsent, requireUnrelated } from '../people/eligibility.js';
import { enroll, type EnrolledIn } from '../rounds/participation.js';
import { ContextRepository } from '../rounds/context.repository.js';
import { RoundModel } from '../rounds/round-model.js';
import type { Annotation } from './annotation.js';
import { AnnotationRepository } from './annotation.repository.js';
import { Assignment } from './assignment.js';
import { AssignmentRepository } from './assignment.repository.js';
import { facedBy } from './target-selection.js';

/** Milliseconds for which a context is reserved for the person it is assigned to. */
const RESERVED = 15 * 60_000;
const PROLONGED_AFTER = 60_000;
const TRIES = 8;

/** An assignment with everything that a person is shown with it. */
export interface AssignedContext {
  readonly round: Round;
  readonly assignment: Assignment;
  readonly arm: EnrolledIn;
  /** The number of target models that the example is sent to. */
  readonly models: number;
  readonly contrast: Annotation | null;
  /** The number of examples that the person may still write in the task today (UTC). */
  readonly left: number;
}

interface Request {
  readonly task: Task;
  readonly round: Round;
  readonly userId: string;
  readonly asked: AskNext;
  readonly now: Date;
}

/** Assigns contexts to people. */
@Injectable()
export class AssignmentsService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the context that a person writes for next. Repeated requests return the same assignment
   * until an example is sent for it, from any browser.
   * @throws DomainError `no_open_round`, `consent_needed`, `own_model_in_round`, `daily_cap`,
   *   `exposure_reached`, `no_context_left`, `contexts_taken`, `no_contrast_left`, and `not_found`
   *   for the ID of a context or example that the person may not have
   */
  async next(principal: Principal, task: Task, asked: AskNext, now = new Date()): Promise<AssignedContext> {
    const { userId } = principal;
    const round = await openRound(this.em, task);
    await requireConsent(this.em, task, userId);
    await requireUnrelated(this.em, round, userId);
    const left = await requireExamplesLeft(this.em, task, userId, now);
    await requireContentExposure(this.em, task, userId, now);
    const arm = await enroll(this.em, round, userId);
    const assignment = await this.assign({ task, round, userId, asked, now }, seededRng(newId()));
    const models = arm.model ? await this.em.count(RoundModel, { round, until: null }) : 0;
    const contrast = assignment.contrastTo ?? null;
    return { round, assignment, arm, left, contrast, models: facedBy(collectionOf(task).facing, models) };
  }

  private async assign(request: Request, rng: Rng): Promise<Assignment> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const open = await this.openOf(request);
      if (open && isWhatIsAsked(open, request.asked)) return this.prolong(open, request.now);
      const wanted = await this.choose(request, rng);
      try {
        await this.hand(request, wanted, open);
      } catch (error) {
        // meanwhile, this context went to somebody else, or this person got another assignment
        if (!isUniqueViolation(error)) throw error;
      }
    }
    throw contextsTaken();
  }

  private openOf({ round, userId }: Request): Promise<Assignment | null> {
    return this.em.findOne(
      Assignment,
      { round, user: userId, state: 'open' },
      { populate: ['context', 'contrastTo'], strategy: 'select-in' },
    );
  }

  private async prolong(open: Assignment, now: Date): Promise<Assignment> {
    const from = open.expiresAt.getTime() - RESERVED;
    if (now.getTime() - from < PROLONGED_AFTER) return open;
    open.expiresAt = new Date(now.getTime() + RESERVED);
    await new AssignmentRepository(this.em).prolong(open.id, open.expiresAt);
    return open;
  }

  private async choose(
    { task, round, userId, asked, now }: Request,
    rng: Rng,
  ): Promise<Pick<Assignment, 'goal' | 'tag'> & { contextId: string; contrastTo: string | null }> {
    const goal = await this.drawGoal(task, round, rng);
    if (asked.contrast !== undefined && asked.contrast !== false) {
      const { id, contextId } = await this.chooseContrast(round, userId, asked.contrast, rng);
      return { contextId, contrastTo: id, goal: null, tag: null };
    }
    if (asked.context !== undefined) {
      await requireShown(this.em, asked.context, userId, round);
      return { contextId: asked.context, contrastTo: null, goal, tag: null };
    }
    const { contexts: order, examplesPerContext } = collectionOf(task);
    const contexts = new ContextRepository(this.em);
    const wanted = { round: round.id, user: userId, order, examplesPerContext, now };
    for (const tag of asked.tag === undefined ? await this.tagsInTurn(order, round, userId) : [asked.tag]) {
      const contextId = await contexts.pick({ ...wanted, tag }, rng);
      if (contextId !== null) return { contextId, contrastTo: null, goal, tag: tag ?? null };
    }
    if (await isAnyTaken(this.em, round, userId, now)) throw contextsTaken();
    const which = asked.tag === undefined ? '' : ` with the tag "${asked.tag}"`;
    throw new DomainError('conflict', 'no_context_left', `No context${which} is left for you in this round.`);
  }

  /** Returns a random example that the person may change, or the one with the ID `which`. */
  private async chooseContrast(round: Round, userId: string, which: true | string, rng: Rng) {
    const candidates = await new AnnotationRepository(this.em).contrasts(round.id, userId, which);
    const drawn = candidates[rng.below(candidates.length)];
    if (drawn) return drawn;
    if (which !== true) throw DomainError.notFound('example to change');
    throw new DomainError(
      'conflict',
      'no_contrast_left',
      'This round has no earlier example that you can change. Write your own example first.',
    );
  }

  /**
   * Returns the tags of the round in the order in which they are tried: the person's last tag comes
   * last. Returns one `undefined` if contexts are not chosen by alternating tags, or the round has
   * no tags.
   */
  private async tagsInTurn(order: string, round: Round, userId: string): Promise<readonly (string | undefined)[]> {
    if (order !== 'tag') return [undefined];
    const tags = await new ContextRepository(this.em).tags(round.id);
    const last = await this.em.findOne(
      Assignment,
      { round, user: userId, tag: { $ne: null } },
      { orderBy: { createdAt: 'desc', id: 'desc' } },
    );
    const after = tags.findIndex((tag) => tag > (last?.tag ?? ''));
    const first = Math.max(0, after);
    return tags.length === 0 ? [undefined] : [...tags.slice(first), ...tags.slice(0, first)];
  }

  /**
   * Draws the label that an annotator writes for: a random one among those shown least often. Null
   * if the task shows none.
   */
  private async drawGoal(task: Task, { id }: Round, rng: Rng): Promise<string | null> {
    const { output } = task.definition;
    if (collectionOf(task).goal !== 'shown' || output.type !== 'label') return null;
    const shown = await new AssignmentRepository(this.em).goalsShown(id);
    const counts = output.labels.map((label) => shown.get(label) ?? 0);
    const fewest = Math.min(...counts);
    const candidates = output.labels.filter((_, index) => counts[index] === fewest);
    return candidates[rng.below(candidates.length)] ?? null;
  }

  private async hand(
    { round, userId, now }: Request,
    wanted: Pick<Assignment, 'goal' | 'tag'> & { contextId: string; contrastTo: string | null },
    open: Assignment | null,
  ): Promise<void> {
    await inTransaction(this.em, async (em) => {
      const assignments = new AssignmentRepository(em);
      if (open) await assignments.replace(open.id);
      await assignments.expire(wanted.contextId, userId, now);
      em.create(Assignment, {
        round: round.id,
        user: userId,
        context: wanted.contextId,
        contrastTo: wanted.contrastTo,
        goal: wanted.goal ?? null,
        tag: wanted.tag ?? null,
        expiresAt: new Date(now.getTime() + RESERVED),
        createdAt: now,
      });
    });
  }
}

/** @throws DomainError `no_open_round` */
function openRound(em: EntityManager, task: Task): Promise<Round> {
  const message = `No round of "${task.slug}" is open. You can write examples when the next round opens.`;
  const failHandler = (): DomainError => new DomainError('conflict', 'no_open_round', message);
  return em.findOneOrFail(Round, { task, state: 'open' }, { orderBy: { number: 'desc' }, failHandler });
}

const isWhatIsAsked = ({ context, contrastTo }: Assignment, asked: AskNext): boolean => {
  if (asked.context !== undefined && asked.context !== context.id) return false;
  if (asked.tag !== undefined && !context.tags.includes(asked.tag)) return false;
  if (typeof asked.contrast === 'string') return contrastTo?.id === asked.contrast;
  return asked.contrast === undefined || asked.contrast === Boolean(contrastTo);
};

/** @throws DomainError `not_found` if the context was never shown to this person */
export async function requireShown(em: EntityManager, contextId: string, userId: string, round?: Round): Promise<void> {
  const shown = { context: contextId, user: userId, ...(round && { round }) };
  await em.findOneOrFail(Assignment, shown, { failHandler: DomainError.missing('context') });
}

async function isAnyTaken(em: EntityManager, round: Round, userId: string, now: Date): Promise<boolean> {
  const taken = { round, state: 'open', contrastTo: null, expiresAt: { $gt: now }, user: { $ne: userId } } as const;
  return (await em.count(Assignment, taken)) > 0;
}

const contextsTaken = (): DomainError =>
  new DomainError(
    'unavailable',
    'contexts_taken',
    'Other annotators have reserved all remaining contexts. ' +
      `Try again later. A reservation lasts at most ${RESERVED / 60_000} minutes.`,
  );
