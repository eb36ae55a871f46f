import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultyService, QUEUE_BACKENDS } from './faulty-service.js';
import { hasFaketime, MovedClock } from './moved-clock.js';

const DIRECTIONS = [
  ['forward', '+1h'],
  ['back', '-1h'],
] as const;

const withFaketime = hasFaketime() ? describe : describe.skip;

withFaketime.each(QUEUE_BACKENDS)('the clock of the machine, with the queue on %s,', (queue) => {
  let clock: MovedClock;
  let service: FaultyService;

  beforeAll(async () => {
    clock = new MovedClock();
    const { environment } = clock;
    // Redis keeps the real time, as on another machine: its allocator does not work with
    // libfaketime
    service = await FaultyService.start({ queue, environment, postgresEnvironment: environment });
  });
  afterAll(async () => {
    await service?.close();
    clock?.remove();
  });

  it.each(DIRECTIONS)('may be set %s by an hour and more in the middle of a run', async (_, by) => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const first = await service.submitContainer('slow-from-the-start');
    await started;
    const before = await now();
    expect(await service.runs(first)).toMatchObject([{ state: 'leased', stage: 'evaluation' }]);
    clock.move(by);
    await service.world.until(async () => Math.abs((await now()) - before) > 1_800_000, 60_000);
    const [hurt] = await service.runs(first);
    expect(hurt!.state).not.toBe('done');

    const second = await service.submitPredictions();
    await service.untilScored([first, second]);
    const [run] = await service.runs(first);
    expect(run).toMatchObject({ state: 'done' });
    // a clock that jumps ahead ends the lease, which counts as one attempt; one that jumps back
    // does not prolong it
    expect(run!.attempts).toBeLessThanOrEqual(1);
    await service.expectInvariants();
  });

  /** Returns the time of the database in milliseconds since 1970. */
  async function now(): Promise<number> {
    const [row] = await service.witness.rows<{ now: number }>('select extract(epoch from now())::float8 * 1000 as now');
    return row!.now;
  }
});
