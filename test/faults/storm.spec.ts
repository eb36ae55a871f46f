import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelState } from '@assay/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drawn, faultsRng, FaultyService, isFullForm, QUEUE_BACKENDS } from './faulty-service.js';

const RUNS = isFullForm ? 500 : 24;
/** One in so many is a model in a container; the others are files of predictions. */
const CONTAINERS = 12;
const KILL_SECONDS = isFullForm ? 30 : 8;
/** The least with which two evaluators and an API start: pools of two. */
const CONNECTIONS = '53';

describe.each(drawn(faultsRng('storm'), QUEUE_BACKENDS, 1))('two evaluators on one queue, on %s', (queue) => {
  const rng = faultsRng(`storm on ${queue}`);
  let service: FaultyService;

  beforeAll(async () => {
    service = await FaultyService.start({ queue, environment: { ASSAY_DB_CONNECTIONS: CONNECTIONS } });
  });
  afterAll(() => service?.close());

  it(`of which one is killed every ${KILL_SECONDS} seconds finish ${RUNS} runs`, async () => {
    service.world.startAnother('second');
    const ids: string[] = [];
    const over = new AbortController();
    const storm = killing(over.signal);
    for (let run = 0; run < RUNS; run++) {
      ids.push(await (run % CONTAINERS === CONTAINERS - 1 ? service.submitContainer() : service.submitPredictions()));
    }
    const states = await service.untilFinal(ids, RUNS * 15_000);
    over.abort();
    const kills = await storm;

    await service.expectInvariants();
    const count = (state: ModelState): number => [...states.values()].filter((each) => each === state).length;
    // a run that was under way at three kills is given up, and blames nobody
    const givenUp = await service.witness.rows(
      `select id from model where id = any($1) and state = 'failed' and failure ->> 'code' = 'platform_failed'`,
      [ids],
    );
    console.info(`${RUNS} runs, ${kills} kills: ${count('scored')} scored, ${givenUp.length} given up after three`);
    expect(count('scored') + givenUp.length).toBe(RUNS);
    expect(givenUp.length).toBeLessThanOrEqual(RUNS / 50);
    expect(kills).toBeGreaterThan(0);
  });

  async function killing(signal: AbortSignal): Promise<number> {
    for (let kills = 0; ; kills++) {
      const isOver = await sleep(KILL_SECONDS * 1000, false, { signal }).catch(() => true);
      if (isOver) return kills;
      if (rng.below(2) === 0) {
        await service.kill(service.evaluator);
        service.world.startEvaluator();
      } else {
        await service.kill(service.world.another('second'));
        service.world.startAnother('second');
      }
    }
  }
});
