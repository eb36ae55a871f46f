import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakTally } from './watch.js';

/** An operation that is repeated throughout a soak and checks its result each time. */
export interface SoakOperation {
  /** The name in the summary. */
  readonly kind: string;
  /** The number of people who do it concurrently. */
  readonly people: number;
  /** Milliseconds between two operations of one person. */
  readonly pace: number;
  /** @throws Error if the result is not as expected. */
  readonly act: (person: number) => Promise<unknown>;
}

/**
 * Repeats all operations until the signal.
 * @returns When all operations in progress are finished.
 */
export async function keepDoing(
  operations: readonly SoakOperation[],
  tally: SoakTally,
  signal: AbortSignal,
): Promise<void> {
  const busy = operations.flatMap((operation) =>
    Array.from({ length: operation.people }, (_, person) => keepAt(operation, person, tally, signal)),
  );
  await Promise.all(busy);
}

/** Starts the operation whenever it is due. One that takes longer than its pace delays the next. */
async function keepAt(
  { kind, people, pace, act }: SoakOperation,
  person: number,
  tally: SoakTally,
  signal: AbortSignal,
): Promise<void> {
  const first = performance.now() + (pace * person) / people;
  for (let due = first; !signal.aborted; due = Math.max(due + pace, performance.now())) {
    await sleep(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await tally.of(kind, () => act(person));
  }
}

/** Milliseconds between two attempts. */
const LOOK = 200;

/**
 * Repeats `look` until it finds something.
 * @throws Whatever `look` throws, and an Error if nothing is found within `milliseconds`.
 */
export async function found<T>(
  what: string,
  milliseconds: number,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (const deadline = performance.now() + milliseconds; performance.now() < deadline;) {
    const result = await look();
    if (result !== undefined) return result;
    await sleep(LOOK);
  }
  throw new Error(`${what}: not within ${milliseconds / 1000} s`);
}
