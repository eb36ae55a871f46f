import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which an earlier check is cached. */
const CACHED_MILLISECONDS = 20;
const LOOK_MILLISECONDS = 50;

/** Checks whether costs are timed on this host, during which target models must not answer. */
export class MeasuringWatch {
  private seen: { readonly at: number; readonly measuring: Promise<boolean> } | null = null;
  private ours = 0;

  constructor(private readonly look: () => Promise<boolean>) {}

  async isUnderWay(): Promise<boolean> {
    if (this.ours > 0) return false;
    const now = performance.now();
    if (!this.seen || now - this.seen.at > CACHED_MILLISECONDS) this.seen = { at: now, measuring: this.look() };
    return this.seen.measuring;
  }

  /**
   * Waits for the end of the measurement.
   *
   * @returns false if it has not ended within `milliseconds`
   */
  async quiet(milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds;
    while (await this.isUnderWay()) {
      if (performance.now() >= until) return false;
      await sleep(LOOK_MILLISECONDS);
    }
    return true;
  }

  /**
   * Runs `work` while this process holds the timing lock without measuring: it starts a model, and
   * the other models may answer.
   */
  async whileOurs<T>(work: () => Promise<T>): Promise<T> {
    this.ours++;
    try {
      return await work();
    } finally {
      this.ours--;
      this.seen = null;
    }
  }
}
