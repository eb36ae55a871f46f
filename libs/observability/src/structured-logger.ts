import type { LoggerService } from '@nestjs/common';
import { logFields } from './log-fields.js';

export type LogLevelName = 'debug' | 'log' | 'warn' | 'error';
export type LogFormat = 'json' | 'pretty';

export interface StructuredLoggerOptions {
  /** The lowest level that is written. Default: `log`. */
  readonly level?: LogLevelName;
  /** `json` for machines, `pretty` for a terminal. Default: `json`. */
  readonly format?: LogFormat;
  /** Writes a line. Default: to standard error, because standard output is for results. */
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

interface Line {
  readonly level: string;
  readonly time: string;
  readonly context?: string;
  readonly message: string;
  readonly stack?: string;
}

const RANK: Record<LogLevelName, number> = { debug: 0, log: 1, warn: 2, error: 3 };
const NAMES: Record<LogLevelName, string> = { debug: 'debug', log: 'info', warn: 'warn', error: 'error' };

/**
 * A Nest logger that writes one line per message. Each line carries the IDs of the current work
 * (see `withLogFields`).
 */
export class StructuredLogger implements LoggerService {
  private readonly options: Required<StructuredLoggerOptions>;

  constructor(options: StructuredLoggerOptions = {}) {
    this.options = {
      level: 'log',
      format: 'json',
      write: (line) => process.stderr.write(`${line}\n`),
      now: () => new Date(),
      ...options,
    };
  }

  log(message: unknown, ...details: unknown[]): void {
    this.line('log', message, details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.line('warn', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.line('error', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.line('error', message, details);
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.line('debug', message, details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.line('debug', message, details);
  }

  private line(level: LogLevelName, message: unknown, details: readonly unknown[]): void {
    if (RANK[level] < RANK[this.options.level]) return;
    const { text, stack, fields } = describe(message, details);
    const context = contextOf(details);
    const line: Line = {
      level: NAMES[level],
      time: this.options.now().toISOString(),
      ...(context === undefined ? {} : { context }),
      message: text,
      ...(stack === undefined ? {} : { stack }),
    };
    const extra = { ...logFields(), ...fields };
    this.options.write(this.options.format === 'json' ? json({ ...extra, ...line }) : pretty(line, extra));
  }
}

/** Returns the context of a log call, which Nest passes as the last string. */
function contextOf(details: readonly unknown[]): string | undefined {
  const last = details.at(-1);
  return typeof last === 'string' ? last : undefined;
}

function describe(
  message: unknown,
  details: readonly unknown[],
): { text: string; stack?: string | undefined; fields: Readonly<Record<string, unknown>> } {
  const error = [message, ...details].find((value) => value instanceof Error);
  // Nest logs its own errors as a message and the text of a stack
  const stack =
    error?.stack ??
    details.slice(0, -1).find((value): value is string => typeof value === 'string' && value.includes('\n'));
  const fields = Object.assign({}, ...details.filter(isFields)) as Record<string, unknown>;
  if (message instanceof Error) return { text: message.message, stack, fields };
  if (isFields(message)) {
    const { message: text, ...rest } = message;
    return { text: typeof text === 'string' ? text : '', stack, fields: { ...rest, ...fields } };
  }
  return { text: String(message), stack, fields };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Error);
}

function json(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields);
  } catch {
    // a circular field or a bigint must not prevent the line from being logged
    return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)])));
  }
}

/**
 * Escapes control characters and line separators. A name chosen by a user can then neither start a
 * log line of its own nor send commands to a terminal.
 */
const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => JSON.stringify(character).slice(1, -1));

function pretty(line: Line, extra: Readonly<Record<string, unknown>>): string {
  const ids = Object.entries(extra).map(([key, value]) => ` ${key}=${String(value)}`);
  const place = line.context === undefined ? '' : `[${line.context}] `;
  const stack = line.stack === undefined ? '' : `\n${line.stack}`;
  return `${line.time} ${line.level.padEnd(5)} ${place}${plain(line.message + ids.join(''))}${stack}`;
}
