import { EVALUATOR_ONLINE_SECONDS, MEASURING_PROTOCOL } from '@assay/contracts/evaluators';
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
import { LEASE_PREFIX } from '@assay/evaluation/evaluators';
import { runnableCondition, type RunnableOn } from '@assay/evaluation/runs';
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
  readonly leaseSeconds: number;
  readonly progress: DeploymentProgress;
}

export type ClaimedDeployment = Pick<Deployment, 'id' | 'fence' | 'attempts'> &
  Readonly<Record<'specification' | 'task', string>>;

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

/** A registered evaluator that waits for questions on a WebSocket. */
export interface ConnectedEvaluator {
  readonly id: string;
  /** The internal URL of the API process that has the WebSocket, for example `http://10.0.0.7:40123`. */
  readonly address: string;
  /** The secret that callers must present there. New with every connection. */
  readonly secret: string;
}

/** The fields of a deployment that callers of the model need. */
export interface KnownDeployment {
  readonly id: string;
  readonly state: DeploymentState;
  readonly specification: string;
  /** The evaluator that serves it, if it is connected. */
  readonly evaluator: ConnectedEvaluator | null;
  readonly paused: boolean;
  readonly progress: DeploymentProgress | null;
  readonly failure: Failure | null;
}

export type ModelDeployment = KnownDeployment & { readonly model: string };

/** Seconds between two records of questions to a model that cannot answer. */
const ASKED_SECONDS = 10;

type DeploymentTables = TablesOf<typeof DeploymentSchema>;

/** The columns of a deployment that nobody serves. */
const UNSERVED = { evaluator: null, leaseUntil: null, paused: false } as const;

const CLAIMED = ['id', 'fence', 'attempts', 'specification', 'task'] as const;

/**
 * The deployments of the database. State changes are conditional updates, and methods with a fence
 * return false if the lease is lost. All times are those of the database.
 */
