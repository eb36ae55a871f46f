import { DomainError } from '@assay/kernel';
import { lockTask, Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../../people/eligibility.js';
import { ContextRepository } from '../context.repository.js';
import { promotedModels } from '../models-for-round.js';
import { openRound, withoutPastDate } from '../rounds.service.js';

/**
 * Opens the round after `closed` if the task says so: with the same settings, against the models
 * that the policy has just put in the loop, and with the active contexts. Does nothing if a round
 * is already open or no model is in the loop.
 */
export async function openNext(em: EntityManager, closed: Round, now: Date): Promise<Round | null> {
  const task = await lockTask(em, closed.task);
  if (collectionOf(task).next !== 'open' || (await em.count(Round, { task, state: 'open' })) > 0) return null;
  const models = await promotedModels(em, task).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  if (!models) return null;
  const { turn, conditions, shares } = closed.settings!;
  const settings = { turn: withoutPastDate(turn, now), conditions: [...conditions], shares };
  const opened = await openRound(em, null, task, { description: closed.description, ...settings }, models);
  await new ContextRepository(em).copyActive(closed.id, opened.id);
  return opened;
}
