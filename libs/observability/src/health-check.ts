/** A condition that must hold for the process to serve requests. */
export interface HealthCheck {
  readonly name: string;
  /** Throws or rejects if the check fails. */
  readonly probe: () => Promise<void>;
}

export interface HealthResult {
  readonly name: string;
  readonly ok: boolean;
  readonly milliseconds: number;
  /** The message of the failure. */
  readonly error?: string;
}

export interface HealthReport {
  readonly ok: boolean;
  readonly checks: readonly HealthResult[];
}

const DEADLINE = 2000;

/**
 * The health checks of one process. They run concurrently. A check fails if it does not finish
 * within `deadline` milliseconds (2 s by default).
 */
export class HealthChecks {
  constructor(
    private readonly checks: readonly HealthCheck[],
    private readonly deadline = DEADLINE,
  ) {}

  async report(): Promise<HealthReport> {
    const checks = await Promise.all(this.checks.map((check) => this.result(check)));
    return { ok: checks.every((check) => check.ok), checks };
  }

  private async result({ name, probe }: HealthCheck): Promise<HealthResult> {
    const started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.deadline} ms`)), this.deadline);
    });
    try {
      await Promise.race([probe(), late]);
      return { name, ok: true, milliseconds: performance.now() - started };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { name, ok: false, milliseconds: performance.now() - started, error: message };
    } finally {
      clearTimeout(timer);
    }
  }
}
