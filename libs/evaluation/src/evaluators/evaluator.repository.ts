import {
  EVALUATOR_ONLINE_SECONDS,
  type EvaluatorHost,
  type EvaluatorPresence,
  type EvaluatorView,
  type RemovedEvaluator,
  type ReportPresence,
} from '@assay/contracts/evaluators';
import { statesBefore } from '@assay/kernel';
import {
  type CountedRows,
  databaseTime,
  databaseTimeIn,
  jsonValue,
  preparedRows,
  Repository,
} from '@assay/persistence/queries';
import { sql } from 'kysely';
import {
  type Evaluator,
  EVALUATOR_TRANSITIONS,
  LEASE_PREFIX,
  type EvaluatorSchema,
  type EvaluatorState,
} from './evaluator.js';

/** The seconds for which the container runtimes of an evaluator count that does not report any more. */
const RUNTIME_SECONDS = 86_400;

/** The evaluator that a token belongs to. */
export interface TokenHolder extends Pick<Evaluator, 'id' | 'name' | 'state'> {
  /** The username of its owner. Null: it serves everyone's tasks. */
  readonly owner: string | null;
  readonly ownerId: string | null;
  /** True if an administrator has blocked the account of its owner. */
  readonly isOwnerBlocked: boolean;
}

/** An evaluator that has reported lately. */
export interface SeenEvaluator extends Pick<Evaluator, 'name'> {
  readonly problem: string | null;
  readonly lastSeenAt: Date;
  readonly isOnline: boolean;
}

/** The API process that has the WebSocket of an evaluator. */
export interface LiveConnection {
  /** Its internal URL. */
  readonly address: string;
  /** The secret that callers must present there. */
  readonly secret: string;
}

/** A registered evaluator in a list. */
export interface ListedEvaluator extends Omit<EvaluatorView, 'lastSeenAt' | 'createdAt' | 'running'> {
  readonly lastSeenAt: Date | null;
  readonly createdAt: Date;
}

/** SQL for the username of the owner of an evaluator. */
const OWNER = sql<string | null>`(select username from user_account where id = evaluator.owner_id)`.as('owner');

/** A removed evaluator in a list. */
export interface ListedRemoval extends Omit<RemovedEvaluator, 'removedAt' | 'lastUsedAt'> {
  readonly removedAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The seconds for which a removed evaluator is listed after its removal and after each use of its token. */
const REMOVED_LISTED_SECONDS = 86_400;
/** The seconds after which another use of the token of a removed evaluator is recorded. */
const USE_RECORDED_SECONDS = 10;

/** The registered evaluators of the database. All times are those of the database. */
export class EvaluatorRepository extends Repository<typeof EvaluatorSchema> {
  /** Returns the evaluator with this hash of its token, also if it is removed. */
  async holder(tokenHash: string): Promise<TokenHolder | null> {
    const [row] = await preparedRows<TokenHolder>(
      this.em,
      `select e.id, e.name, e.state, u.username as owner, u.id as "ownerId", u.blocked_at is not null as "isOwnerBlocked"
         from evaluator e left join user_account u on u.id = e.owner_id where e.token_hash = $1`,
      [tokenHash],
    );
    return row ?? null;
  }

  /**
   * Returns the ID of the evaluator that holds a run, if it belongs to a user. Null: an evaluator of the
   * service or a worker holds the run. An evaluator that was removed a moment ago may still hold one.
   */
  async ownHolder(runId: string): Promise<string | null> {
    const [holder] = await this.em.execute<{ id: string; isOwn: boolean }[]>(
      `select evaluator.id, evaluator.owner_id is not null as "isOwn"
         from run join evaluator on run.lease_owner = ? || evaluator.name
        where run.id = ? and run.state = 'leased'
        order by evaluator.state = 'active' desc, evaluator.created_at desc limit 1`,
      [LEASE_PREFIX, runId],
    );
    return holder?.isOwn ? holder.id : null;
  }

  /** Returns the host that an evaluator has reported. Null: it has not reported one. */
  async hostOf(id: string): Promise<EvaluatorHost | null> {
    const row = await this.db.selectFrom('evaluator').select('host').where('id', '=', id).executeTakeFirst();
    return row?.host ?? null;
  }

