import type { Metrics } from '@assay/observability';

/** The metrics of the sandboxes of an evaluator. */
export class SandboxMetrics {
  private readonly starts = this.metrics.counter(
    'assay_sandbox_starts_total',
    'Sandboxes that were started, by runtime and how that ended',
    ['runtime', 'outcome'],
  );
  private readonly startSeconds = this.metrics.seconds(
    'assay_sandbox_start_duration_seconds',
    'Time until a sandbox was ready, or was not',
    ['runtime'],
  );
  private readonly kills = this.metrics.counter(
    'assay_sandbox_kills_total',
    'Sandboxes that ended at a limit; memory: out of memory',
    ['limit'],
  );
  private readonly live = this.metrics.gauge('assay_sandboxes', 'Sandboxes that run on this evaluator', []);
  private readonly swept = this.metrics.counter(
    'assay_sandboxes_swept_total',
    'Sandboxes that a dead evaluator had left and that were removed',
    [],
  );

  constructor(private readonly metrics: Metrics) {
    // initialised to 0, so that the first occurrence shows up as an increase
    for (const limit of ['memory', 'time', 'output']) this.kills.inc({ limit }, 0);
    for (const runtime of ['runc', 'runsc']) this.starts.inc({ runtime, outcome: 'unavailable' }, 0);
  }

  sandboxStarted(runtime: string, outcome: string, seconds: number): void {
    this.starts.inc({ runtime, outcome });
    this.startSeconds.observe({ runtime }, seconds);
  }

  sandboxKilled(limit: string): void {
    this.kills.inc({ limit });
  }

  sandboxLives(change: 1 | -1): void {
    this.live.inc(change);
  }

  sandboxesSwept(count: number): void {
    this.swept.inc(count);
  }
}
