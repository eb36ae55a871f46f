import { readFileSync, writeFileSync } from 'node:fs';

/** The resident memory of a process of this user, with its peak since the watch began. */
export class ProcessMemory {
  private readonly before: number;

  /** Begins to watch: the kernel forgets the peak of before (proc(5), clear_refs). */
  constructor(
    readonly name: string,
    private readonly pid: number,
  ) {
    this.before = this.bytes('VmRSS');
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  }

  /** Bytes by which its peak since then lies over what it had at the beginning. */
  get grown(): number {
    return this.bytes('VmHWM') - this.before;
  }

  private bytes(field: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024;
  }
}
