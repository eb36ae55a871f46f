import { Metrics } from '@assay/observability';
import { describe, expect, it } from '@jest/globals';
import { WorkerMetrics } from './worker-metrics.js';

describe('the metrics of the reconciler', () => {
  it('tell what it mended, how its rounds ended, and when it last succeeded', async () => {
    const metrics = new Metrics();
    const work = new WorkerMetrics(metrics);
    const text = async (): Promise<string> => (await metrics.expose()).body;
    expect(await text()).toContain('assay_reconciler_runs_total{outcome="done"} 0');
    expect(await text()).toContain('assay_reconciler_last_success_timestamp_seconds 0');

    work.reconcilerEnded('done', { requeued: 2, failed: 1, enqueued: 0 });
    work.reconcilerEnded('done', { requeued: 3, failed: 0, enqueued: 0 });
    work.reconcilerEnded('busy');
    work.reconcilerEnded('failed');

    for (const [kind, count] of Object.entries({ requeued: 5, failed: 1, enqueued: 0 })) {
      expect(await text()).toContain(`assay_reconciler_repairs_total{kind="${kind}"} ${count}`);
    }
    for (const [outcome, count] of Object.entries({ done: 2, busy: 1, failed: 1 })) {
      expect(await text()).toContain(`assay_reconciler_runs_total{outcome="${outcome}"} ${count}`);
    }
    const last = Number(/^assay_reconciler_last_success_timestamp_seconds (\S+)$/m.exec(await text())![1]);
    expect(Math.abs(Date.now() / 1000 - last)).toBeLessThan(60);
  });
});
