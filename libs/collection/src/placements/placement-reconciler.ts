import type { Jobs } from '@assay/jobs';
import { newId } from '@assay/kernel';
import { type OutboxRecord, withAdvisoryLock } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { replaceInRound } from '../rounds/round-loop.js';
import { RoundModel } from '../rounds/round-model.js';
import { Placement } from './placement.js';
import { notifyPlacement } from './placement-lease.js';
import { placementProgress } from './placement-progress.js';

export interface PlacementReconciliation {
  /** Deployments created for models that entered a loop. */
  readonly made: number;
  /** Deployments stopped because their models left the loop. */
  readonly stopped: number;
  /** Deployments requeued because their lease had expired. */
  readonly requeued: number;
  /** Waiting deployments without a live job, for which a job was enqueued again. */
  readonly rung: number;
}

/**
 * Minutes after which a deployment that was given up may be tried again, if its model is still in
 * the loop.
 */
const FAILED_MINUTES = 10;

/**
 * SQL for the models that people may write against now: those of a task's open round, or, if no
 * round is open and the task collects examples, those that its policy put in the loop. Only models
 * with an image that is not archived.
 */
const WANTED = `
  select m.task_id, m.id as model_id, m.specification_id, w.since from (
    select rm.model_id, rm.since from round_model rm join round r on r.id = rm.round_id
      where rm.until is null and r.state = 'open'
    union all
    select p.model_id, p.since from promotion p join task t on t.id = p.task_id
      where p.until is null and t.definition -> 'collection' is not null
        and not exists (select 1 from round r where r.task_id = t.id and r.state = 'open')
  ) w join model m on m.id = w.model_id join run_specification s on s.id = m.specification_id
    join artifact a on a.id = s.artifact_id
  where a.image is not null and a.archived_at is null`;

const RECONCILES: ReadonlySet<string> = new Set([
  'loop.changed',
  'round.opened',
  'round.closing',
  'round.closed',
  'board.published',
]);
const OfPlacement = z.object({ placementId: z.uuid() });

/** Thrown to roll back a replacement when there is no other model. */
class NobodyElse extends Error {}

const unlessNobodyElse = (error: unknown): void => {
  if (!(error instanceof NobodyElse)) throw error;
};

/**
 * Reconciles the deployments with the loops. Reads the desired state from the database alone. Runs
 * in one process at a time.
 */
export class PlacementReconciler {
  /** @param copies the number of deployments of each model, on different evaluators */
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue' | 'isLive'>,
    private readonly copies = 1,
  ) {}

  /**
   * Runs one reconciliation.
   * @returns null if another process is reconciling
   */
  async reconcile(): Promise<PlacementReconciliation | null> {
    const changed = await withAdvisoryLock(this.em, 'assay.placements', async (em) => ({
      stopped: await stopUnwanted(em),
      requeued: await requeueExpired(em),
      made: await this.make(em),
    }));
    return changed && { ...changed, rung: await this.enqueueLost() };
  }

  /**
   * Handles an outbox event. Idempotent.
   * @throws Error so that the event is delivered again
   */
  readonly dispatch = async (event: OutboxRecord): Promise<void> => {
    if (event.type === 'placement.wanted') await this.ring(OfPlacement.parse(event.payload).placementId);
    if (event.type === 'placement.failed') await this.replace(OfPlacement.parse(event.payload).placementId);
    if (!RECONCILES.has(event.type)) return;
    if (!(await this.reconcile())) throw new Error('placements are being reconciled by another process');
  };

  /**
   * Replaces a model whose deployment was given up by the next best one, in each open round that
   * has it in the loop. If there is no other model it stays in the loop, and is tried again after
   * `FAILED_MINUTES`.
   */
  private async replace(placementId: string): Promise<void> {
    const em = this.em.fork();
    const placement = await em.findOne(Placement, placementId);
    if (placement?.state !== 'failed') return;
    const model = placement.model.id;
    const why = placement.failure?.message ?? 'It could not be served.';
    const rounds = await em.find(RoundModel, { model, until: null, round: { state: 'open' } });
    for (const { round } of rounds) {
      await em
        .transactional(async (tx) => {
          if ((await replaceInRound(tx, null, round, model, why)) === null) throw new NobodyElse();
        })
        .catch(unlessNobodyElse);
    }
  }

  private async make(em: EntityManager): Promise<number> {
    const missing = await em.execute<{ task_id: string; model_id: string; specification_id: string; copy: number }[]>(
      `select distinct w.task_id, w.model_id, w.specification_id, copy from (${WANTED}) w, generate_series(1, ?::int) copy
        where not exists (select 1 from placement p where p.task_id = w.task_id and p.model_id = w.model_id and p.copy = copy.copy
          and (p.state in ('wanted', 'starting', 'ready') or (p.state = 'failed'
            and p.ended_at > greatest(w.since, now() - make_interval(mins => ?)))))`,
      [this.copies, FAILED_MINUTES],
    );
    const progress = JSON.stringify(placementProgress('evaluator', new Date()));
    for (const { task_id, model_id, specification_id, copy } of missing) {
      const id = newId();
      await em.execute(
        `insert into placement (id, task_id, model_id, specification_id, copy, state, progress)
          values (?, ?, ?, ?, ?, 'wanted', ?::jsonb)`,
        [id, task_id, model_id, specification_id, copy, progress],
      );
      await notifyPlacement(em, id);
    }
    return missing.length;
  }

  private async enqueueLost(): Promise<number> {
    const waiting = await this.em
      .fork()
      .execute<{ id: string }[]>(
        `select id from placement where state = 'wanted' and due_at <= now() order by created_at`,
      );
    let rung = 0;
    for (const { id } of waiting) if (await this.ring(id)) rung++;
    return rung;
  }

  private async ring(placementId: string): Promise<boolean> {
    if (await this.jobs.isLive('placement', placementId)) return false;
    await this.jobs.enqueue('placement', { placementId }, { jobId: placementId });
    return true;
  }
}

async function stopUnwanted(em: EntityManager): Promise<number> {
  return enqueueAll(
    em,
    `update placement set state = 'stopped', fence = fence + 1, ended_at = now(), evaluator = null, address = null,
       secret = null, lease_until = null, progress = null, paused = false
      where state in ('wanted', 'starting', 'ready')
        and not exists (select 1 from (${WANTED}) w where w.task_id = placement.task_id and w.model_id = placement.model_id
          and w.specification_id = placement.specification_id)
      returning id`,
  );
}

async function requeueExpired(em: EntityManager): Promise<number> {
  return enqueueAll(
    em,
    `update placement set state = 'wanted', fence = fence + 1, due_at = now(), evaluator = null, address = null,
       secret = null, lease_until = null, paused = false, progress = ?::jsonb
      where state in ('starting', 'ready') and lease_until < now() returning id`,
    [JSON.stringify(placementProgress('evaluator', new Date()))],
  );
}

async function enqueueAll(em: EntityManager, update: string, values: readonly unknown[] = []): Promise<number> {
  const rows = await em.execute<{ id: string }[]>(update, [...values]);
  for (const { id } of rows) await notifyPlacement(em, id);
  return rows.length;
}
