import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The folder of the project. */
export const project = resolve(import.meta.dirname, '..');

export interface CommandResult {
  readonly code: number;
  /** What it printed, standard output and standard error as they came. */
  readonly output: string;
  /** Its standard output alone. */
  readonly stdout: string;
  readonly milliseconds: number;
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Gets what is printed as it is printed. */
  readonly onOutput?: (text: string) => void;
  /** Whether it ends with this process; what must not be cut off (an installation) finishes. */
  readonly fate?: 'shared' | 'own';
}

/** This Node and the project's own tools before the machine's. */
export function projectEnvironment(): Readonly<Record<string, string | undefined>> {
  return {
    ...process.env,
    PATH: [join(project, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    ORT_DISABLE_TELEMETRY: '1',
  };
}

const children = new Set<ChildProcess>();
process.on('exit', endCommands);

/** Ends the programs that still run and share this process's fate. */
export function endCommands(): void {
  for (const child of children) child.kill('SIGTERM');
}

/** Runs a program in the project's folder to its end, whatever its exit code. */
export function runCommand(
  command: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const started = performance.now();
  return new Promise((settle) => {
    let output = '';
    let stdout = '';
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      options.onOutput?.(chunk.toString());
    };
    const child = spawn(command, [...parameters], {
      cwd: project,
      env: { ...projectEnvironment(), ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = (code: number): void => {
      children.delete(child);
      settle({ code, output: stripVTControlCharacters(output), stdout, milliseconds: performance.now() - started });
    };
    if (options.fate !== 'own') children.add(child);
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      take(chunk);
    });
    child.stderr.on('data', take);
    child.once('error', (error) => {
      output += error.message;
      end(127);
    });
    child.once('close', (code) => end(code ?? 1));
  });
}

/** Runs a program of Node's: a script with this very Node. */
export function runNode(parameters: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return runCommand(process.execPath, parameters, options);
}
