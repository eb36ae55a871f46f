/** Where a sandbox runs. */
export interface CoreShare {
  /** Cores on which the model may run. */
  readonly cores: readonly number[];
  /** Cores for the relay: none of those that a model has to itself, where there are others. */
  readonly others: readonly number[];
  /** Whether the model has `cores` to itself. */
  readonly own: boolean;
  /** Null where `cores` are all that it may use; else the cores' worth of time, of those that it shares. */
  readonly quota: number | null;
}

/** Of the cores of a host, numbered from 0, those of other models. */
export interface CoresInUse {
  readonly total: number;
  /** What models have to themselves. */
  readonly taken: ReadonlySet<number>;
  /** Where models run that share. */
  readonly shared: ReadonlySet<number>;
  /** From 0 to below 1: which cores it is must tell a model nothing. */
  readonly random: () => number;
}

/**
 * Shares of a host's cores. A model gets whole cores of its own while one remains for everything else: the p99 of a 5 ms
 * handler is 7.0 ms on a core of its own and 9.2 ms with a quota of one core.
 */
export function shareOfCores(cpus: number, use: CoresInUse): CoreShare {
  const free = freeCores(use);
  if (!Number.isInteger(cpus) || free.length <= cpus) return sharedCores(cpus, use);

  const quiet = free.filter((core) => !use.shared.has(core));
  const cores = someOf(quiet.length >= cpus ? quiet : free, cpus, use.random);
  return { cores, others: free.filter((core) => !cores.includes(core)), own: true, quota: null };
}

/**
 * A share for what is not measured: none of the cores that others have to themselves, where there are others. As many as it would have to
 * itself, and without a quota, as then: by what it finds a model must not tell whether it is being evaluated.
 */
export function sharedCores(cpus: number, use: CoresInUse): CoreShare {
  const free = freeCores(use);
  const open = free.length > 0 ? free : allCores(use);
  if (Number.isInteger(cpus) && use.total > cpus) {
    const cores = someOf(open.length >= cpus ? open : allCores(use), cpus, use.random);
    return { cores, others: open, own: false, quota: null };
  }
  return { cores: open, others: open, own: false, quota: Math.min(cpus, use.total) };
}

const allCores = ({ total }: CoresInUse): number[] => Array.from({ length: total }, (_, core) => core);

const freeCores = (use: CoresInUse): number[] => allCores(use).filter((core) => !use.taken.has(core));

/** Neighbours, as far as there are: they share caches. */
function someOf(cores: readonly number[], count: number, random: () => number): number[] {
  const start = Math.floor(random() * (cores.length - count + 1));
  return cores.slice(start, start + count);
}