export class DeploymentRepository extends Repository<typeof DeploymentSchema> {
  /**
   * Leases a deployment that is due, or whose lease has expired, as `next` says.
   * @returns null if another process holds it, or it is not due or not needed
   */
  async claim(deploymentId: string, claim: DeploymentClaim): Promise<ClaimedDeployment | null> {
    const claimed = await this.transition('starting')
      .set((deployment) => ({
        fence: deployment('fence', '+', 1),
        evaluator: claim.owner,
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
      .returning(CLAIMED)
      .executeTakeFirst();
    return claimed ?? null;
  }

  extend(deployment: FencedDeployment, seconds: number): Promise<boolean> {
    return this.changes(this.held(deployment).set({ leaseUntil: leaseEnd(seconds) }));
  }

  /**
   * Stores the step of a deployment that starts.
   * @returns false if it is the stored one, or the deployment does not start
   */
  setProgress(deployment: FencedDeployment, progress: DeploymentProgress): Promise<boolean> {
    return this.changes(
      this.held(deployment)
        .set({ progress: jsonValue(progress) })
        .where('state', '=', 'starting')
        .where(sql<boolean>`progress ->> 'step' is distinct from ${progress.step}`),
    );
  }

  /**
   * Stores that a deployment answers, or that its answers wait for a measurement.
   * @returns false if that is stored already
   */
  setReady(deployment: FencedDeployment, paused: boolean): Promise<boolean> {
    return this.changes(
      this.held(deployment)
        .set((ready) => ({
          state: 'ready',
          paused,
          readyAt: ready.fn.coalesce('readyAt', databaseTime()),
          progress: null,
          failure: null,
        }))
        .where((ready) => ready.or([ready('state', '=', 'starting'), ready('paused', '<>', paused)])),
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
   * Returns the ID of the deployment that an evaluator should lease next: the oldest one that is due and
   * that it can run. Null if there is none. Copies of one model are never served by the same evaluator,
   * so that one of them answers if the host of the other fails.
   * @param evaluator its name in leases
   */
  async next(evaluator: string, on: RunnableOn): Promise<string | null> {
    const runnable = runnableCondition(on);
    const [row] = await this.em.execute<{ id: string }[]>(
      `select placement.id from placement
         join run_specification as specification on specification.id = placement.specification_id
         join task on task.id = placement.task_id
        where (placement.state = 'wanted' or (placement.state in ('starting', 'ready') and placement.lease_until < now()))
          and placement.due_at <= now()
          and not exists (select 1 from placement other
            where other.task_id = placement.task_id and other.model_id = placement.model_id and other.id <> placement.id
              and other.evaluator = ? and other.state in ('starting', 'ready'))
          and ${runnable.text}
        order by placement.created_at, placement.id
        limit 1`,
      [evaluator, ...runnable.values],
    );
    return row?.id ?? null;
  }

  /**
   * Returns whether measurements are left to other evaluators: this one serves target models, and one
   * that measures models of everyone is online and serves none.
   * @param evaluator its name in leases
   */
  async leavesMeasurements(evaluator: string): Promise<boolean> {
    const serves = (name: string) =>
      `exists (select 1 from placement where placement.evaluator = ${name} and placement.state in ('starting', 'ready'))`;
    const [row] = await this.em.execute<{ leaves: boolean }[]>(
      `select ${serves('?')} and exists (
         select 1 from evaluator
          where evaluator.state = 'active' and evaluator.owner_id is null and evaluator.problem is null
            and evaluator.protocol >= ? and evaluator.last_seen_at > now() - make_interval(secs => ?)
            and not ${serves('? || evaluator.name')}) as leaves`,
      [evaluator, MEASURING_PROTOCOL, EVALUATOR_ONLINE_SECONDS, LEASE_PREFIX],
    );
    return row!.leaves;
  }

  /** Returns a leased deployment. Null if the evaluator `owner` does not hold it with this fence. */
  async leased({ deploymentId, fence }: FencedDeployment, owner: string): Promise<ClaimedDeployment | null> {
    const deployment = await this.db
      .selectFrom('placement')
      .select(CLAIMED)
      .where('id', '=', deploymentId)
      .where('fence', '=', fence)
      .where('state', 'in', LEASED_DEPLOYMENT_STATES)
      .where('evaluator', '=', owner)
      .executeTakeFirst();
    return deployment ?? null;
  }

  /** Returns the seconds since people asked the model while it could not answer. Null: nobody did. */
  async askedSeconds(deploymentId: string): Promise<number | null> {
    const [row] = await this.em.execute<{ seconds: number | null }[]>(
      'select extract(epoch from now() - asked_at)::float8 as seconds from placement where id = ?',
      [deploymentId],
    );
    return row?.seconds ?? null;
  }

  /**
   * Returns the live deployments of the given models: ready ones before paused ones, those before
   * starting and waiting ones. Last come the deployments given up, only the most recent of each
   * model.
   */
  ofModels(models: readonly string[]): Promise<ModelDeployment[]> {
    return this.em.execute<ModelDeployment[]>(
      `select p.id, p.model_id as model, p.state, p.specification_id as specification, p.paused, p.progress, p.failure,
           case when e.live_address is not null
             then jsonb_build_object('id', e.id, 'address', e.live_address, 'secret', e.live_secret) end as evaluator
         from (select p.*, row_number() over (partition by model_id, state order by ended_at desc nulls first, copy) as place
           from placement p where p.model_id = any(?::uuid[]) and (state in ('wanted', 'starting', 'failed')
             or (state = 'ready' and lease_until > now()))) p
         left join evaluator e on e.state = 'active' and '${LEASE_PREFIX}' || e.name = p.evaluator
         where p.state <> 'failed' or p.place = 1
         order by array_position(array['ready', 'starting', 'wanted', 'failed'], p.state::text), p.paused, p.place`,
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
