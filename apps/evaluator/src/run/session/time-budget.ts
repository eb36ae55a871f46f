/** The time that a model has for all datasets of a run, from the moment it is ready. */
export class TimeBudget {
  /** The start time, moved forward by all excluded periods. */
  private started: number;

  /** @param now returns the milliseconds of a monotonic clock */
  constructor(
    /** Total seconds of the run. */
    readonly seconds: number,
    private readonly requestSeconds: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.started = now();
  }

  /** In seconds. */
  get left(): number {
    return this.seconds - (this.now() - this.started) / 1000;
  }

  /** Runs `work` without counting its time. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    const since = this.now();
    try {
      return await work();
    } finally {
      this.started += this.now() - since;
    }
  }

  get isOver(): boolean {
    return this.left <= 0;
  }

  /**
   * True if a request with this deadline, in milliseconds, had less than the full request time
   * because the run's time was running out.
   */
  cutShort(deadline: number): boolean {
    return deadline < this.requestSeconds * 1000;
  }

  /** Milliseconds that a request made now may take. */
  get requestDeadline(): number {
    return Math.max(1, Math.min(this.requestSeconds, this.left) * 1000);
  }
}
