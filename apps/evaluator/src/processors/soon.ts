/** What a dead evaluator had begun is begun again soon, where to do it twice harms nothing, and people wait for it. Milliseconds. */
export const SOON = { lockDuration: 10_000, stalledInterval: 5_000 } as const;
