import type { MemoryReading } from '../src/sandbox.js';
import { residentPeak, type Cgroup } from './cgroup.js';

/** 20 Hz. What is shorter than this is in VmHWM, unless its process is as short. */
const interval = 50;
/** VmHWM only ever grows while a process lives, and reading it costs a file a process: every fifth time. */
const sparse = 5;

/** Watches the memory of one container from its start. */
export class MemoryMeter {
  private sampled = 0;
  private resident = 0;
  private cgroupPeak: number | null = null;
  private killed = 0;
  private samples = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cgroup: Cgroup | null) {}

  start(): void {
    if (this.cgroup === null) return;
    this.sample();
    this.timer = setInterval(() => {
      this.sample();
    }, interval);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.cgroup?.close();
  }

  /** Processes of the container that the kernel killed for want of memory, as last seen. */
  get kills(): number {
    this.countKills();
    return this.killed;
  }

  /** Reads how many those are now, while the cgroup is still there. */
  countKills(): void {
    this.killed = this.cgroup?.memoryKills() ?? this.killed;
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
    // kept while it can be read: a cgroup is gone the moment its last process is
    this.cgroupPeak = this.cgroup?.memoryPeak() ?? this.cgroupPeak;
    this.countKills();
  }

  private sampleProcesses(): void {
    this.resident = Math.max(this.resident, residentPeak(this.cgroup?.processes() ?? []));
  }
}
