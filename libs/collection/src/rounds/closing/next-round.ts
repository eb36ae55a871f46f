import { DomainError, newId } from '@assay/kernel';
import { lockTask, Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../../people/eligibility.js';
import { promotedModels } from '../models-for-round.js';
import { openRound, withoutPastDate } from '../rounds.service.js';

const BATCH = 1_000;

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
  await takeContexts(em, closed, opened);
  return opened;
}

/** Copies the active contexts to the opened round, those with the fewest examples first. */
async function takeContexts(em: EntityManager, closed: Round, opened: Round): Promise<void> {
  const rows = await em.execute<{ id: string }[]>(
    'select id from round_context where round_id = ? and active order by annotations, id',
    [closed.id],
  );
  for (let start = 0; start < rows.length; start += BATCH) {
    const pairs = rows.slice(start, start + BATCH).map(({ id }) => ({ old: id, new: newId() }));
    await em.execute(
      `insert into round_context (id, round_id, external_id, content, tags, metadata, created_at)
       select pair.new, ?, external_id, content, tags, metadata, now()
         from jsonb_to_recordset(?::jsonb) as pair(old uuid, new uuid) join round_context on round_context.id = pair.old`,
      [opened.id, JSON.stringify(pairs)],
    );
  }
}