  /**
   * Returns the evaluators that are not removed, by name.
   * @param owner the ID of the user whose evaluators are meant; null: those of all
   */
  active(owner: string | null): Promise<ListedEvaluator[]> {
    const evaluators = this.db
      .selectFrom('evaluator')
      .select(['id', 'name', 'version', 'protocol', 'host', 'slots', 'problem', 'lastSeenAt', 'createdAt', OWNER])
      .select((evaluator) => [
        evaluator
          .case()
          .when('lastSeenAt', 'is', null)
          .then<EvaluatorPresence>('new')
          .when('lastSeenAt', '>', databaseTimeIn(-EVALUATOR_ONLINE_SECONDS))
          .then<EvaluatorPresence>('online')
          .else<EvaluatorPresence>('offline')
          .end()
          .as('state'),
      ])
      .where('state', '=', 'active')
      .orderBy('name');
    return (owner === null ? evaluators : evaluators.where('owner', '=', owner)).execute();
  }

  /**
   * Returns the evaluators that were removed within a day, or whose token was used within a day, by name.
   * @param owner as for `active`
   */
  async removed(owner: string | null): Promise<ListedRemoval[]> {
    const since = databaseTimeIn(-REMOVED_LISTED_SECONDS);
    const evaluators = this.db
      .selectFrom('evaluator')
      .select(['id', 'name', 'removedAt', 'lastSeenAt', OWNER])
      .where('state', '=', 'removed')
      .where((evaluator) => evaluator.or([evaluator('removedAt', '>', since), evaluator('lastSeenAt', '>', since)]))
      .$narrowType<{ removedAt: Date }>()
      .orderBy('name')
      .orderBy('removedAt');
    const rows = await (owner === null ? evaluators : evaluators.where('owner', '=', owner)).execute();
    return rows.map(({ lastSeenAt, ...removal }) => ({
      ...removal,
      lastUsedAt: lastSeenAt && lastSeenAt > removal.removedAt ? lastSeenAt : null,
    }));
  }

  /** Records that a process uses the token of a removed evaluator. */
  async recordUse(id: string): Promise<void> {
    await this.db
      .updateTable('evaluator')
      .set({ lastSeenAt: databaseTime() })
      .where('id', '=', id)
      .where('state', '=', 'removed')
      .where((evaluator) =>
        evaluator.or([
          evaluator('lastSeenAt', 'is', null),
          evaluator('lastSeenAt', '<=', evaluator.ref('removedAt')),
          evaluator('lastSeenAt', '<', databaseTimeIn(-USE_RECORDED_SECONDS)),
        ]),
      )
      .execute();
  }

  /** Returns the time of the database, also within a transaction that started earlier. */
  async time(): Promise<Date> {
    const milliseconds = 'extract(epoch from clock_timestamp())::float8 * 1000';
    const row = await this.row<{ now: number }>(`select ${milliseconds} as now`, []);
    return new Date(Math.ceil(row.now));
  }

  /**
   * Records the report of an evaluator.
   * @returns the time of the report; null if the evaluator is removed
   */
  async recordPresence(
    id: string,
    { protocol, version, host, slots, problem = null }: ReportPresence,
  ): Promise<Date | null> {
    const evaluator = await this.db
      .updateTable('evaluator')
      .set({ protocol, version, host: jsonValue(host), slots, problem, lastSeenAt: databaseTime() })
      .where('id', '=', id)
      .where('state', '=', 'active')
      .returning('lastSeenAt')
      .executeTakeFirst();
    return evaluator?.lastSeenAt ?? null;
  }

  /**
   * Returns the evaluators that reported in the last `seconds`, in no order.
   * @param serves everyone: only those for the tasks of everyone
   */
  seenWithin(seconds: number, serves: 'everyone' | 'anyone'): Promise<SeenEvaluator[]> {
    const seen = this.db
      .selectFrom('evaluator')
      .select(['name', 'problem', 'lastSeenAt'])
      .select(sql<boolean>`last_seen_at > now() - make_interval(secs => ${EVALUATOR_ONLINE_SECONDS})`.as('isOnline'))
      .where('state', '=', 'active')
      .where('lastSeenAt', '>', databaseTimeIn(-seconds))
      .$narrowType<{ lastSeenAt: Date }>();
    return (serves === 'everyone' ? seen.where('owner', 'is', null) : seen).execute();
  }

