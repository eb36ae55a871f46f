import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakTally } from './watch.js';

/** What is done again and again throughout a soak, each time with a look at what came of it. */
export interface SoakOperation {
  /** As the summary calls it. */
  readonly kind: string;
  /** How many do so beside each other. */
  readonly people: number;
  /** Milliseconds between two of one of them. */
  readonly pace: number;
  /** @throws where it does not come to what it should */
  readonly act: (person: number) => Promise<unknown>;
}

/** All of them until the signal. @returns once all that was begun is over */
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

/** Begins one whenever it is due; one that takes longer than its pace puts off the next. */
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

/** Milliseconds between two looks. */
const LOOK = 200;

/** Once `look` finds something. @throws what `look` does, and where nothing is found in so many milliseconds */
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
