import type { Failure, PlacementProgress, PlacementState } from '@assay/contracts';
import { newId, statesBefore } from '@assay/kernel';
import { databaseTime, databaseTimeIn, jsonValue, type TablesOf, typedQueries } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import {
  LEASED_PLACEMENT_STATES,
  PLACEMENT_CHANNEL,
  PLACEMENT_TRANSITIONS,
  type PlacementSchema,
} from './placement.js';

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

/** A deployment, and the claim that a writer believes to hold. */
export interface FencedPlacement {
  readonly placementId: string;
  /** The number of claims so far. A write with an older fence changes nothing. */
  readonly fence: number;
}

export interface PlacementClaim {
  /** The name of the evaluator. */
  readonly owner: string;
  /** The secret that callers of the served model must present. */
  readonly secret: string;
  readonly leaseSeconds: number;
  readonly progress: PlacementProgress;
}

export interface ClaimedPlacement {
  readonly id: string;
  readonly fence: number;
  readonly attempts: number;
  readonly specification: string;
  readonly task: string;
  readonly model: string;
}

/** How a deployment waits for its next claim. */
export interface Requeued {
  /** Seconds until it may be claimed. */
  readonly seconds: number;
  readonly progress: PlacementProgress;
  /** The consecutive failures of the model and the last one. Absent: they stay as they are. */
  readonly failures?: { readonly attempts: number; readonly failure: Failure };
}

/** A deployment that a loop needs and that does not exist. */
export interface MissingPlacement {
  readonly task: string;
  readonly model: string;
  readonly specification: string;
  readonly copy: number;
}

type PlacementTables = TablesOf<typeof PlacementSchema>;

/** The columns of a deployment that nobody serves. */
const UNSERVED = { evaluator: null, address: null, secret: null, leaseUntil: null, paused: false } as const;

/**
 * The deployments of the database. State changes are conditional updates, and methods with a fence
 * return false if the lease is lost. All times are those of the database.
 */
export class PlacementRepository {
  private readonly db: Kysely<PlacementTables>;

  /** @param em its transaction is used, if it has one */
  constructor(private readonly em: EntityManager) {
    this.db = typedQueries<typeof PlacementSchema>(em);
  }

  /**
   * Leases a deployment that is due, or whose lease has expired. Copies of one model are never
   * served by the same evaluator: one of them answers while a measurement pauses the other.
   * @returns null if another process holds it, or it is not due or not needed
   */
  async claim(placementId: string, claim: PlacementClaim): Promise<ClaimedPlacement | null> {
    const claimed = await this.transition('starting')
      .set((placement) => ({
        fence: placement('fence', '+', 1),
        evaluator: claim.owner,
        secret: claim.secret,
        address: null,
        paused: false,
        leaseUntil: databaseTimeIn(claim.leaseSeconds),
        progress: jsonValue(claim.progress),
      }))
      .where('id', '=', placementId)
      .where('dueAt', '<=', databaseTime())
      .where((placement) => placement.or([placement('state', '=', 'wanted'), hasExpired(placement)]))
      .where((placement) =>
        placement.not(
          placement.exists(
            placement
              .selectFrom('placement as other')
              .select('other.id')
              .whereRef('other.task', '=', 'placement.task')
              .whereRef('other.model', '=', 'placement.model')
              .whereRef('other.id', '<>', 'placement.id')
              .where('other.evaluator', '=', claim.owner)
              .where('other.state', 'in', LEASED_PLACEMENT_STATES),
          ),
        ),
      )
      .returning(['id', 'fence', 'attempts', 'specification', 'task', 'model'])
      .executeTakeFirst();
    return claimed ?? null;
  }

  extend(placement: FencedPlacement, seconds: number): Promise<boolean> {
    return has(this.held(placement).set({ leaseUntil: databaseTimeIn(seconds) }));
  }

  setProgress(placement: FencedPlacement, progress: PlacementProgress): Promise<boolean> {
    return has(this.held(placement).set({ progress: jsonValue(progress) }));
  }

  setPaused(placement: FencedPlacement, paused: boolean): Promise<boolean> {
    return has(this.held(placement).set({ paused }));
  }

  /** Marks a starting deployment as ready: it answers at `address`. */
  ready(placement: FencedPlacement, address: string): Promise<boolean> {
    return has(this.move(placement, 'ready').set({ address, readyAt: databaseTime(), progress: null, failure: null }));
  }

  requeue(placement: FencedPlacement, { seconds, progress, failures }: Requeued): Promise<boolean> {
    return has(
      this.move(placement, 'wanted').set({
        ...UNSERVED,
        ...(failures && { attempts: failures.attempts, failure: jsonValue(failures.failure) }),
        dueAt: databaseTimeIn(seconds),
        progress: jsonValue(progress),
      }),
    );
  }

