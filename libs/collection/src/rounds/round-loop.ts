import { type Actor, AuditLog } from '@assay/identity/audit';
import { BoardRevisionRepository } from '@assay/leaderboard/boards';
import { eligible, excludedModels } from '@assay/leaderboard/promotions';
import { Outbox } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { auditedRound, Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundModel } from './round-model.js';
import { RoundRepository } from './round.repository.js';

/**
 * Takes a model out of the loop of an open round. Puts the next best model of the newest board in
 * its place, if the policy would take one that was never in the loop of the round. Does nothing if
 * the model is not in the loop.
 * @param actor who caused the change
 * @param why what happened to the model, as a sentence for people
 * @returns the ID of the replacement; null if there is none
 */
export async function replaceInRound(
  em: EntityManager,
  actor: Actor,
  round: Pick<Round, 'id'>,
  modelId: string,
  why: string,
): Promise<string | null> {
  return em.transactional(async (tx) => {
    const locked = await new RoundRepository(tx).getForUpdate(round.id);
    const leaving = await tx.findOne(RoundModel, { round: locked, model: modelId, until: null });
    if (locked.state !== 'open' || !leaving) return null;
    const now = new Date();
    const left = why.slice(0, 300);
    Object.assign(leaving, { until: now, left });
    const next = await nextBest(tx, locked);
    if (next) {
      const model = tx.getReference(Model, next.model.id);
      const { evidence } = next;
      tx.create(RoundModel, { round: locked, model, reason: 'replacement', evidence, since: now });
    }
    Outbox.add(tx, 'loop.changed', { taskId: locked.task.id });
    AuditLog.record(tx, actor, {
      action: 'loop.changed',
      subject: auditedRound(locked),
      from: { model: modelId },
      to: { model: next?.model.id ?? null, why: left },
    });
    await tx.flush();
    return next?.model.id ?? null;
  });
}

/**
 * Takes a model out of the loops of all open rounds, in the caller's transaction. Locks the rounds
 * in the order of their IDs.
 */
export async function leaveRounds(em: EntityManager, actor: Actor, model: Model, why: string): Promise<void> {
  await em.flush();
  const serving = await em.find(
    RoundModel,
    { model, until: null, round: { state: 'open' } },
    { orderBy: { round: { id: 'asc' } } },
  );
  for (const { round } of serving) await replaceInRound(em, actor, round, model.id, why);
}

/**
 * Returns the best model that the policy could take, that was never in the loop of the round, and
 * whose owner has not reached `loop.perOwner` in it; null if there is none.
 */
async function nextBest(em: EntityManager, round: Round) {
  const revision = await new BoardRevisionRepository(em).newestWhole(round.task);
  if (!revision) return null;
  const all = await em.find(RoundModel, { round }, { populate: ['model.owner'] });
  const seen = new Set(all.map(({ model }) => model.id));
  const { perOwner = Infinity } = round.task.definition.loop;
  const owners = all.filter(({ until }) => !until).map(({ model }) => model.owner.username);
  const excluded = await excludedModels(em, round.task);
  const fits = ({ id, owner }: { readonly id: string; readonly owner: string }): boolean =>
    !seen.has(id) && !excluded.has(id) && owners.filter((each) => each === owner).length < perOwner;
  const left = all.flatMap(({ model, until }) => (until ? [[model.id, 'It left the round.'] as const] : []));
  return eligible(revision, new Map([...excluded, ...left])).find(({ model }) => fits(model)) ?? null;
}
