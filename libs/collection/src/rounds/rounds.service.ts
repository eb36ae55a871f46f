import type { OpenRound, TurningRule } from '@assay/contracts/collection';
import type { CloseRound, PatchRound } from '@assay/contracts/rounds';
import { type Principal } from '@assay/identity';
import { type Actor, AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { auditedRound, lockTask, ownsTask, Round, type RoundSettings, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { collectionOf } from '../people/eligibility.js';
import { namedModels, promotedModels, type ModelForRound } from './models-for-round.js';
import { RoundModel } from './round-model.js';
import { RoundRelease } from './round-release.js';
import { RoundRepository } from './round.repository.js';

const DAY = 86_400_000;
const VALIDATION_DAYS = 7;
/** The parts of a closed round that everybody may read. The other parts are hidden tests. */
const PUBLIC_PARTS: readonly string[] = ['train', 'dev'];

@Injectable()
export class RoundsService {
  constructor(private readonly em: EntityManager) {}

  /** @throws DomainError `not_found` */
  async get(task: Task, number: number): Promise<Round> {
    const failHandler = DomainError.missing('round');
    return this.em.findOneOrFail(Round, { task, number }, { populate: ['task.owner'], failHandler });
  }

  /**
   * Returns a part of the data of a closed round. The round's task is loaded.
   * @throws DomainError `not_found`, also for a part that `principal` may not read
   */
  async release(principal: Principal | null, round: Round, part: string): Promise<RoundRelease> {
    const mayRead = PUBLIC_PARTS.includes(part) || ownsTask(principal, round.task);
    const releases = mayRead ? await this.em.find(RoundRelease, { round }) : [];
    const release = releases.find((each) => each.part === part);
    if (!release) throw DomainError.notFound('data of this round');
    return release;
  }

  /**
   * Opens the next round, against the named models or those that the policy put in the loop.
   * @throws DomainError as `openRound`, `namedModels` and `promotedModels`
   */
  async open(principal: Principal, task: Task, request: OpenRound): Promise<Round> {
    return this.em.transactional(async (em) => {
      const locked = await lockTask(em, task);
      const { models } = request;
      const chosen = models ? await namedModels(em, locked, models, principal) : await promotedModels(em, locked);
      return openRound(em, principal, locked, request, chosen);
    });
  }

  /**
   * Changes the description or the turning rule of an open round.
   * @throws DomainError `round_closed`, `closes_in_the_past`
   */
  async change(principal: Principal, round: Round, { description, turn }: PatchRound): Promise<Round> {
    return this.em.transactional(async (em) => {
      const locked = await lockOpen(em, round);
      const from = { description: locked.description, turn: locked.settings?.turn };
      if (description !== undefined) locked.description = description;
      if (turn) {
        expectInFuture(turn, new Date());
        // an imported round has no settings: from here on the task's rules apply to it
        locked.settings = { ...(locked.settings ?? settingsOf(locked.task, { conditions: [] }, new Date())), turn };
      }
      const to = { description: locked.description, turn: locked.settings?.turn };
      AuditLog.recordChange(em, principal, { action: 'round.changed', subject: auditedRound(locked) }, { from, to });
      return locked;
    });
  }

  /**
   * Starts closing a round: it takes no more examples from now on. The closing steps run on their
   * own.
   * @throws DomainError `round_closed`
   */
  async close(principal: Principal, round: Round, { pending }: CloseRound): Promise<Round> {
    return this.em.transactional(async (em) => {
      const locked = await lockOpen(em, round);
      closeRound(em, locked, { by: `by ${principal.username}`, pending, actor: principal });
      return locked;
    });
  }
}

/**
 * Opens a round. The caller's transaction must have locked the task.
 * @throws DomainError `round_open`, `round_number_taken`, `closes_in_the_past`
 */
export async function openRound(
  em: EntityManager,
  actor: Actor,
  task: Task,
  request: Pick<OpenRound, 'number' | 'description' | 'turn' | 'conditions' | 'shares'>,
  models: readonly ModelForRound[],
): Promise<Round> {
  const rounds = await em.find(Round, { task });
  const open = rounds.find(({ state }) => state === 'open');
  if (open) {
    throw new DomainError('conflict', 'round_open', `Round ${open.number} of "${task.slug}" is open. Close it first.`);
  }
  const number = request.number ?? Math.max(0, ...rounds.map((round) => round.number)) + 1;
  if (rounds.some((round) => round.number === number)) {
    throw new DomainError('conflict', 'round_number_taken', `"${task.slug}" already has a round ${number}.`, [
      { path: 'number', message: 'is taken; omit it to use the next number' },
    ]);
  }
  const now = new Date();
  const settings = settingsOf(task, request, now);
  const { description } = request;
  const round = em.create(Round, {
    task,
    number,
    state: 'open',
    imported: false,
    description,
    settings,
    openedAt: now,
  });
  for (const { model, reason, evidence } of models)
    em.create(RoundModel, { round, model, reason, evidence, since: now });
  Outbox.add(em, 'round.opened', { roundId: round.id });
  Outbox.add(em, 'loop.changed', { taskId: task.id });
  AuditLog.record(em, actor, {
    action: 'round.opened',
    subject: auditedRound(round),
    to: { models: models.map(({ model }) => model.id), turn: settings.turn },
  });
  await em.flush();
  return round;
}

/** Starts closing an open round that the caller has locked. */
export function closeRound(
  em: EntityManager,
  round: Round,
  { by, pending, actor }: { readonly by: string; readonly pending: CloseRound['pending']; readonly actor: Actor },
): void {
  const now = new Date();
  const days = round.settings?.turn.validationDays ?? VALIDATION_DAYS;
  const from = { state: round.state };
  round.advance('closing');
  round.closingStep = 'settle';
  round.closedAt = now;
  round.closedBy = by.slice(0, 200);
  round.pendingUntil = pending === 'await' ? new Date(now.getTime() + days * DAY) : null;
  Outbox.add(em, 'round.closing', { roundId: round.id });
  AuditLog.record(em, actor, {
    action: 'round.closed',
    subject: auditedRound(round),
    from,
    to: { state: 'closing', pending },
  });
}

async function lockOpen(em: EntityManager, round: Round): Promise<Round> {
  const locked = await new RoundRepository(em).getForUpdate(round.id);
  if (locked.state === 'open') return locked;
  throw new DomainError('conflict', 'round_closed', `Round ${locked.number} is already closed.`);
}

/**
 * Returns the settings of a round: those of the request, otherwise those of the task.
 * @throws DomainError `closes_in_the_past`
 */
function settingsOf(task: Task, request: Pick<OpenRound, 'turn' | 'conditions' | 'shares'>, now: Date): RoundSettings {
  const collection = collectionOf(task);
  if (request.turn) expectInFuture(request.turn, now);
  return {
    turn: request.turn ?? withoutPastDate(collection.turn, now),
    conditions: request.conditions,
    shares: request.shares ?? collection.shares,
  };
}

const isPast = ({ closesAt }: TurningRule, now: Date): boolean =>
  closesAt !== undefined && Date.parse(closesAt) <= now.getTime();

function expectInFuture(turn: TurningRule, now: Date): void {
  if (!isPast(turn, now)) return;
  throw new DomainError('invalid', 'closes_in_the_past', `The round would close at ${turn.closesAt}, in the past.`, [
    { path: 'turn.closesAt', message: 'is in the past' },
  ]);
}

/** Returns the rule without a closing date in the past, which was meant for an earlier round. */
export function withoutPastDate(turn: TurningRule, now: Date): TurningRule {
  const { closesAt, ...rest } = turn;
  return closesAt !== undefined && isPast(turn, now) ? rest : turn;
}
