import type { MemoryReading } from '../sandbox.js';
import { residentPeak, type Cgroup } from './cgroup.js';

/**
 * Milliseconds between samples (20 Hz). A shorter peak is in VmHWM, unless its process is as short.
 */
const interval = 50;
/**
 * Samples per reading of VmHWM, which never falls while a process lives and costs one file per
 * process.
 */
const sparse = 5;

/** Measures the memory of one container from its start. */
export class MemoryMeter {
  private sampled = 0;
  private resident = 0;
  private cgroupPeak: number | null = null;
  private killed = 0;
  /** False where the kernel does not count kills, and while none were read. */
  private hasCounted = false;
  private samples = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cgroup: Cgroup | null) {}

  start(): void {
    if (this.cgroup === null) return;
    this.sample();
    this.timer = setInterval(() => this.sample(), interval);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.cgroup?.close();
  }

  /**
   * The number of processes of the container that the kernel killed because memory ran out, as last
   * read.
   */
  get kills(): number {
    this.countKills();
    return this.killed;
  }

  /** Updates that number while the cgroup still exists. */
  countKills(): void {
    const killed = this.cgroup?.memoryKills() ?? null;
    if (killed === null) return;
    this.killed = killed;
    this.hasCounted = true;
  }

  /** True if the kernel has removed the cgroup, because no process of the container is left. */
  get isGone(): boolean {
    return this.hasCounted && this.cgroup?.memoryKills() === null;
  }

  read(): MemoryReading {
    this.sampleProcesses();
    this.sample();
    this.cgroupPeak = this.cgroup?.memoryPeak() ?? this.cgroupPeak;
    return { peak: Math.max(this.sampled, this.resident), cgroupPeak: this.cgroupPeak };
  }

  private sample(): void {
    this.sampled = Math.max(this.sampled, this.cgroup?.memory() ?? 0);
    if (this.samples++ % sparse !== 0) return;
    this.sampleProcesses();
    // stored while it can be read: a cgroup is removed as soon as its last process ends
    this.cgroupPeak = this.cgroup?.memoryPeak() ?? this.cgroupPeak;
    this.countKills();
  }

  private sampleProcesses(): void {
    this.resident = Math.max(this.resident, residentPeak(this.cgroup?.processes() ?? []));
  }
}
