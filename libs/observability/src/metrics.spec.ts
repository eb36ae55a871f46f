import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

describe('Metrics', () => {
  it('exposes what was counted, under names of ours', async () => {
    const metrics = new Metrics();
    metrics.countRequest('GET', '/api/v1/tasks/:slug', 200, 0.003);
    metrics.countRun('failed', 12, 'never_ready');
    metrics.watchQueues(['run', 'publish'], (queue) =>
      queue === 'run' ? Promise.resolve({ waiting: 3, active: 1 }) : Promise.reject(new Error('away')),
    );

    const { contentType, body } = await metrics.expose();

    expect(contentType).toContain('text/plain');
    expect(body).toContain(
      'assay_http_request_duration_seconds_count{method="GET",route="/api/v1/tasks/:slug",status="200"} 1',
    );
    expect(body).toContain('assay_runs_total{outcome="failed",code="never_ready"} 1');
    expect(body).toContain('assay_queue_jobs{queue="run",state="waiting"} 3');
    expect(body).not.toContain('queue="publish"');
    expect(body).toContain('assay_process_cpu_seconds_total');
    expect(body.match(/^# TYPE (?!assay_)/gm)).toBeNull();
  });

  it('is one set for each instance', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.countPredictions(5);

    expect((await other.expose()).body).toContain('assay_predictions_total 0');
  });
});
