import { PinoLogger } from 'nestjs-pino';
import { symbols } from 'pino';

export interface CapturedLog {
  /** The lines so far. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Logs as before again. */
  end(): void;
}

/** Collects what this process logs, from the level `info`, instead of writing it. */
export function captureLog(): CapturedLog {
  const logger = PinoLogger.root as PinoLogger['logger'] & { [symbols.streamSym]: unknown };
  const { level, [symbols.streamSym]: stream } = logger;
  const lines: Record<string, unknown>[] = [];
  logger[symbols.streamSym] = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
  logger.level = 'info';
  return {
    lines,
    end: () => {
      logger[symbols.streamSym] = stream;
      logger.level = level;
    },
  };
}
