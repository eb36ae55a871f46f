import { SandboxUnavailable } from '@assay/sandbox';
import { type Ending, EXIT_CODES } from './exit-codes.js';

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
