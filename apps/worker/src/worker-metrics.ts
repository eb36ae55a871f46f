import type { Jobs } from '@assay/jobs';
import type { Metrics } from '@assay/observability';
import type { Cleared } from './maintenance/garbage-collector.js';

/** The result of a webhook delivery: a 2xx response, another response, or no response. */
export type PostResult = 'delivered' | 'refused' | 'unreached';

/** The result of one reconciliation. `busy`: another process was reconciling. */
export type ReconcilerOutcome = 'done' | 'busy' | 'failed';

/** The metrics of the background work of a worker. */
export class WorkerMetrics {
  private readonly rounds = this.metrics.counter(
    'assay_reconciler_runs_total',
    'Rounds of the reconciler, by how they ended',
    ['outcome'],
  );
  private readonly repairs = this.metrics.counter(
    'assay_reconciler_repairs_total',
    'Repairs by the reconciler: runs that it requeued, gave up or enqueued again',
    ['kind'],
  );
  private readonly reconciled = this.metrics.gauge(
    'assay_reconciler_last_success_timestamp_seconds',
    'When this process last reconciled, since 1970',
    [],
  );

  private readonly clearedFiles = this.metrics.counter(
    'assay_cleared_files_total',
    'Removed leftovers: blobs without a row, files of uploads that never completed, work folders of evaluators that are gone',
    ['kind'],
  );
  private readonly clearedBytes = this.metrics.counter(
    'assay_cleared_bytes_total',
    'Bytes of the blobs without a row that were removed',
    [],
  );

  private readonly posts = this.metrics.seconds(
    'assay_webhook_post_duration_seconds',
    'Time of a post to a webhook, by how it ended',
    ['outcome'],
  );

  constructor(private readonly metrics: Metrics) {
    // initialised to 0, so that the first occurrence shows up as an increase
    for (const outcome of ['done', 'busy', 'failed']) this.rounds.inc({ outcome }, 0);
    for (const kind of ['blob', 'partial', 'work']) this.clearedFiles.inc({ kind }, 0);
    for (const outcome of ['delivered', 'refused', 'unreached']) this.posts.zero({ outcome });
  }

  /** Registers gauges that read the queues whenever the metrics are scraped. */
  watch(jobs: Pick<Jobs, 'states'>): void {
    const depth = this.metrics.gauge('assay_queue_jobs', 'Jobs in a queue, by state', ['queue', 'state']);
    const oldest = this.metrics.gauge(
      'assay_queue_oldest_waiting_seconds',
      'Age of the oldest job of a queue that waits; 0 if none is waiting',
      ['queue'],
    );
    this.metrics.watch('assay_queue_up', 'Whether the queues answer', [], async (gauge) => {
      depth.reset();
      oldest.reset();
      const states = await jobs.states().catch(() => null);
      gauge.set(states ? 1 : 0);
      for (const { name: queue, oldestWaiting, ...counts } of states ?? []) {
        oldest.set({ queue }, oldestWaiting ? (Date.now() - oldestWaiting.getTime()) / 1000 : 0);
        for (const [state, count] of Object.entries(counts)) depth.set({ queue, state }, count);
      }
    });
  }

  reconcilerEnded(outcome: ReconcilerOutcome, repairs: Readonly<Record<string, number>> = {}): void {
    this.rounds.inc({ outcome });
    if (outcome === 'done') this.reconciled.setToCurrentTime();
    for (const [kind, count] of Object.entries(repairs)) this.repairs.inc({ kind }, count);
  }

  webhookPosted(outcome: PostResult, seconds: number): void {
    this.posts.observe({ outcome }, seconds);
  }

  cleared({ blobs, partial, work }: Cleared): void {
    this.clearedFiles.inc({ kind: 'blob' }, blobs?.files ?? 0);
    this.clearedFiles.inc({ kind: 'partial' }, partial);
    this.clearedFiles.inc({ kind: 'work' }, work);
    this.clearedBytes.inc(blobs?.bytes ?? 0);
  }
}
