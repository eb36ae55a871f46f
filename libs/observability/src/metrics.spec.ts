import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

describe('Metrics', () => {
  it('exposes what was counted, under names of ours', async () => {
    const metrics = new Metrics();
    metrics.countRequest('GET', '/api/v1/tasks/:slug', 200, 0.003);
    metrics.watch('assay_runs', 'Runs', ['state'], (gauge) => gauge.set({ state: 'queued' }, 3));

    const { contentType, body } = await metrics.expose();

    expect(contentType).toContain('text/plain');
    expect(body).toContain(
      'assay_http_request_duration_seconds_count{method="GET",route="/api/v1/tasks/:slug",status="200"} 1',
    );
    expect(body).toContain('assay_runs{state="queued"} 3');
    expect(body).toContain('assay_process_cpu_seconds_total');
    expect(body.match(/^# TYPE (?!assay_)/gm)).toBeNull();
  });

  it('is one set for each instance', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.countRequest('GET', '/', 200, 1);

    expect((await other.expose()).body).not.toContain('route="/"');
  });
});