  /**
   * Returns whether an evaluator that may run models of a task has a container runtime, and room for the limits
   * of the task. Only evaluators that reported in the last day count.
   * @param task `owner`: the ID of its owner
   */
  async offersRuntime(
    runtime: string,
    { owner, memory, cpus }: { readonly owner: string; readonly memory: number; readonly cpus: number },
  ): Promise<boolean> {
    const row = await this.db
      .selectFrom('evaluator')
      .select('id')
      .where('state', '=', 'active')
      .where((evaluator) => evaluator.or([evaluator('owner', 'is', null), evaluator('owner', '=', owner)]))
      .where('lastSeenAt', '>', databaseTimeIn(-RUNTIME_SECONDS))
      .where(
        sql<boolean>`jsonb_exists(host -> 'runtimes', ${runtime}) and (host ->> 'memoryBytes')::numeric >= ${memory}
          and (host ->> 'cpus')::numeric >= ${cpus}`,
      )
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Returns whether the evaluator reported in the last `seconds`. */
  async hasReported(id: string, seconds: number): Promise<boolean> {
    const row = await this.db
      .selectFrom('evaluator')
      .select('id')
      .where('id', '=', id)
      .where('lastSeenAt', '>', databaseTimeIn(-seconds))
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Records that an evaluator has leased a measuring run that evaluations wait for. */
  async recordDrain(id: string, run: string): Promise<void> {
    await this.db.updateTable('evaluator').set({ drainedBy: run }).where('id', '=', id).execute();
  }

  /**
   * Returns which of the named evaluators crashed and hold nothing any more: they have not reported for
   * two lease periods, and have no valid lease. Names that were never registered are not among them.
   */
  async gone(names: readonly string[], leaseSeconds: number): Promise<string[]> {
    const rows = await this.em.execute<{ name: string }[]>(
      `select name from evaluator where name in (select jsonb_array_elements_text(?::jsonb)) group by name
        having coalesce(max(last_seen_at), '-infinity') < now() - 2 * make_interval(secs => ?)
          and not exists (select 1 from run where state = 'leased' and lease_owner = ? || name and lease_until > now())
          and not exists (select 1 from placement
            where state in ('starting', 'ready') and evaluator = ? || name and lease_until > now())`,
      [JSON.stringify(names), leaseSeconds, LEASE_PREFIX, LEASE_PREFIX],
    );
    return rows.map(({ name }) => name);
  }

  /** Counts the evaluators that are online, by whether they can run models (`able`). */
  countByAbility(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>(
      `select able, count(id) filter (where (problem is null) = (able = 'yes'))::int as count
         from unnest(array['yes', 'no']) as able
         left join evaluator on state = 'active' and last_seen_at > now() - make_interval(secs => ?) group by 1`,
      [EVALUATOR_ONLINE_SECONDS],
    );
  }

  /** Records which API process has the WebSocket of an evaluator. */
  async connect(id: string, { address, secret }: LiveConnection): Promise<void> {
    await this.db
      .updateTable('evaluator')
      .set({ liveAddress: address, liveSecret: secret })
      .where('id', '=', id)
      .execute();
  }

  /** Records that a connection has ended, unless the evaluator has connected again meanwhile. */
  async disconnect(id: string, { address, secret }: LiveConnection): Promise<void> {
    await this.db
      .updateTable('evaluator')
      .set({ liveAddress: null, liveSecret: null })
      .where('id', '=', id)
      .where('liveAddress', '=', address)
      .where('liveSecret', '=', secret)
      .execute();
  }

  /** Removes all evaluators of a user whose account is deleted, with everything that names their hosts. */
  async eraseOf(owner: string): Promise<void> {
    await this.db
      .updateTable('evaluator')
      .set({ state: 'removed', removedAt: databaseTime() })
      .where('owner', '=', owner)
      .where('state', 'in', statesBefore<EvaluatorState>(EVALUATOR_TRANSITIONS, 'removed'))
      .execute();
    await this.db
      .updateTable('evaluator')
      .set({ name: 'deleted', version: null, host: null })
      .where('owner', '=', owner)
      .execute();
  }
}
