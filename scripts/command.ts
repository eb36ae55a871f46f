import { spawn } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';

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
  readonly signal?: AbortSignal;
}

/** This Node and the project's own tools before the machine's. */
export function projectEnvironment(): Readonly<Record<string, string | undefined>> {
  return {
    ...process.env,
    PATH: [join(project, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    ORT_DISABLE_TELEMETRY: '1',
  };
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
      ...(options.signal && { signal: options.signal }),
    });
    const end = (code: number): void => settle({ code, output, stdout, milliseconds: performance.now() - started });
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
