import type { ClosingStep } from '@assay/contracts';
import { BoardRevision, promote, RELEASE_DEADLINE } from '@assay/leaderboard';
import { BenchmarkVersion, lockTask, Round } from '@assay/tasks';
import { Outbox } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundModel } from '../round-model.js';
import { RoundRepository } from '../round.repository.js';
import { type FreezeServices, freezeRound } from './freeze.js';
import { openNext } from './next-round.js';

/** Seconds, in addition to the request timeout, for which an answer of a model may still arrive. */
const ANSWER_GRACE = 30;
/** Milliseconds that a board may take after the deadline of its benchmark version. */
const BOARD_GRACE = 3_600_000;

/**
 * One step of closing a round, in a transaction that has locked the round.
 * @returns false if the step must wait; its changes are committed, and it runs again from the start
 */
export type Step = (em: EntityManager, round: Round, services: FreezeServices, now: Date) => Promise<boolean>;

export const STEPS: Readonly<Record<ClosingStep, Step>> = { settle, freeze, evaluate, promote: promoteModels, next };

/**
 * Waits for pending answers, and for pending validations if they are awaited. Everything sent
 * before the close counts.
 */
async function settle(em: EntityManager, round: Round, _services: FreezeServices, now: Date): Promise<boolean> {
  const { requestSeconds } = round.task.definition.limits;
  const [waiting] = await em.execute<{ answers: number }[]>(
    `select count(*)::int as answers from annotation where round_id = ? and answered_at is null and retracted_at is null
        and created_at > ?::timestamptz - make_interval(secs => ?)`,
    [round.id, now.toISOString(), requestSeconds + ANSWER_GRACE],
  );
  if (waiting!.answers > 0) return false;
  await giveUpAnswers(em, round, now);
  await endLoop(em, round, now);
  const isAwaited = round.pendingUntil !== null && round.pendingUntil !== undefined && now < round.pendingUntil;
  return !isAwaited || (await new RoundRepository(em).counts(round.id)).pending === 0;
}

/**
 * Marks annotations that no model has answered by now as answered without answers. They are
 * validated and may become data, but do not count for or against any model.
 */
async function giveUpAnswers(em: EntityManager, round: Round, now: Date): Promise<void> {
  const given = await em.execute<{ id: string }[]>(
    `update annotation set answered_at = ?, fooled = null
      where round_id = ? and answered_at is null and retracted_at is null returning id`,
    [now, round.id],
  );
  for (const { id } of given) Outbox.add(em, 'annotation.submitted', { annotationId: id });
}

async function endLoop(em: EntityManager, round: Round, now: Date): Promise<void> {
  const serving = await em.find(RoundModel, { round, until: null });
  for (const each of serving) Object.assign(each, { until: now, left: 'The round was closed.' });
  if (serving.length > 0) Outbox.add(em, 'loop.changed', { taskId: round.task.id });
}

async function freeze(em: EntityManager, round: Round, services: FreezeServices): Promise<boolean> {
  await freezeRound(em, round, services);
  return true;
}

/**
 * Waits for a board of the new benchmark version, on which the policy then decides. That board is
 * published once its contenders are scored, or at its deadline.
 */
async function evaluate(em: EntityManager, round: Round, _services: FreezeServices, now: Date): Promise<boolean> {
  if (typeof round.benchmarkVersion !== 'number') return true;
  const number = round.benchmarkVersion;
  if ((await em.count(BoardRevision, { task: round.task, benchmarkVersion: { $gte: number } })) > 0) return true;
  const released = await em.findOneOrFail(BenchmarkVersion, { task: round.task, number });
  return now.getTime() > released.createdAt.getTime() + RELEASE_DEADLINE + BOARD_GRACE;
}

/**
 * Promotes models by the newest board, unless another round was opened meanwhile: that round then
 * has the loop.
 */
async function promoteModels(em: EntityManager, round: Round): Promise<boolean> {
  const task = await lockTask(em, round.task);
  const open = await em.count(Round, { task, state: 'open' });
  const latest = await em.findOne(BoardRevision, { task }, { orderBy: { number: 'desc' } });
  if (open === 0 && latest) await promote(em, task, latest);
  return true;
}

async function next(em: EntityManager, round: Round, _services: FreezeServices, now: Date): Promise<boolean> {
  await openNext(em, round, now);
  round.advance('closed');
  Outbox.add(em, 'round.closed', { roundId: round.id });
  return true;
}
