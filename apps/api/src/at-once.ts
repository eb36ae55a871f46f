import { RefusedForNow } from '@assay/kernel';

/** Seconds after which who was refused may try again. */
const TRY_AGAIN = 5;

export interface Bounds {
  /** Of one caller. */
  readonly each: number;
  /** What is bounded: `uploads into rounds`. */
  readonly what: string;
}

/** Bounds how much of one kind is under way at once. Of each process by itself. */
export class AtOnce {
  private readonly callers = new Map<string, number>();

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

  private begin(caller: string): void {
    const { each, what } = this.bounds;
    const own = this.callers.get(caller) ?? 0;
    if (own >= each) throw refusal(`You have ${own} ${what} under way, and there may be ${each} at once`);
    this.callers.set(caller, own + 1);
  }

  private end(caller: string): void {
    const own = this.callers.get(caller)! - 1;
    if (own > 0) this.callers.set(caller, own);
    else this.callers.delete(caller);
  }
}

const refusal = (text: string): RefusedForNow =>
  new RefusedForNow('too_many_at_once', `${text}: try again when one has ended.`, TRY_AGAIN);
