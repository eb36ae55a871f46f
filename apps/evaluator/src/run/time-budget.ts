/** The time that a model may take for all datasets of a run, from when it is ready. */
export class TimeBudget {
  /** Later by all that does not count. */
  private started: number;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    /** Of the whole run. */
    readonly seconds: number,
    private readonly requestSeconds: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.started = now();
  }

  /** Seconds. */
  get left(): number {
    return this.seconds - (this.now() - this.started) / 1000;
  }

  /** What `work` takes does not count. */
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

  /** Whether a request that had so many milliseconds had them only because the run's time was running out. */
  cutShort(deadline: number): boolean {
    return deadline < this.requestSeconds * 1000;
  }

  /** Milliseconds until the answer to a request that is made now must be here. */
  get requestDeadline(): number {
    return Math.max(1, Math.min(this.requestSeconds, this.left) * 1000);
  }
}
