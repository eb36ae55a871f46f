import { type Measures } from '@assay/contracts/metrics';
import { GIB } from '@assay/contracts/text';
import type { Sandbox } from '@assay/sandbox';
import type { LatencyPercentiles } from '@assay/scoring';
import type { Contention } from './contention.js';

export interface MeasuredStart {
  /** In milliseconds. */
  readonly latency: LatencyPercentiles;
  /** In milliseconds. */
  readonly coldStart: number;
  readonly hardware: string;
  readonly contended: boolean;
}

/** Accumulates the costs that a run measures. */
export class Costs {
  private examples = 0;
  private seconds = 0;
  private contended: boolean;

  constructor(
    private readonly sandbox: Pick<Sandbox, 'memory'>,
    private readonly contention: Contention,
    private readonly start: MeasuredStart,
  ) {
    this.contended = start.contended;
  }

  /** Adds an offline pass that has ended. */
  async add(pass: { readonly examples: number; readonly seconds: number }): Promise<void> {
    this.examples += pass.examples;
    this.seconds += pass.seconds;
    this.contended = (await this.contention.take()) || this.contended;
  }

  /** Discards the contention recorded so far. Call before each timed pass. */
  async skip(): Promise<void> {
    await this.contention.take();
  }

  /** Returns the costs, or null if no offline pass was added. */
  async measures(): Promise<Measures | null> {
    if (this.examples === 0) return null;
    const { peak, cgroupPeak } = await this.sandbox.memory();
    const { latency, coldStart, hardware } = this.start;
    return {
      throughput: this.examples / this.seconds,
      latency_p50: latency.p50,
      latency_p90: latency.p90,
      latency_p95: latency.p95,
      latency_p99: latency.p99,
      latency_count: latency.count,
      ...(latency.bins.length > 0 && { latency_bins: latency.bins }),
      memory: peak === null ? null : peak / GIB,
      memory_cgroup: cgroupPeak === null ? null : cgroupPeak / GIB,
      cold_start: coldStart,
      contended: this.contended,
      hardware,
    };
  }
}
