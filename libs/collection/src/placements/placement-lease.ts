import { randomBytes } from 'node:crypto';
import type { Failure, PlacementProgress, PlacementStep } from '@assay/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { emit } from '../collection-events.js';
import { PLACEMENT_CHANNEL } from './placement.js';
import { placementProgress } from './placement-progress.js';

/**
 * Thrown when a lease is lost: another process holds the deployment, or it is not needed any more.
 * The former holder must stop; its writes change nothing.
 */
export class PlacementLost extends Error {
  constructor(placementId: string) {
    super(`the placement ${placementId} is lost`);
    this.name = 'PlacementLost';
  }
}

export interface PlacementTimes {
  /** Seconds for which a claim or a renewal is valid (60). */
  readonly leaseSeconds: number;
  /** Seconds between renewals (15). */
  readonly renewSeconds: number;
}

const TIMES: PlacementTimes = { leaseSeconds: 60, renewSeconds: 15 };

/** The number of consecutive failures of a model at which its deployment is given up. */
export const MOST_ATTEMPTS = 4;
/** Seconds of service after which earlier failures of the model no longer count. */
const STEADY_SECONDS = 600;
const LONGEST_WAIT_SECONDS = 60;

interface ClaimedPlacement {
  readonly id: string;
  readonly fence: number;
  readonly attempts: number;
  readonly specification_id: string;
  readonly task_id: string;
  readonly model_id: string;
  readonly due_in: number;
}

/** Leases deployments on behalf of one evaluator process. Lease times are times of the database. */
export class PlacementLeases {
  private readonly times: PlacementTimes;
  private readonly held = new Map<string, PlacementLease>();

  /**
   * @param owner the name of the evaluator: the same after a restart, and unique among running
   *   evaluators
   */
  constructor(
    private readonly em: EntityManager,
    readonly owner: string,
    times: Partial<PlacementTimes> = {},
  ) {
    this.times = { ...TIMES, ...times };
  }

  /** The IDs of the deployments that this process holds. */
  get live(): ReadonlySet<string> {
    return new Set(this.held.keys());
  }

  /**
   * Leases a deployment that waits, or whose lease has expired. Copies of one model are never
   * served by the same evaluator: one of them answers while a measurement pauses the other.
   * @returns null if another process holds it, or it is not due or not needed
   */
  async claim(placementId: string): Promise<PlacementLease | null> {
    const secret = randomBytes(32).toString('hex');
    const progress = placementProgress('image', new Date());
    const [claimed] = await this.em.fork().execute<ClaimedPlacement[]>(
      `update placement set fence = fence + 1, state = 'starting', evaluator = ?, secret = ?, address = null, paused = false,
         lease_until = now() + make_interval(secs => ?), progress = ?::jsonb
        where id = ? and due_at <= now() and (state = 'wanted' or (state in ('starting', 'ready') and lease_until < now()))
          and not exists (select 1 from placement o where o.task_id = placement.task_id and o.model_id = placement.model_id
            and o.id <> placement.id and o.evaluator = ? and o.state in ('starting', 'ready'))
        returning id, fence, attempts, specification_id, task_id, model_id`,
      [this.owner, secret, this.times.leaseSeconds, JSON.stringify(progress), placementId, this.owner],
    );
    if (!claimed) return null;

    const lease: PlacementLease = new PlacementLease(this.em, claimed, secret, this.times, () => {
      // this process may have claimed it again meanwhile
      if (this.held.get(placementId) === lease) this.held.delete(placementId);
    });
    this.held.set(placementId, lease);
    await notifyPlacement(this.em.fork(), placementId);
    return lease;
  }

  /**
   * Renews the lease now, to find out whether it still holds. For a notification on
   * `PLACEMENT_CHANNEL`.
   */
  async check(placementId: string): Promise<void> {
    await this.held.get(placementId)?.renew();
  }

  /** Renews all leases. For when notifications may have been missed. */
  async checkAll(): Promise<void> {
    for (const lease of this.held.values()) await lease.renew();
  }

  /**
   * Expires the leases of an earlier process with the same name. Only at the start, before the
   * first claim.
   * @returns the number of leases
   */
  async expirePredecessors(): Promise<number> {
    const rows = await this.em.fork().execute<unknown[]>(
      `update placement set lease_until = now() - interval '1 second'
          where state in ('starting', 'ready') and evaluator = ? returning id`,
      [this.owner],
    );
    return rows.length;
  }

  /** Stores for all held deployments whether their answers wait for a measurement. */
  async pause(paused: boolean): Promise<void> {
    for (const lease of this.held.values()) await lease.pause(paused);
  }
}

/**
 * The right to serve a deployment, renewed until `close`. Writes under a lost lease change nothing.
 */
export class PlacementLease {
  readonly placementId: string;
  readonly fence: number;
  readonly attempts: number;
  readonly specification: string;
  readonly task: string;
  readonly model: string;
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
  private renewing: Promise<void> | null = null;
  private paused = false;

  constructor(
    private readonly em: EntityManager,
    placement: ClaimedPlacement,
    /** The secret that callers of the served model must present. */
    readonly secret: string,
    private readonly times: PlacementTimes,
    private readonly onClose: () => void,
  ) {
    this.placementId = placement.id;
    this.fence = placement.fence;
    this.attempts = placement.attempts;
    this.specification = placement.specification_id;
    this.task = placement.task_id;
    this.model = placement.model_id;
    this.timer = setInterval(() => void this.renew(), times.renewSeconds * 1000);
    this.timer.unref();
  }

