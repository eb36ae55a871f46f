import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Timeouts in milliseconds: to wait for a garbage collection, and for its effect on an idle
 * process.
 */
const LONG = 5000;
const SHORT = 500;
const LOOK = 50;

/**
 * The environment of a process that collects garbage on a signal, so that retained memory can be
 * measured.
 */
export const COLLECTING = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'collecting.mjs')}` };

/** The resident memory of a process of this user, relative to the start of the measurement. */
export class ProcessMemory {
  private constructor(
    readonly name: string,
    private readonly pid: number,
    private readonly before: number,
  ) {}

  /**
   * Collects garbage, then starts the measurement. Resets the kernel's peak value (proc(5),
   * clear_refs).
   */
  static async begin(name: string, pid: number): Promise<ProcessMemory> {
    const memory = new ProcessMemory(name, pid, await collected(pid, 0, SHORT));
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return memory;
  }

  /** The peak since the start, in bytes above the initial value. */
  get peak(): number {
    return bytesOf(this.pid, 'VmHWM') - this.before;
  }

  /**
   * Returns the retained bytes above the initial value. If they exceed `most`, measures again after
   * V8 has released its free memory.
   */
  async kept(most: number): Promise<number> {
    const enough = this.before + most;
    let resident = await collected(this.pid, enough, SHORT);
    if (resident > enough) resident = (await emptied(this.pid, LONG)).resident;
    return resident - this.before;
  }
}

/**
 * Collects garbage in a `COLLECTING` process and returns the lowest resident memory in bytes. Polls
 * until it is at most `enough`, or until the timeout.
 */
export function collected(pid: number, enough: number, milliseconds: number): Promise<number> {
  process.kill(pid, 'SIGWINCH');
  return leastResident(pid, enough, milliseconds);
}

/** The memory that a process retains, in bytes. */
export interface Kept {
  readonly resident: number;
  /**
   * Memory held by V8: its used heap and the external memory of its objects. Varies less than
   * `resident`.
   */
  readonly held: number;
}

/**
 * Collects garbage and makes V8 release its free memory, then measures. Without the release, the
 * number of V8's pages varies by dozens of MiB regardless of their content.
 */
export async function emptied(pid: number, milliseconds: number): Promise<Kept> {
  process.kill(pid, 'SIGPWR');
  const resident = await leastResident(pid, 0, milliseconds);
  const note = join(temporaryOf(pid), `held-by-${pid}`);
  // a process that gets no processor time collects later
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

/** Returns the folder for temporary files of a process. */
function temporaryOf(pid: number): string {
  const [, folder] = /(?:^|\0)TMPDIR=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))!;
  return folder!;
}

function bytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024;
}
