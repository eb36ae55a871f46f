import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll, sendSignal } from './processes.js';

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
  /** Resolves when the process ends for any reason, with a description of how it ended. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;

  constructor(readonly plan: ProcessPlan) {
    this.child = launch(plan);
    const exit = once(this.child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
    this.ended = exit.then(
      ([code, signal]) => (signal ? `was ended by ${signal}` : `ended with code ${code ?? 0}`),
      (error: unknown) => `could not start: ${(error as Error).message}`,
    );
  }

  get running(): boolean {
    const { pid, exitCode, signalCode } = this.child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /**
   * Resolves once `condition` holds. Throws an error with the end of the log if the process ends,
   * or if it takes longer than `milliseconds`.
   */
  async until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
    const { name, log } = this.plan;
    const holds = (): Promise<boolean> => condition().catch(() => false);
    const outcome = await poll(async () => (this.running ? (await holds()) && 'ready' : 'ended'), milliseconds);
    if (outcome === 'ended') throw new Error(`${name} ${await this.ended}. ${endOfLog(log)}`);
    if (!outcome) {
      throw new Error(`${name} was not ready within ${Math.round(milliseconds / 1000)} s. ${endOfLog(log)}`);
    }
  }

  /** Asks the process to end, and kills its whole group if it does not. */
  async stop(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined) return;
    if (this.running) {
      sendSignal(pid, this.plan.stopSignal);
      await Promise.race([this.ended, sleep(this.plan.patience, undefined, { ref: false })]);
    }
    // also ends the remaining processes of its group
    sendSignal(-pid, 'SIGKILL');
    await this.ended;
  }
}

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
