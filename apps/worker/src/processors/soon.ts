/**
 * Lock settings, in milliseconds, for idempotent jobs that people wait for: the jobs of a crashed
 * evaluator are started again soon.
 */
export const SOON = { lockDuration: 10_000, stalledInterval: 5_000 } as const;
