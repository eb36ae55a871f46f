import type { Failure } from '@assay/contracts/models';
import type { DeploymentProgress, DeploymentState } from '@assay/contracts/serving';
import { newId, statesBefore } from '@assay/kernel';
import { notifyChannel } from '@assay/persistence/outbox';
import {
  type CountedRows,
  countRows,
  databaseTime,
  databaseTimeIn,
  jsonValue,
  leaseEnd,
  Repository,
  type TablesOf,
  uuidArray,
} from '@assay/persistence/queries';
import { type ExpressionBuilder, sql } from 'kysely';
import {
  type Deployment,
  LEASED_DEPLOYMENT_STATES,
  DEPLOYMENT_CHANNEL,
  DEPLOYMENT_TRANSITIONS,
  type DeploymentSchema,
} from './deployment.js';

/** A deployment, and the claim that a writer believes to hold. */
export interface FencedDeployment {
  readonly deploymentId: string;
  /** The number of claims so far. A write with an older fence changes nothing. */
  readonly fence: number;
}

interface DeploymentClaim {
  /** The name of the evaluator. */
  readonly owner: string;
  /** The secret that callers of the served model must present. */
  readonly secret: string;
  readonly leaseSeconds: number;
  readonly progress: DeploymentProgress;
}

export type ClaimedDeployment = Pick<Deployment, 'id' | 'fence' | 'attempts'> &
  Readonly<Record<'specification' | 'task' | 'model', string>>;

/** How a deployment waits for its next claim. */
export interface Requeued {
  /** Seconds until it may be claimed. */
  readonly seconds: number;
  readonly progress: DeploymentProgress;
  /** The consecutive failures of the model and the last one. Absent: they stay as they are. */
  readonly failures?: { readonly attempts: number; readonly failure: Failure };
}

/** A model that must answer people. */
export interface WantedDeployment {
  readonly task: string;
  readonly model: string;
  readonly specification: string;
  /** When it was put in the loop. */
  readonly since: Date;
}

/** A wanted deployment that does not exist. */
interface MissingDeployment extends Omit<WantedDeployment, 'since'> {
  readonly copy: number;
}

/** The fields of a deployment that callers of the model need. */
export interface KnownDeployment {
  readonly id: string;
  readonly state: DeploymentState;
  readonly specification: string;
  readonly address: string | null;
  readonly secret: string | null;
  readonly paused: boolean;
  readonly progress: DeploymentProgress | null;
  readonly failure: Failure | null;
}

export type ModelDeployment = KnownDeployment & { readonly model: string };

/** Seconds between two records of questions to a model that cannot answer. */
const ASKED_SECONDS = 10;

type DeploymentTables = TablesOf<typeof DeploymentSchema>;

/** The columns of a deployment that nobody serves. */
const UNSERVED = { evaluator: null, address: null, secret: null, leaseUntil: null, paused: false } as const;

/**
 * The deployments of the database. State changes are conditional updates, and methods with a fence
 * return false if the lease is lost. All times are those of the database.
 */
export class DeploymentRepository extends Repository<typeof DeploymentSchema> {
  /**
   * Leases a deployment that is due, or whose lease has expired. Copies of one model are never
   * served by the same evaluator: one of them answers while a measurement pauses the other.
   * @returns null if another process holds it, or it is not due or not needed
   */
  async claim(deploymentId: string, claim: DeploymentClaim): Promise<ClaimedDeployment | null> {
    const claimed = await this.transition('starting')
      .set((deployment) => ({
        fence: deployment('fence', '+', 1),
        evaluator: claim.owner,
        secret: claim.secret,
        address: null,
        paused: false,
        leaseUntil: leaseEnd(claim.leaseSeconds),
        progress: jsonValue(claim.progress),
      }))
      .where('id', '=', deploymentId)
      .where('dueAt', '<=', databaseTime())
      .where((deployment) => deployment.or([deployment('state', '=', 'wanted'), hasExpired(deployment)]))
      .where((deployment) =>
        deployment.not(
          deployment.exists(
            deployment
              .selectFrom('placement as other')
              .select('other.id')
              .whereRef('other.task', '=', 'placement.task')
              .whereRef('other.model', '=', 'placement.model')
              .whereRef('other.id', '<>', 'placement.id')
              .where('other.evaluator', '=', claim.owner)
              .where('other.state', 'in', LEASED_DEPLOYMENT_STATES),
          ),
        ),
      )
      .returning(['id', 'fence', 'attempts', 'specification', 'task', 'model'])
      .executeTakeFirst();
    return claimed ?? null;
  }

