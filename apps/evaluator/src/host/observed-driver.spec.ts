import { Metrics } from '@assay/observability';
import { fakeModel, FakeSandboxDriver, type Sandbox, type SandboxSpecification } from '@assay/sandbox';
import { describe, expect, it } from '@jest/globals';
import { ObservedDriver } from './observed-driver.js';
import { SandboxMetrics } from './sandbox-metrics.js';

const LIMITS = { deadline: 50, responseBytes: 100 };
const SPECIFICATION = {
  image: 'model',
  runtime: 'runc',
  limits: { startSeconds: 1 },
  labels: { run: 'lost' },
} as SandboxSpecification;

describe('the metrics of sandboxes', () => {
  const observed = (model = fakeModel.answers(() => ({}))) => {
    const metrics = new Metrics();
    const driver = new ObservedDriver(new FakeSandboxDriver({ model }), new SandboxMetrics(metrics));
    const value = async (name: string): Promise<number> => {
      const line = (await metrics.expose()).body.split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ').at(-1) ?? Number.NaN);
    };
    const started = async (): Promise<Sandbox> => {
      const outcome = await driver.start(SPECIFICATION, new AbortController().signal);
      if (outcome.kind !== 'ready') throw new Error(outcome.kind);
      return outcome.sandbox;
    };
    return { driver, value, started };
  };

  it.each([
    ['memory', fakeModel.fails({ kind: 'exceeded', limit: 'memory', amount: 1 })],
    [
      'time',
      fakeModel.slow(
        10_000,
        fakeModel.answers(() => ({})),
      ),
    ],
    ['output', fakeModel.tooLarge(1000)],
  ])('count one that is ended at its limit of %s, once', async (limit, model) => {
    const { started, value } = observed(model);
    const name = `assay_sandbox_kills_total{limit="${limit}"}`;
    const sandbox = await started();
    expect(await value(name)).toBe(0);

    await Promise.all([1, 2].map(() => sandbox.invoke(Buffer.from('{}'), LIMITS)));

    expect(await value(name)).toBe(1);
  });

  it('count one that reaches its limit while it starts', async () => {
    const { driver, value } = observed({
      ...fakeModel.answers(() => ({})),
      start: () => ({ kind: 'exceeded', limit: 'memory', amount: 1 }),
    });

    await driver.start(SPECIFICATION, new AbortController().signal);

    expect(await value('assay_sandbox_kills_total{limit="memory"}')).toBe(1);
    expect(await value('assay_sandbox_starts_total{runtime="runc",outcome="exceeded"}')).toBe(1);
  });

  it('count none that ends by itself', async () => {
    const { started, value } = observed(fakeModel.exits(3));
    await expect(started()).rejects.toThrow('exited');
    for (const limit of ['memory', 'time', 'output']) {
      expect([limit, await value(`assay_sandbox_kills_total{limit="${limit}"}`)]).toEqual([limit, 0]);
    }
  });

  it('tell how many run, how they started, and how many were swept', async () => {
    const { driver, started, value } = observed();
    const [one] = [await started(), await started()];
    expect(await value('assay_sandboxes')).toBe(2);
    expect(await value('assay_sandbox_starts_total{runtime="runc",outcome="ready"}')).toBe(2);
    expect(await value('assay_sandbox_start_duration_seconds_count{runtime="runc"}')).toBe(2);
    expect(await value('assay_sandboxes_swept_total')).toBe(0);

    await one.stop();
    expect(await driver.sweep(() => new Set())).toBe(1);

    expect(await value('assay_sandboxes')).toBe(1);
    expect(await value('assay_sandboxes_swept_total')).toBe(1);
  });
});
