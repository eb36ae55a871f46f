/** The statuses of failures that may be over at the next attempt. */
const TRANSIENT: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** The service refused a request, or could not be reached. */
export class ServiceError extends Error {
  constructor(
    message: string,
    /** The HTTP status; null if there was no complete response. */
    readonly status: number | null,
    /** The code of the problem, such as `not_found`; `unreachable` without a complete response. */
    readonly code: string,
    /** The seconds to wait before the next attempt. */
    readonly retryAfterSeconds = 0,
  ) {
    super(message);
    this.name = 'ServiceError';
  }

  /** True if the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === null || TRANSIENT.has(this.status);
  }
}

/**
 * The lease is lost: another evaluator may hold the run or the deployment now, or it has ended. The
 * former holder must stop.
 */
export class LeaseLost extends Error {
  constructor() {
    super('The lease is lost.');
    this.name = 'LeaseLost';
  }
}
