import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The root folder of the project. */
export const project = resolve(import.meta.dirname, '..');

/** Returns the text of a file, which is named by its path in the project. */
export const projectText = (path: string): string => readFileSync(join(project, path), 'utf8');

export interface CommandResult {
  readonly code: number;
  /** Standard output and standard error, interleaved as they were printed. */
  readonly output: string;
  /** Only standard output. */
  readonly stdout: string;
  readonly milliseconds: number;
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives the output while it is printed. */
  readonly onOutput?: (text: string) => void;
  /**
   * `shared`: the program is stopped when this process ends. `own`: it finishes, because it must
   * not be interrupted (such as an installation).
   */
  readonly fate?: 'shared' | 'own';
}

/**
 * Returns the environment for programs: the project's own tools come before those of the machine.
 */
export function projectEnvironment(): Readonly<Record<string, string | undefined>> {
  return {
    ...process.env,
    PATH: [join(project, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    ORT_DISABLE_TELEMETRY: '1',
  };
}

const children = new Set<ChildProcess>();
process.on('exit', endCommands);

/** Stops the running programs whose `fate` is `shared`. */
export function endCommands(): void {
  for (const child of children) child.kill('SIGTERM');
}

/** Calls `stop` for every signal that asks this process to end. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

/** Runs a program in the project's folder to its end. Resolves for any exit code. */
export async function runCommand(
  command: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const started = performance.now();
  const child = spawn(command, [...parameters], {
    cwd: project,
    env: { ...projectEnvironment(), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (options.fate !== 'own') children.add(child);
  let output = '';
  let stdout = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (stream === child.stdout) stdout += text;
      options.onOutput?.(text);
    });
  }
  const code = await once(child, 'close').then(
    ([code]) => (code as number | null) ?? 1,
    (error: unknown) => {
      output += (error as Error).message;
      return 127;
    },
  );
  children.delete(child);
  return { code, output: stripVTControlCharacters(output), stdout, milliseconds: performance.now() - started };
}

/**
 * Returns the result of a program that succeeds.
 * @throws Error with its output if it ends with another code than 0
 */
export async function successful(running: Promise<CommandResult>): Promise<CommandResult> {
  const result = await running;
  if (result.code !== 0) throw new Error(result.output.trim() || `ended with code ${result.code}`);
  return result;
}

/** Runs a script with the Node that runs this process. */
export function runNode(parameters: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return runCommand(process.execPath, parameters, options);
}
