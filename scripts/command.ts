import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The root folder of the project. */
export const project = resolve(import.meta.dirname, '..');

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

/** Runs a program in the project's folder to its end. Resolves for any exit code. */
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

/** Runs a script with the Node that runs this process. */
export function runNode(parameters: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return runCommand(process.execPath, parameters, options);
}
