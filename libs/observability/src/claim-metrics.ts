import type { RequestLease } from '@assay/contracts/gateway';
import type { Metrics } from './metrics.js';

/** The outcome of a claim on a run. */
export type ClaimOutcome =
  | 'done'
  | 'failed'
  | 'cancelled'
  /** The run is queued again: for its next stage, or for evaluations that were added meanwhile. */
  | 'continued'
  | 'platform_failed'
  | 'lease_lost'
  | 'left';

/** The metrics of the runs that a process leases. */
export class ClaimMetrics {
  private readonly claims = this.metrics.seconds(
    'assay_run_duration_seconds',
    'Time that a claim of a run took, by stage and outcome',
    ['stage', 'outcome'],
  );

  constructor(
    private readonly metrics: Metrics,
    /** `live`: the IDs of the runs that the process holds. */
    leases: { readonly live: ReadonlySet<string> },
  ) {
    // initialised to 0, so that the first occurrence shows up as an increase
    for (const stage of ['admission', 'evaluation']) this.claims.zero({ stage, outcome: 'platform_failed' });
    metrics.watch('assay_runs_held', 'Runs that this process holds', [], (gauge) => gauge.set(leases.live.size));
  }

  claimEnded(stage: RequestLease['stage'], outcome: ClaimOutcome, seconds: number): void {
    this.claims.observe({ stage, outcome }, seconds);
  }
}
