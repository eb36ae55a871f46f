import { SandboxUnavailable } from '@assay/sandbox';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** An error that ends the command, with a sentence for people and an exit code for scripts. */
export class CommandFailure extends Error {
  constructor(
    readonly exitCode: ExitCode,
    /** Stable code for programs. */
    readonly code: string,
    message: string,
    /** Further fields of the error object under `--json`. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'CommandFailure';
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure(EXIT_CODES.usage, 'usage', message);

/** Converts any thrown value into the CommandFailure that the command ends with. */
export function asFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof SandboxUnavailable) {
    return new CommandFailure(
      EXIT_CODES.noEngine,
      'no_engine',
      `No Docker engine can be used: ${error.message}.\nStart Docker, set DOCKER_HOST to the address of an engine, or run this in the folder where scripts/up runs.`,
    );
  }
  const { code, path, message } = error as NodeJS.ErrnoException;
  if ((code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') && path !== undefined) {
    return usageFailure(`${path} cannot be read: ${READING[code]}.`);
  }
  return new CommandFailure(EXIT_CODES.unexpected, 'unexpected', message);
}

const READING = { ENOENT: 'it does not exist', EACCES: 'permission denied', EISDIR: 'it is a folder' } as const;