  /** Gives a leased deployment up. */
  fail(placement: FencedPlacement, why: Failure): Promise<boolean> {
    return has(
      this.move(placement, 'failed').set({
        ...UNSERVED,
        failure: jsonValue(why),
        endedAt: databaseTime(),
        progress: null,
      }),
    );
  }

  /**
   * Expires all leases of an evaluator.
   * @returns the number of expired leases
   */
  async expireLeasesOf(owner: string): Promise<number> {
    const { numUpdatedRows } = await this.db
      .updateTable('placement')
      .set({ leaseUntil: databaseTimeIn(-1) })
      .where('state', 'in', LEASED_PLACEMENT_STATES)
      .where('evaluator', '=', owner)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /**
   * Stops the live deployments that no loop needs, whoever holds them.
   * @returns their IDs
   */
  async stopUnwanted(): Promise<readonly string[]> {
    const rows = await this.transition('stopped')
      .set((placement) => ({
        ...UNSERVED,
        fence: placement('fence', '+', 1),
        endedAt: databaseTime(),
        progress: null,
      }))
      .where(
        sql<boolean>`not exists (select 1 from (${sql.raw(WANTED)}) w where w.task_id = placement.task_id
          and w.model_id = placement.model_id and w.specification_id = placement.specification_id)`,
      )
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the deployments whose leases have expired to the queue.
   * @returns their IDs
   */
  async requeueExpired(progress: PlacementProgress): Promise<readonly string[]> {
    const rows = await this.transition('wanted')
      .set((placement) => ({
        ...UNSERVED,
        fence: placement('fence', '+', 1),
        dueAt: databaseTime(),
        progress: jsonValue(progress),
      }))
      .where(hasExpired)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the deployments that the loops need and that do not exist.
   * @param copies the number of deployments of each model
   * @param failedMinutes a deployment that was given up less long ago is not created again
   */
  missing(copies: number, failedMinutes: number): Promise<MissingPlacement[]> {
    return this.em.execute<MissingPlacement[]>(
      `select distinct w.task_id as task, w.model_id as model, w.specification_id as specification, copy
         from (${WANTED}) w, generate_series(1, ?::int) copy
        where not exists (select 1 from placement p where p.task_id = w.task_id and p.model_id = w.model_id and p.copy = copy.copy
          and (p.state in ('wanted', 'starting', 'ready') or (p.state = 'failed'
            and p.ended_at > greatest(w.since, now() - make_interval(mins => ?)))))`,
      [copies, failedMinutes],
    );
  }

  /** Creates a deployment, and returns its ID. */
  async create(missing: MissingPlacement, progress: PlacementProgress): Promise<string> {
    const id = newId();
    await this.em.execute(
      `insert into placement (id, task_id, model_id, specification_id, copy, state, progress)
        values (?, ?, ?, ?, ?, 'wanted', ?::jsonb)`,
      [id, missing.task, missing.model, missing.specification, missing.copy, JSON.stringify(progress)],
    );
    return id;
  }

  /** Returns the IDs of the deployments that are due, the oldest first. */
  async due(): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('placement')
      .select('id')
      .where('state', '=', 'wanted')
      .where('dueAt', '<=', databaseTime())
      .orderBy('createdAt')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Notifies evaluators and the API of a change, once the transaction commits. */
  async notify(placementId: string): Promise<void> {
    await this.em.execute('select pg_notify(?, ?)', [PLACEMENT_CHANNEL, placementId]);
  }

  /** An update of a deployment whose lease still holds. */
  private held({ placementId, fence }: FencedPlacement) {
    return this.db
      .updateTable('placement')
      .where('id', '=', placementId)
      .where('fence', '=', fence)
      .where('state', 'in', LEASED_PLACEMENT_STATES);
  }

  /** An update of a deployment to `state`, if its lease still holds. */
  private move({ placementId, fence }: FencedPlacement, state: PlacementState) {
    return this.transition(state).where('id', '=', placementId).where('fence', '=', fence);
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: PlacementState) {
    return this.db
      .updateTable('placement')
      .set('state', state)
      .where('placement.state', 'in', statesBefore<PlacementState>(PLACEMENT_TRANSITIONS, state));
  }
}

const hasExpired = (placement: ExpressionBuilder<PlacementTables, 'placement'>) =>
  placement.and([
    placement('placement.state', 'in', LEASED_PLACEMENT_STATES),
    placement('leaseUntil', '<', databaseTime()),
  ]);

/** Runs an update, and returns whether it changed a row. */
async function has(update: { executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }> }): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0;
}