  /** Aborted with a `PlacementLost` when the lease is lost. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  async progress(step: PlacementStep): Promise<PlacementProgress> {
    const progress = placementProgress(step, new Date());
    await this.write(`progress = ?::jsonb`, [JSON.stringify(progress)]);
    return progress;
  }

  /**
   * Marks the deployment as ready: it answers at `address` from now on.
   * @throws PlacementLost
   */
  ready(address: string): Promise<void> {
    return this.write(`state = 'ready', address = ?, ready_at = now(), progress = null, failure = null`, [address]);
  }

  async pause(paused: boolean): Promise<void> {
    if (this.paused === paused) return;
    this.paused = paused;
    await this.write(`paused = ?`, [paused]).catch(ignoreLoss);
  }

  /**
   * Releases the deployment unchanged, so that another evaluator can lease it at once.
   * @throws PlacementLost
   */
  giveBack(): Promise<void> {
    return this.putBack(0, placementProgress('evaluator', new Date()), `failure = failure`, []);
  }

  /**
   * Requeues the deployment after a failure of the platform, not of the model. There is no limit of
   * attempts.
   * @returns seconds until it is due
   * @throws PlacementLost
   */
  async postpone(message: string, seconds: number): Promise<number> {
    const wait = Math.min(seconds, LONGEST_WAIT_SECONDS);
    const text = `Its host can't serve the model now, and tries again: ${message}`;
    await this.putBack(wait, placementProgress('evaluator', new Date(), text), `failure = failure`, []);
    return wait;
  }

  /**
   * Requeues the deployment after the model exited or failed to start. Consecutive failures delay
   * it by 0, 1 and 4 seconds.
   * @returns seconds until it is due; null if there were `MOST_ATTEMPTS` failures and the caller
   *   must give it up
   * @throws PlacementLost
   */
  async again(why: Failure, servedSeconds: number): Promise<number | null> {
    const attempts = (servedSeconds >= STEADY_SECONDS ? 0 : this.attempts) + 1;
    if (attempts >= MOST_ATTEMPTS) return null;
    const wait = Math.min((attempts - 1) ** 2, LONGEST_WAIT_SECONDS);
    const progress = placementProgress('again', new Date());
    await this.putBack(wait, progress, `attempts = ?, failure = ?::jsonb`, [attempts, JSON.stringify(why)]);
    return wait;
  }

  /**
   * Gives the deployment up and emits `placement.failed`, so that another model can replace the
   * model in the loop.
   * @throws PlacementLost
   */
  fail(why: Failure): Promise<void> {
    const change = `state = 'failed', failure = ?::jsonb, ended_at = now(), progress = null, ${GONE}`;
    return this.write(change, [JSON.stringify(why)], 'placement.failed');
  }

  /**
   * Extends the lease, or detects that it is lost. If the database is unavailable, later renewals
   * retry until the lease must have expired.
   */
  renew(): Promise<void> {
    this.renewing ??= this.tryToRenew().finally(() => (this.renewing = null));
    return this.renewing;
  }

  close(): void {
    clearInterval(this.timer);
    this.onClose();
  }

  private putBack(
    seconds: number,
    progress: PlacementProgress,
    change: string,
    values: readonly unknown[],
  ): Promise<void> {
    return this.write(
      `${change}, state = 'wanted', due_at = now() + make_interval(secs => ?), progress = ?::jsonb, ${GONE}`,
      [...values, seconds, JSON.stringify(progress)],
      'placement.wanted',
    );
  }

  /** @throws PlacementLost */
  private async write(
    change: string,
    values: readonly unknown[],
    event?: 'placement.wanted' | 'placement.failed',
  ): Promise<void> {
    try {
      await this.em.fork().transactional(async (em) => {
        const rows = await em.execute<unknown[]>(
          `update placement set ${change} where id = ? and fence = ? and state in ('starting', 'ready') returning id`,
          [...values, this.placementId, this.fence],
        );
        if (rows.length === 0) throw new PlacementLost(this.placementId);
        if (event) emit(em, event, { placementId: this.placementId });
        await notifyPlacement(em, this.placementId);
      });
    } catch (error) {
      if (error instanceof PlacementLost) this.lose(error);
      throw error;
    }
  }

  private async tryToRenew(): Promise<void> {
    const before = performance.now();
    try {
      const rows = await this.em.fork().execute<unknown[]>(
        `update placement set lease_until = now() + make_interval(secs => ?)
          where id = ? and fence = ? and state in ('starting', 'ready') returning id`,
        [this.times.leaseSeconds, this.placementId, this.fence],
      );
      if (rows.length > 0) this.renewedAt = before;
      else this.lose(new PlacementLost(this.placementId));
    } catch {
      const late = performance.now() - this.renewedAt > this.times.leaseSeconds * 1000;
      if (late) this.lose(new PlacementLost(this.placementId));
    }
  }

  private lose(reason: PlacementLost): void {
    clearInterval(this.timer);
    this.lost.abort(reason);
  }
}

/** SQL that clears the columns of a deployment that nobody serves any more. */
const GONE = `evaluator = null, address = null, secret = null, lease_until = null, paused = false`;

const ignoreLoss = (error: unknown): void => {
  if (!(error instanceof PlacementLost)) throw error;
};

/**
 * Notifies evaluators and the API of a change of the deployment, once the transaction of `em`
 * commits.
 */
export async function notifyPlacement(em: EntityManager, placementId: string): Promise<void> {
  await em.execute('select pg_notify(?, ?)', [PLACEMENT_CHANNEL, placementId]);
}
