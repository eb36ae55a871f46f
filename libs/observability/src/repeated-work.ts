import type { Logger } from '@nestjs/common';

/** Work that a process repeats while it runs. A failure is logged, and the work is done at its next time. */
export class RepeatedWork {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  /** Does work at each interval, except while the last time is still under way. */
  every(milliseconds: number, work: () => Promise<void>): void {
    let isUnderWay = false;
    const once = async (): Promise<void> => {
      if (isUnderWay) return;
      isUnderWay = true;
      await this.attempt(work);
      isUnderWay = false;
    };
    this.timers.push(setInterval(() => void once(), milliseconds));
  }

  /** Does work once, and logs its failure. */
  async attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.warn((error as Error).message));
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }
}