  extend(deployment: FencedDeployment, seconds: number): Promise<boolean> {
    return this.changes(this.held(deployment).set({ leaseUntil: leaseEnd(seconds) }));
  }

  setProgress(deployment: FencedDeployment, progress: DeploymentProgress): Promise<boolean> {
    return this.changes(this.held(deployment).set({ progress: jsonValue(progress) }));
  }

  setPaused(deployment: FencedDeployment, paused: boolean): Promise<boolean> {
    return this.changes(this.held(deployment).set({ paused }));
  }

  /** Marks a starting deployment as ready: it answers at `address`. */
  ready(deployment: FencedDeployment, address: string): Promise<boolean> {
    return this.changes(
      this.move(deployment, 'ready').set({ address, readyAt: databaseTime(), progress: null, failure: null }),
    );
  }

  requeue(deployment: FencedDeployment, { seconds, progress, failures }: Requeued): Promise<boolean> {
    return this.changes(
      this.move(deployment, 'wanted').set({
        ...UNSERVED,
        ...(failures && { attempts: failures.attempts, failure: jsonValue(failures.failure) }),
        dueAt: databaseTimeIn(seconds),
        progress: jsonValue(progress),
      }),
    );
  }

  /** Gives a leased deployment up. */
  fail(deployment: FencedDeployment, why: Failure): Promise<boolean> {
    return this.changes(
      this.move(deployment, 'failed').set({
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
      .where('state', 'in', LEASED_DEPLOYMENT_STATES)
      .where('evaluator', '=', owner)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /**
   * Stops the live deployments that are not wanted, whoever holds them.
   * @returns their IDs
   */
  async stopUnwanted(wanted: readonly WantedDeployment[]): Promise<readonly string[]> {
    const rows = await this.transition('stopped')
      .set((deployment) => ({
        ...UNSERVED,
        fence: deployment('fence', '+', 1),
        endedAt: databaseTime(),
        progress: null,
      }))
      .where(
        sql<boolean>`not exists (select 1 from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
            as w(task uuid, model uuid, specification uuid)
          where w.task = placement.task_id and w.model = placement.model_id and w.specification = placement.specification_id)`,
      )
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the deployments whose leases have expired to the queue.
   * @returns their IDs
   */
  async requeueExpired(progress: DeploymentProgress): Promise<readonly string[]> {
    const rows = await this.transition('wanted')
      .set((deployment) => ({
        ...UNSERVED,
        fence: deployment('fence', '+', 1),
        dueAt: databaseTime(),
        progress: jsonValue(progress),
      }))
      .where(hasExpired)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the wanted deployments that do not exist.
   * @param copies the number of deployments of each model
   * @param failedMinutes a deployment that was given up less long ago is not created again
   */
  missing(wanted: readonly WantedDeployment[], copies: number, failedMinutes: number): Promise<MissingDeployment[]> {
    return this.em.execute<MissingDeployment[]>(
      `select distinct w.task, w.model, w.specification, copy
         from jsonb_to_recordset(?::jsonb) as w(task uuid, model uuid, specification uuid, since timestamptz),
           generate_series(1, ?::int) copy
        where not exists (select 1 from placement p where p.task_id = w.task and p.model_id = w.model and p.copy = copy.copy
          and (p.state in ('wanted', 'starting', 'ready') or (p.state = 'failed'
            and p.ended_at > greatest(w.since, now() - make_interval(mins => ?)))))`,
      [JSON.stringify(wanted), copies, failedMinutes],
    );
  }

  /** Creates a deployment, and returns its ID. */
  async create(missing: MissingDeployment, progress: DeploymentProgress): Promise<string> {
    const id = newId();
    await this.em.execute(
      `insert into placement (id, task_id, model_id, specification_id, copy, state, progress)
        values (?, ?, ?, ?, ?, 'wanted', ?::jsonb)`,
      [id, missing.task, missing.model, missing.specification, missing.copy, JSON.stringify(progress)],
    );
    return id;
  }

  /** Records that people ask the model while it cannot answer. */
  async markAsked(deploymentId: string): Promise<void> {
    await this.db
      .updateTable('placement')
      .set({ askedAt: databaseTime() })
      .where('id', '=', deploymentId)
      .where((deployment) =>
        deployment.or([deployment('askedAt', 'is', null), deployment('askedAt', '<', databaseTimeIn(-ASKED_SECONDS))]),
      )
      .execute();
  }

  /**
   * True if the deployment waits to be claimed and people asked the model in the last `seconds`. The
   * record of a question can be older than the last question by `ASKED_SECONDS`, so these are added.
   */
  isAwaited(deploymentId: string, seconds: number): Promise<boolean> {
    return this.exists(
      this.db
        .selectFrom('placement')
        .select('id')
        .where('id', '=', deploymentId)
        .where('state', '=', 'wanted')
        .where('askedAt', '>', databaseTimeIn(-seconds - ASKED_SECONDS)),
    );
  }

  /** Returns the IDs of the deployments that are due, the oldest first. */
  due(): Promise<readonly string[]> {
    return this.idsOf(
      this.db
        .selectFrom('placement')
        .select('id')
        .where('state', '=', 'wanted')
        .where('dueAt', '<=', databaseTime())
        .orderBy('createdAt')
        .execute(),
    );
  }

  /**
   * Returns the live deployments of the given models: ready ones before paused ones, those before
   * starting and waiting ones. Last come the deployments given up, only the most recent of each
   * model.
   */
  ofModels(models: readonly string[]): Promise<ModelDeployment[]> {
    return this.em.execute<ModelDeployment[]>(
      `select id, model_id as model, state, specification_id as specification, address, secret, paused, progress, failure
         from (select p.*, row_number() over (partition by model_id, state order by ended_at desc nulls first, copy) as place
           from placement p where p.model_id = any(?::uuid[]) and (state in ('wanted', 'starting', 'failed')
             or (state = 'ready' and lease_until > now()))) p
         where state <> 'failed' or place = 1
         order by array_position(array['ready', 'starting', 'wanted', 'failed'], state::text), paused, place`,
      [uuidArray(models)],
    );
  }

  countByState(): Promise<CountedRows[]> {
    return this.db.selectFrom('placement').select(['state', countRows]).groupBy('state').execute();
  }

  /** Notifies evaluators and the API of a change, once the transaction commits. */
  notify(deploymentId: string): Promise<void> {
    return notifyChannel(this.em, DEPLOYMENT_CHANNEL, deploymentId);
  }

  /** An update of a deployment whose lease still holds. */
  private held({ deploymentId, fence }: FencedDeployment) {
    return this.db
      .updateTable('placement')
      .where('id', '=', deploymentId)
      .where('fence', '=', fence)
      .where('state', 'in', LEASED_DEPLOYMENT_STATES);
  }

  /** An update of a deployment to `state`, if its lease still holds. */
  private move({ deploymentId, fence }: FencedDeployment, state: DeploymentState) {
    return this.transition(state).where('id', '=', deploymentId).where('fence', '=', fence);
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: DeploymentState) {
    return this.db
      .updateTable('placement')
      .set('state', state)
      .where('placement.state', 'in', statesBefore<DeploymentState>(DEPLOYMENT_TRANSITIONS, state));
  }
}

const hasExpired = (deployment: ExpressionBuilder<DeploymentTables, 'placement'>) =>
  deployment.and([
    deployment('placement.state', 'in', LEASED_DEPLOYMENT_STATES),
    deployment('leaseUntil', '<', databaseTime()),
  ]);
