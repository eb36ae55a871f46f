import type { ClosingStep } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import { BoardRevision, BoardRevisionRepository, RELEASE_DEADLINE } from '@assay/leaderboard/boards';
import { promote } from '@assay/leaderboard/promotions';
import { Outbox } from '@assay/persistence/outbox';
import { lockTask, Round } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../../annotating/annotation.js';
import { AnnotationRepository } from '../../annotating/annotation.repository.js';
import { collectionOf } from '../../people/eligibility.js';
import { ContextRepository } from '../context.repository.js';
import { promotedModels } from '../models-for-round.js';
import { RoundModel } from '../round-model.js';
import { RoundRepository } from '../round.repository.js';
import { openRound, withoutPastDate } from '../rounds.service.js';
import { type FreezeServices, freezeRound } from './freeze.js';
import { noteLiveDifferences } from './live-differences.js';

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
  const since = new Date(now.getTime() - (requestSeconds + ANSWER_GRACE) * 1000);
  const waiting = { round, answeredAt: null, retractedAt: null, createdAt: { $gt: since } };
  if ((await em.count(Annotation, waiting)) > 0) return false;
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
  for (const annotationId of await new AnnotationRepository(em).giveUpAnswers(round.id, now)) {
    Outbox.add(em, 'annotation.submitted', { annotationId });
  }
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
 * Compares the target models' answers to people with those of their evaluations, then promotes models
 * by the newest board, unless another round was opened meanwhile: that round then has the loop.
 */
async function promoteModels(em: EntityManager, round: Round, { blobs }: FreezeServices): Promise<boolean> {
  await noteLiveDifferences(em, round, blobs);
  // the policy reads from the database which models differ
  await em.flush();
  const task = await lockTask(em, round.task);
  const open = await em.count(Round, { task, state: 'open' });
  const latest = open === 0 && (await new BoardRevisionRepository(em).newestWhole(task));
  if (latest) await promote(em, task, latest);
  return true;
}

async function next(em: EntityManager, round: Round, _services: FreezeServices, now: Date): Promise<boolean> {
  await openNext(em, round, now);
  round.advance('closed');
  Outbox.add(em, 'round.closed', { roundId: round.id });
  return true;
}

/**
 * Opens the round after `closed` if the task says so: with the same settings, against the models
 * that the policy has just put in the loop, and with the active contexts. Does nothing if a round
 * is already open or no model is in the loop.
 */
async function openNext(em: EntityManager, closed: Round, now: Date): Promise<void> {
  const task = await lockTask(em, closed.task);
  if (collectionOf(task).next !== 'open' || (await em.count(Round, { task, state: 'open' })) > 0) return;
  const models = await promotedModels(em, task).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  if (!models) return;
  const { turn, conditions, shares } = closed.settings!;
  const settings = { turn: withoutPastDate(turn, now), conditions: [...conditions], shares };
  const opened = await openRound(em, null, task, { description: closed.description, ...settings }, models);
  await new ContextRepository(em).copyActive(closed.id, opened.id);
}
