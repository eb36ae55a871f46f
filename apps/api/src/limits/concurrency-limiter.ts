import type { Principal } from '@assay/identity';
import { RefusedForNow } from '@assay/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetworkOf } from './request-limits.js';

/** The number of seconds after which a rejected caller may try again. */
const TRY_AGAIN = 5;

export interface Bounds {
  /** The limit per caller. */
  readonly each: number;
  /** The limit of all callers together. Default: no limit. */
  readonly all?: number;
  /** A plural noun for what is limited, for example `exports`. Used in error messages. */
  readonly what: string;
}

/** Limits the number of concurrent operations of one kind, per process. */
export class ConcurrencyLimiter {
  private readonly callers = new Map<string, number>();
  private all = 0;

  constructor(private readonly bounds: Bounds) {}

  /**
   * Runs `work`.
   * @throws RefusedForNow `too_many_at_once` if a limit is reached
   */
  async during<T>(caller: string, work: () => Promise<T>): Promise<T> {
    this.begin(caller);
    try {
      return await work();
    } finally {
      this.end(caller);
    }
  }

  /**
   * Like `during`, but the operation lasts until the response is sent or the client disconnects.
   */
  async untilAnswered<T>(caller: string, { raw }: FastifyReply, work: () => Promise<T>): Promise<T> {
    this.begin(caller);
    try {
      return await work();
    } finally {
      if (raw.closed) this.end(caller);
      else raw.once('close', () => this.end(caller));
    }
  }

  private begin(caller: string): void {
    const { each, all = Infinity, what } = this.bounds;
    const own = this.callers.get(caller) ?? 0;
    if (own >= each) throw refusal(`You have ${own} ${what} in progress; the limit is ${each}`);
    if (this.all >= all) throw refusal(`The service has ${this.all} ${what} in progress; the limit is ${all}`);
    this.callers.set(caller, own + 1);
    this.all += 1;
  }

  private end(caller: string): void {
    const own = this.callers.get(caller)! - 1;
    if (own > 0) this.callers.set(caller, own);
    else this.callers.delete(caller);
    this.all -= 1;
  }
}

/**
 * Returns the key by which a caller is counted: the user ID, or the client network of callers who
 * are not signed in.
 */
export const callerOf = (principal: Principal | null, { ip }: FastifyRequest): string =>
  principal?.userId ?? clientNetworkOf(ip);

const refusal = (text: string): RefusedForNow =>
  new RefusedForNow('too_many_at_once', `${text}. Try again when one has ended.`, TRY_AGAIN);
