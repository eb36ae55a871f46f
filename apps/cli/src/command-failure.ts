import { SandboxUnavailable } from '@assay/sandbox';

/** The exit codes. They are stable: scripts may rely on them. */
export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  usage: 2,
  refused: 3,
  modelFailed: 4,
  unreachable: 5,
  checkFailed: 6,
  noEngine: 7,
  verificationFailed: 8,
  interrupted: 130,
} as const;
/** How a command ends. */
type Ending = keyof typeof EXIT_CODES;

const MEANINGS: Readonly<Record<Ending, string>> = {
  done: 'done',
  unexpected: 'unexpected error, in the CLI or the server',
  usage: 'usage error, or the file does not exist',
  refused: 'the server refused the request (HTTP 4xx)',
  modelFailed: 'the model failed, or its evaluation was cancelled',
  unreachable: 'the server does not answer, or is temporarily unavailable',
  checkFailed: 'assay check found something that the server would refuse',
  noEngine: 'no Docker engine can be used on this machine',
  verificationFailed: 'assay verify found a file that differs from what was signed',
  interrupted: 'interrupted (Ctrl-C); the evaluation continues',
};

/** Returns the table of exit codes for a help page. */
export function exitCodesText(): string {
  const lines = Object.entries(MEANINGS).map(
    ([ending, meaning]) => `  ${String(EXIT_CODES[ending as Ending]).padStart(3)}  ${meaning}`,
  );
  return ['Exit codes:', ...lines].join('\n');
}

/** An error that ends the command, with a sentence for people and an exit code for scripts. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(
    readonly ending: Ending,
    /** Stable code for programs. */
    readonly code: string,
    message: string,
    /** Further fields of the error object under `--json`. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = EXIT_CODES[ending];
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure('usage', 'usage', message);

/** Converts any thrown value into the CommandFailure that the command ends with. */
export function asFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof SandboxUnavailable) {
    return new CommandFailure(
      'noEngine',
      'no_engine',
      `No Docker engine can be used: ${error.message}.\nStart Docker, set DOCKER_HOST to the address of an engine, or run this in the folder where scripts/up runs.`,
    );
  }
  const { code, path, message } = error as NodeJS.ErrnoException;
  if ((code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') && path !== undefined) {
    return usageFailure(`${path} cannot be read: ${READING[code]}.`);
  }
  return new CommandFailure('unexpected', 'unexpected', message);
}

const READING = { ENOENT: 'it does not exist', EACCES: 'permission denied', EISDIR: 'it is a folder' } as const;
