import type { Logger } from '@nestjs/common';

/** Work that a process repeats while it runs. A failure is logged, and the work is done at its next time. */
export class RepeatedWork {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  every(milliseconds: number, work: () => Promise<void>): void {
    this.timers.push(setInterval(() => void this.attempt(work), milliseconds));
  }

  /** Does work once, and logs its failure. */
  async attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.warn((error as Error).message));
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }
}
