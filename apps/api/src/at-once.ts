import { RefusedForNow } from '@assay/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '@assay/identity';
import { householdOf } from './household.js';

/** Seconds after which who was refused may try again. */
const TRY_AGAIN = 5;

export interface Bounds {
  /** Of one caller. */
  readonly each: number;
  /** Of all callers together; default: no bound. */
  readonly all?: number;
  /** What is bounded: `exports`. */
  readonly what: string;
}

/** Bounds how much of one kind is under way at once. Of each process by itself. */
export class AtOnce {
  private readonly callers = new Map<string, number>();
  private all = 0;

  constructor(private readonly bounds: Bounds) {}

  /** Does `work`, unless as much as may be is under way. @throws RefusedForNow `too_many_at_once` */
  async during<T>(caller: string, work: () => Promise<T>): Promise<T> {
    this.begin(caller);
    try {
      return await work();
    } finally {
      this.end(caller);
    }
  }

  /** The same, where what is under way ends once the answer has been sent, or nobody is there to take it. */
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
    if (own >= each) throw refusal(`You have ${own} ${what} under way, and there may be ${each} at once`);
    if (this.all >= all) throw refusal(`There are ${all} ${what} under way, as many as there may be`);
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

/** Who is counted as one: a user, or all that come from one household without having signed in. */
export const callerOf = (principal: Principal | null, { ip }: FastifyRequest): string =>
  principal?.userId ?? householdOf(ip);

const refusal = (text: string): RefusedForNow =>
  new RefusedForNow('too_many_at_once', `${text}: try again when one has ended.`, TRY_AGAIN);
