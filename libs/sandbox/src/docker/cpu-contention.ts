import { coreSeconds, hostCpuWaitSeconds, kernelFolders, type Cgroup, type KernelFolders } from './cgroup.js';

interface Snapshot {
  /** Seconds of a monotonic clock. */
  readonly at: number;
  readonly waited: number | null;
  readonly used: number | null;
  readonly busy: number;
  readonly stolen: number;
  readonly periods: number;
  readonly throttled: number;
}

/** The shares of the time above which a figure is not trusted. */
const limits = { waiting: 0.1, foreign: 0.05, stolen: 0.02, throttled: 0.05 } as const;

/** Detects whether something else used a model's share of the CPU between two calls. */
export class CpuContention {
  /**
   * True if the cgroup itself reports CPU pressure. Fixed, because the figures of a cgroup that is
   * gone must not be continued with those of the host.
   */
  private readonly ownPressure: boolean;
  private last: Snapshot;

  /** @param cores the cores that the model has exclusively, or null if it shares */
  constructor(
    private readonly cgroup: Cgroup | null,
    private readonly cores: readonly number[] | null,
    private readonly folders: KernelFolders = kernelFolders,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.ownPressure = (cgroup?.cpuWaitSeconds() ?? null) !== null;
    this.last = this.snapshot();
  }

  sinceLast(): boolean {
    const before = this.last;
    const after = (this.last = this.snapshot());
    const seconds = after.at - before.at;
    if (seconds <= 0) return false;

    const share = (from: number | null, to: number | null, of: number) =>
      from === null || to === null ? null : (to - from) / of;
    const width = this.cores?.length ?? 0;
    const used = share(before.used, after.used, seconds);
    const busy = share(before.busy, after.busy, seconds);
    const waiting = share(before.waited, after.waited, seconds) ?? 0;
    // without another process on these cores, the waiting is the model's own threads queueing for
    // them
    const foreign = width === 0 || used === null || busy === null ? 1 : (busy - used) / width;
    const throttled = (after.throttled - before.throttled) / Math.max(1, after.periods - before.periods);
    const stolen = width === 0 ? 0 : (after.stolen - before.stolen) / seconds / width;
    return (
      (waiting > limits.waiting && foreign > limits.foreign) || throttled > limits.throttled || stolen > limits.stolen
    );
  }

  private snapshot(): Snapshot {
    const cores = coreSeconds(this.folders);
    const own = (this.cores ?? []).map((core) => cores.get(core));
    const throttling = this.cgroup?.throttling();
    return {
      at: this.now(),
      waited: this.ownPressure ? (this.cgroup?.cpuWaitSeconds() ?? null) : hostCpuWaitSeconds(this.folders),
      used: this.cgroup?.cpuSeconds() ?? null,
      busy: own.reduce((sum, core) => sum + (core?.busy ?? 0), 0),
      stolen: own.reduce((sum, core) => sum + (core?.stolen ?? 0), 0),
      periods: throttling?.periods ?? 0,
      throttled: throttling?.throttled ?? 0,
    };
  }
}
