import { type Measures } from '@assay/contracts/metrics';
import { GIB } from '@assay/contracts/text';
import type { Sandbox } from '@assay/sandbox';
import type { LatencyPercentiles } from '@assay/scoring/costs';
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
  /** CPU seconds of the passes that were added. Null if one of them could not be measured. */
  private cpuSeconds: number | null = 0;
  /** The CPU counter of the sandbox when the pass began. */
  private cpuBefore: number | null = null;
  private contended: boolean;

  constructor(
    private readonly sandbox: Pick<Sandbox, 'memory' | 'cpuSeconds'>,
    private readonly contention: Contention,
    private readonly start: MeasuredStart,
  ) {
    this.contended = start.contended;
  }

  /**
   * Begins an offline pass. The contention and CPU time before it do not count: single requests and
   * the warm-up take CPU time for examples that the pass answers too.
   */
  async begin(): Promise<void> {
    await this.contention.take();
    this.cpuBefore = await this.sandbox.cpuSeconds();
  }

  /**
   * Adds the offline pass that began last and has ended.
   * @returns whether something disturbed it
   */
  async add(pass: { readonly examples: number; readonly seconds: number }): Promise<boolean> {
    const cpuNow = await this.sandbox.cpuSeconds();
    this.cpuSeconds =
      this.cpuSeconds === null || this.cpuBefore === null || cpuNow === null
        ? null
        : this.cpuSeconds + cpuNow - this.cpuBefore;
    this.examples += pass.examples;
    this.seconds += pass.seconds;
    const isContended = await this.contention.take();
    this.contended ||= isContended;
    return isContended;
  }

  /** Returns the costs, or null if no offline pass was added. */
  async measures(): Promise<Measures | null> {
    if (this.examples === 0) return null;
    const { peak, cgroupPeak } = await this.sandbox.memory();
    const { latency, coldStart, hardware } = this.start;
    return {
      cpu_time: this.cpuSeconds === null ? null : this.cpuSeconds / this.examples,
      throughput: this.examples / this.seconds,
      latency_p50: latency.p50?.value ?? null,
      latency_p90: latency.p90?.value ?? null,
      latency_p95: latency.p95?.value ?? null,
      latency_p99: latency.p99?.value ?? null,
      latency_low: {
        latency_p50: latency.p50?.low ?? null,
        latency_p90: latency.p90?.low ?? null,
        latency_p95: latency.p95?.low ?? null,
        latency_p99: latency.p99?.low ?? null,
      },
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
