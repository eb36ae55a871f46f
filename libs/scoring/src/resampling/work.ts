/** Long work in steps: whoever drives it decides what happens between two of them. */
export type Work<T> = Generator<void, T, void>;

/** Does all of it without a pause. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Does it step by step; after each step others have their `turn`, e.g. `setImmediate` of `node:timers/promises`. */
export async function inTurns<T>(work: Work<T>, turn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await turn();
  }
}
