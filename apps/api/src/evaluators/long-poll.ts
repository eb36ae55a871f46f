/** Milliseconds after which a waiting request looks again without a notification. */
const LOOK_MILLISECONDS = 2000;

export interface LongPoll<T> {
  readonly waitSeconds: number;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Resolves when there may be something, or after some milliseconds. */
  readonly more: (milliseconds: number) => Promise<unknown>;
  /** Returns null if there is nothing. */
  readonly look: () => Promise<T | null>;
}

/** Looks for something until it is there, the time is over, or nobody waits any more. */
export async function longPoll<T>({ waitSeconds, signal, more, look }: LongPoll<T>): Promise<T | null> {
  const until = performance.now() + waitSeconds * 1000;
  for (;;) {
    const left = until - performance.now();
    // subscribed before the look, so that no notification is missed between them
    const next = more(Math.min(Math.max(0, left), LOOK_MILLISECONDS));
    const found = await look();
    if (found !== null || left <= 0 || signal.aborted) return found;
    await next;
  }
}
