import type { Logger } from '@nestjs/common';

/** Logs a repeated problem once, and again when it changes or has been over meanwhile. */
export class ChangedWarnings {
  private last: string | null = null;

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  warn(message: string): void {
    if (message !== this.last) this.logger.warn(message);
    this.last = message;
  }

  /** The problem is over. */
  clear(): void {
    this.last = null;
  }
}
