import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which a collection of garbage is waited for, and those within which it shows in a process that has nothing to do. */
const LONG = 5000;
const SHORT = 500;
const LOOK = 50;

/** The environment of a process that collects garbage when it is told, so that what it keeps is seen. */
export const COLLECTING = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'collecting.mjs')}` };

/** The resident memory of a process of this user since the watch began. */
export class ProcessMemory {
  private constructor(
    readonly name: string,
    private readonly pid: number,
    private readonly before: number,
  ) {}

  /** Begins to watch, once garbage is collected: the kernel forgets the peak of before (proc(5), clear_refs). */
  static async begin(name: string, pid: number): Promise<ProcessMemory> {
    const memory = new ProcessMemory(name, pid, await collected(pid, 0, SHORT));
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return memory;
  }

  /** Bytes by which its peak since then lies over what it had at the beginning. */
  get peak(): number {
    return bytesOf(this.pid, 'VmHWM') - this.before;
  }

  /**
   * Bytes that it keeps over what it had at the beginning; where these are more than `most`, without what V8 keeps at hand.
   * @param temporary as of `emptied`
   */
  async kept(most: number, temporary: string): Promise<number> {
    const enough = this.before + most;
    let resident = await collected(this.pid, enough, SHORT);
    if (resident > enough) resident = (await emptied(this.pid, LONG, temporary)).resident;
    return resident - this.before;
  }
}

/** What is resident (bytes) of a `COLLECTING` process after a collection of garbage, looked at until it is `enough` or less, or for so long. */
export function collected(pid: number, enough: number, milliseconds: number): Promise<number> {
  process.kill(pid, 'SIGWINCH');
  return leastResident(pid, enough, milliseconds);
}

/** What a process keeps: bytes. */
export interface Kept {
  readonly resident: number;
  /** Of V8: its heap, and what objects in it hold outside. It comes and goes by less than what is resident. */
  readonly held: number;
}

/**
 * The same, once V8 has given back what it keeps at hand as well: its pages come and go by the dozen MiB, whatever lies in them.
 * @param temporary the folder for temporary files of that process
 */
export async function emptied(pid: number, milliseconds: number, temporary: string): Promise<Kept> {
  process.kill(pid, 'SIGPWR');
  const resident = await leastResident(pid, 0, milliseconds);
  const note = join(temporary, `held-by-${pid}`);
  // a process that is kept from running collects later
  for (let waited = 0; waited < LONG && !existsSync(note); waited += LOOK) await sleep(LOOK);
  const held = Number(readFileSync(note, 'utf8'));
  rmSync(note);
  return { resident, held };
}

async function leastResident(pid: number, enough: number, milliseconds: number): Promise<number> {
  let least = Infinity;
  for (let waited = 0; waited < milliseconds && least > enough; waited += LOOK) {
    await sleep(LOOK);
    least = Math.min(least, bytesOf(pid, 'VmRSS'));
  }
  return least;
}

function bytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024;
}
