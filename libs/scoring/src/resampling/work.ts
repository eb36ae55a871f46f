/** Long work in steps. Its driver decides what happens between two steps. */
export type Work<T> = Generator<void, T, void>;

/** Runs the work to its end without a pause. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs the work step by step. Awaits `turn` after each step, for example `setImmediate` of
 * `node:timers/promises`, so that other work can run.
 */
export async function inTurns<T>(work: Work<T>, turn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await turn();
  }
}
