/** People need a target model of this evaluator, so a measurement gives way. */
export class PeopleFirst extends Error {
  constructor() {
    super('people ask a target model on this host');
    this.name = 'PeopleFirst';
  }
}

/** The requests of people to the target models of this evaluator. Measurements give way to them. */
export class LiveRequests {
  private underWay = 0;
  /** When the last request ended, in milliseconds. */
  private endedAt = -Infinity;
  private begin = new AbortController();

  /** @param now returns the milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Aborted with `PeopleFirst` when the next request begins. */
  get next(): AbortSignal {
    return this.begin.signal;
  }

  /** Seconds since the last request: 0 during one, and infinite before the first. */
  get idleSeconds(): number {
    return this.underWay > 0 ? 0 : (this.now() - this.endedAt) / 1000;
  }

  /** Runs `work`, which people wait for: a request, or the start of a model. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.underWay++;
    const { begin } = this;
    this.begin = new AbortController();
    begin.abort(new PeopleFirst());
    try {
      return await work();
    } finally {
      this.underWay--;
      this.endedAt = this.now();
    }
  }
}
