/** Where a sandbox runs. */
export interface CoreShare {
  /** Cores on which the model may run. */
  readonly cores: readonly number[];
  /** Cores for the relay: none of those that a model has to itself, where there are others. */
  readonly others: readonly number[];
  /** Null where the model has `cores` to itself; else the cores' worth of time it may use of those it shares. */
  readonly quota: number | null;
}

/**
 * Shares of a host's cores. A model gets whole cores of its own while one remains for everything else: the p99 of a 5 ms
 * handler is 7.0 ms on a core of its own and 9.2 ms with a quota of one core.
 *
 * @param total cores of the host, numbered from 0
 * @param taken cores that other models have to themselves
 */
export function shareOfCores(total: number, cpus: number, taken: ReadonlySet<number>): CoreShare {
  const all = Array.from({ length: total }, (_, core) => core);
  const free = all.filter((core) => !taken.has(core));
  if (Number.isInteger(cpus) && free.length > cpus) {
    const cores = free.slice(-cpus);
    return { cores, others: free.slice(0, -cpus), quota: null };
  }

  return sharedCores(total, cpus, taken);
}

/** A share for what is not measured: none of the cores that others have to themselves, where there are others. */
export function sharedCores(total: number, cpus: number, taken: ReadonlySet<number>): CoreShare {
  const all = Array.from({ length: total }, (_, core) => core);
  const free = all.filter((core) => !taken.has(core));
  const shared = free.length > 0 ? free : all;
  return { cores: shared, others: shared, quota: Math.min(cpus, total) };
}
