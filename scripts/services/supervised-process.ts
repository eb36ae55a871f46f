import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Size in bytes above which a log is renamed when the process starts. One old log is stored. */
const LOG_BYTES = 20 * 1024 * 1024;
const SETPRIV = '/usr/bin/setpriv';

export interface ProcessPlan {
  /** The name in messages, such as "The API". */
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Path of the file to which the output is appended. */
  readonly log: string;
  /** The user that it runs as; default: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The signal for a graceful shutdown. */
  readonly stopSignal: NodeJS.Signals;
  /** Milliseconds for the graceful shutdown before the process is killed. */
  readonly patience: number;
}

/**
 * A process in a process group of its own, so that Ctrl-C at the terminal reaches only the
 * supervisor, which stops its processes in order. If the supervisor itself is killed, the kernel
 * sends the process its stop signal.
 */
export class SupervisedProcess {
  readonly plan: ProcessPlan;
  /** Resolves when the process ends for any reason, with a description of how it ended. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;
  private over = false;

  constructor(plan: ProcessPlan) {
    this.plan = plan;
    this.child = launch(plan);
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.over = true;
        resolve(how);
      };
      this.child.once('error', (error) => end(`could not start: ${error.message}`));
      this.child.once('exit', (code, signal) =>
        end(signal ? `was ended by ${signal}` : `ended with code ${code ?? 0}`),
      );
    });
  }

  get running(): boolean {
    return !this.over;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /**
   * Resolves once `condition` holds. Throws an error with the end of the log if the process ends,
   * or if it takes longer than `milliseconds`.
   */
  async until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
    const started = Date.now();
    const deadline = started + milliseconds;
    for (;;) {
      if (this.over) throw new Error(`${this.plan.name} ${await this.ended}. ${endOfLog(this.plan.log)}`);
      if (await condition().catch(() => false)) return;
      if (Date.now() > deadline) {
        throw new Error(
          `${this.plan.name} was not ready within ${Math.round(milliseconds / 1000)} s. ${endOfLog(this.plan.log)}`,
        );
      }
      await sleep(pauseAfter(Date.now() - started));
    }
  }

  /** Asks the process to end, and kills its whole group if it does not. */
  async stop(): Promise<void> {
    if (this.child.pid === undefined) return;
    if (!this.over) {
      this.signal(this.plan.stopSignal);
      await Promise.race([this.ended, sleep(this.plan.patience, undefined, { ref: false })]);
    }
    // also ends the remaining processes of its group
    this.signal('SIGKILL', -this.child.pid);
    await this.ended;
  }

  private signal(signal: NodeJS.Signals, pid = this.child.pid): void {
    try {
      if (pid !== undefined) process.kill(pid, signal);
    } catch {
      // it has already ended
    }
  }
}

/**
 * Returns the milliseconds until the next check of a condition that has been awaited for `waited`:
 * a tenth of that, between 25 and 250. A check takes processor time from the awaited work.
 */
export const pauseAfter = (waited: number): number => Math.min(Math.max(waited / 10, 25), 250);

/** Returns the last lines of a log with an introduction, for an error message. */
export function endOfLog(path: string, lines = 15): string {
  if (!existsSync(path)) return `It wrote no log (${path}).`;
  const text = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n  ');
  return `The end of ${path}:\n  ${text}`;
}

function launch(plan: ProcessPlan): ChildProcess {
  const log = openLog(plan.log);
  try {
    const [command, parameters] = withFate(plan);
    return spawn(command, parameters, {
      cwd: plan.cwd,
      env: plan.environment,
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && statSync(path).size > LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o640);
}

/**
 * Wraps the command in `setpriv`, which changes the user and has the kernel signal the process when
 * the supervisor dies.
 */
function withFate(plan: ProcessPlan): [string, string[]] {
  if (!existsSync(SETPRIV)) {
    if (plan.user) throw new Error(`${plan.name} needs setpriv (Debian's package util-linux) to run as another user.`);
    return [plan.command, [...plan.arguments]];
  }
  const user = plan.user
    ? [`--reuid=${plan.user.uid}`, `--regid=${plan.user.gid}`, '--clear-groups', '--no-new-privs']
    : [];
  const fate = `--pdeathsig=${plan.stopSignal.slice('SIG'.length)}`;
  return [SETPRIV, [...user, fate, '--', plan.command, ...plan.arguments]];
}
