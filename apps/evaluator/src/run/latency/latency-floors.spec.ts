import { fakeModel, FakeSandboxDriver, type FakeModel, type SandboxSpecification } from '@assay/sandbox';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type FloorRequest, LatencyFloors } from './latency-floors.js';

const like: SandboxSpecification = {
  image: 'of-the-model',
  command: ['serve'],
  environment: { OWN: 'x' },
  port: 9000,
  limits: { memory: 2 ** 30, cpus: 2, pids: 64, startSeconds: 10 },
  runtime: 'runc',
  data: 'readable',
  labels: { run: 'run', attempt: 1 },
};
const idle = fakeModel.answersBytes(Buffer.from('{"predictions":[null]}'));

describe('LatencyFloors', () => {
  Logger.overrideLogger(false);
  let now = 0;
  const floorsOf = (model: FakeModel) => {
    const driver = new FakeSandboxDriver(() => model);
    const nullModel = () => Promise.resolve('null');
    return { driver, floors: new LatencyFloors({ driver, nullModel, now: () => now }) };
  };
  const ask = (floors: LatencyFloors, more: Partial<FloorRequest> = {}) => {
    const { signal } = new AbortController();
    return floors.floor({ like, instances: ['{"text":"a"}'], task: 'task', contended: 'kept', signal, ...more });
  };

  it('times enough requests for all percentiles, under the limits of the model and nothing else of it', async () => {
    const { driver, floors } = floorsOf(idle);
    const floor = await ask(floors);

    const { bins, ...figures } = floor!;
    expect(figures.count).toBe(662);
    expect(bins!.reduce((sum, { n }) => sum + n, 0)).toBe(662);
    for (const figure of Object.values(figures)) expect(figure).toBeGreaterThan(0);
    const { limits, runtime, data, labels } = like;
    expect(driver.started).toEqual([{ image: 'null', environment: {}, port: 8080, limits, runtime, data, labels }]);
    expect(driver.running.size).toBe(0);
  });

  it('keeps a floor for ten minutes, for one task, one runtime and the same limits', async () => {
    const { driver, floors } = floorsOf(idle);
    const first = await ask(floors);
    now += 9 * 60_000;
    expect(await ask(floors)).toEqual(first);
    expect(driver.started).toHaveLength(1);

    await ask(floors, { task: 'another' });
    await ask(floors, { like: { ...like, limits: { ...like.limits, cpus: 1 } } });
    await ask(floors, { like: { ...like, runtime: 'runsc' } });
    expect(driver.started).toHaveLength(4);
    now += 2 * 60_000;
    await ask(floors);
    expect(driver.started).toHaveLength(5);
  });

  it('measures one floor for runs that need it at the same time', async () => {
    const { driver, floors } = floorsOf({ ...idle, contended: true });
    const [one, other] = await Promise.all([ask(floors), ask(floors)]);

    expect(one).not.toBeNull();
    expect(other).toEqual(one);
    expect(driver.started).toHaveLength(1);
  });

  it('keeps what was disturbed as well, until a run that holds the host alone asks', async () => {
    const model = { ...idle, contended: true };
    const { driver, floors } = floorsOf(model);
    const first = await ask(floors);
    expect(first).not.toBeNull();
    expect(await ask(floors)).toEqual(first);
    expect(driver.started).toHaveLength(1);

    model.contended = false;
    const fresh = await ask(floors, { contended: 'taken again' });
    expect(driver.started).toHaveLength(2);
    expect(await ask(floors)).toEqual(fresh);
    expect(await ask(floors, { contended: 'taken again' })).toEqual(fresh);
    expect(driver.started).toHaveLength(2);
  });

  it.each<[string, FakeModel]>([
    ['does not start', fakeModel.exits(1)],
    ['does not answer', fakeModel.fails({ kind: 'status', status: 500, body: '' })],
  ])('is none where the null model %s, and leaves nothing', async (_, model) => {
    const { driver, floors } = floorsOf(model);
    expect(await ask(floors)).toBeNull();
    expect(driver.running.size).toBe(0);
  });

  it('is not waited for once the run is over', async () => {
    const { floors } = floorsOf(idle);
    const over = new AbortController();
    over.abort(new Error('the lease is lost'));
    await expect(ask(floors, { signal: over.signal })).rejects.toThrow('the lease is lost');
  });
});
