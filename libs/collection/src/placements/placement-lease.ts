import { randomBytes } from 'node:crypto';
import type { Failure, PlacementProgress, PlacementStep } from '@assay/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { tell } from '../collection-events.js';
import { PLACEMENT_CHANNEL } from './placement.js';
import { placementProgress } from './placement-progress.js';

/** Somebody else holds the placement now, or it is needed no more: whoever held it must stop, and has changed nothing since. */
export class PlacementLost extends Error {
  constructor(placementId: string) {
    super(`the placement ${placementId} is lost`);
    this.name = 'PlacementLost';
  }
}

export interface PlacementTimes {
  /** Seconds for which a claim or a renewal holds (60). */
  readonly leaseSeconds: number;
  /** Seconds between renewals (15). */
  readonly renewSeconds: number;
}

const TIMES: PlacementTimes = { leaseSeconds: 60, renewSeconds: 15 };

/** Starts that a model may spoil in a row before it is given up. */
export const MOST_ATTEMPTS = 4;
/** Seconds of service after which earlier ends of the model count no more. */
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

/** Takes placements on behalf of one evaluator process. The time of a lease is the database's. */
export class PlacementLeases {
  private readonly times: PlacementTimes;
  private readonly held = new Map<string, PlacementLease>();

  /** @param owner names the evaluator; a restarted one has the same name, and no two that run have. */
  constructor(
    private readonly em: EntityManager,
    readonly owner: string,
    times: Partial<PlacementTimes> = {},
  ) {
    this.times = { ...TIMES, ...times };
  }

  /** Ids of the placements that this process holds. */
  get live(): ReadonlySet<string> {
    return new Set(this.held.keys());
  }

  /**
   * Takes a placement that waits, or whose lease has expired. Copies of one model never share an evaluator: one of them answers while
   * something is measured beside the other.
   * @returns null where it is somebody else's, not due yet, or needed no more
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
      // it may have been claimed anew by this process
      if (this.held.get(placementId) === lease) this.held.delete(placementId);
    });
    this.held.set(placementId, lease);
    await ringForPlacement(this.em.fork(), placementId);
    return lease;
  }

  /** Looks at once whether the lease still holds; for a ring on `PLACEMENT_CHANNEL`. */
  async check(placementId: string): Promise<void> {
    await this.held.get(placementId)?.renew();
  }

  /** Looks at all of them; for when rings may have been missed. */
  async checkAll(): Promise<void> {
    for (const lease of this.held.values()) await lease.renew();
  }

  /** Puts back what a dead predecessor of this process held. Only for the start, before the first claim. @returns how many */
  async expirePredecessors(): Promise<number> {
    const rows = await this.em.fork().execute<unknown[]>(
      `update placement set lease_until = now() - interval '1 second'
          where state in ('starting', 'ready') and evaluator = ? returning id`,
      [this.owner],
    );
    return rows.length;
  }

  /** Says of all that are held whether their answers wait for a measurement. */
  async pause(paused: boolean): Promise<void> {
    for (const lease of this.held.values()) await lease.pause(paused);
  }
}

/** The right to serve a placement, renewed until `close`. What is written under a lost lease changes nothing. */
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
    /** What callers of the served model have to show. */
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

  /** Aborted, with a `PlacementLost`, when the lease is lost. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  async progress(step: PlacementStep): Promise<PlacementProgress> {
    const progress = placementProgress(step, new Date());
    await this.write(`progress = ?::jsonb`, [JSON.stringify(progress)]);
    return progress;
  }

  /** It answers at `address` from now on. */
  ready(address: string): Promise<void> {
    return this.write(`state = 'ready', address = ?, ready_at = now(), progress = null, failure = null`, [address]);
  }

  async pause(paused: boolean): Promise<void> {
    if (this.paused === paused) return;
    this.paused = paused;
    await this.write(`paused = ?`, [paused]).catch(ignoreLoss);
  }

  /** Puts it back as it was, for another evaluator to take at once. */
  giveBack(): Promise<void> {
    return this.putBack(0, placementProgress('evaluator', new Date()), `failure = failure`, []);
  }

  /** The platform failed to serve it, not the model: it is tried again, for as long as it takes. @returns seconds until then */
  async postpone(message: string, seconds: number): Promise<number> {
    const wait = Math.min(seconds, LONGEST_WAIT_SECONDS);
    const text = `Its host can't serve the model now, and tries again: ${message}`;
    await this.putBack(wait, placementProgress('evaluator', new Date(), text), `failure = failure`, []);
    return wait;
  }

  /**
   * The model ended, or did not start: it is started again after 0, 1, 4 … seconds.
   * @returns seconds until then; null where it has spoilt too many, and is to be given up
   */
  async again(why: Failure, servedSeconds: number): Promise<number | null> {
    const attempts = (servedSeconds >= STEADY_SECONDS ? 0 : this.attempts) + 1;
    if (attempts >= MOST_ATTEMPTS) return null;
    const wait = Math.min((attempts - 1) ** 2, LONGEST_WAIT_SECONDS);
    const progress = placementProgress('again', new Date());
    await this.putBack(wait, progress, `attempts = ?, failure = ?::jsonb`, [attempts, JSON.stringify(why)]);
    return wait;
  }

  /** Gives the model up, and tells it: another may take its place in the loop. */
  fail(why: Failure): Promise<void> {
    const change = `state = 'failed', failure = ?::jsonb, ended_at = now(), progress = null, ${GONE}`;
    return this.write(change, [JSON.stringify(why)], 'placement.failed');
  }

  /** Extends the lease, or finds that it is lost. A database that is away is tried again until the lease must have expired. */
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
        if (event) tell(em, event, { placementId: this.placementId });
        await ringForPlacement(em, this.placementId);
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

/** What a placement has no more once nobody serves it. */
const GONE = `evaluator = null, address = null, secret = null, lease_until = null, paused = false`;

const ignoreLoss = (error: unknown): void => {
  if (!(error instanceof PlacementLost)) throw error;
};

/** Tells evaluators and the API that the placement has changed, once the transaction of `em` commits. */
export async function ringForPlacement(em: EntityManager, placementId: string): Promise<void> {
  await em.execute('select pg_notify(?, ?)', [PLACEMENT_CHANNEL, placementId]);
}
