import type { LoggerService } from '@nestjs/common';

/**
 * Milliseconds for a graceful shutdown, which waits for Redis as long as it is unreachable. Below
 * the 20 s after which supervisors kill the process.
 */
const END_MILLISECONDS = 18_000;

/** Exits the process if its graceful shutdown, which a signal starts, takes too long. */
export function exitAfterShutdown(logger: LoggerService, context: string): void {
  const end = (): never => {
    logger.warn('the graceful shutdown timed out; exiting now', context);
    process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(end, END_MILLISECONDS).unref());
  }
}
