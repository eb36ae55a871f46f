import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelState } from '@assay/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLEARED_SOON, drawn, faultsRng, FaultyService, isFullForm, QUEUE_BACKENDS } from './faulty-service.js';

const RUNS = isFullForm ? 500 : 24;
/** One in so many is a model in a container; the others are files of predictions. */
const CONTAINERS = 12;
const KILL_SECONDS = isFullForm ? 30 : 5;
/** Milliseconds for all of them, on a machine that is busy. */
const PATIENCE = RUNS * 15_000;
/** The least with which two evaluators and an API start: pools of two. */
const CONNECTIONS = '59';

describe.each(drawn(faultsRng('storm'), QUEUE_BACKENDS, 1))('two evaluators on one queue, on %s', (queue) => {
  const rng = faultsRng(`storm on ${queue}`);
  let service: FaultyService;

  beforeAll(async () => {
    service = await FaultyService.start({ queue, environment: { ASSAY_DB_CONNECTIONS: CONNECTIONS, ...CLEARED_SOON } });
  });
  afterAll(() => service?.close());

  it(
    `of which one is killed every ${KILL_SECONDS} seconds finish ${RUNS} runs`,
    async () => {
      service.world.startAnother('second');
      const ids: string[] = [];
      const over = new AbortController();
      const storm = killing(over.signal);
      let states: ReadonlyMap<string, ModelState>;
      try {
        for (let run = 0; run < RUNS; run++) {
          const isContainer = run % CONTAINERS === CONTAINERS - 1;
          ids.push(await (isContainer ? service.submitContainer() : service.submitPredictions()));
        }
        states = await service.untilFinal(ids, PATIENCE);
      } finally {
        over.abort();
      }
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
      expect(givenUp.length).toBeLessThanOrEqual(RUNS / 10);
      expect(kills).toBeGreaterThan(0);
    },
    2 * PATIENCE,
  );

  /** Kills one when the first run is under way, and then one whenever both have been at work for a while. @returns how many */
  async function killing(signal: AbortSignal): Promise<number> {
    await service.witness.when(`select id from run where state <> 'queued'`, [], (begun) => begun.length > 0);
    for (let kills = 1; ; kills++) {
      const [name, killed] =
        rng.below(2) === 0
          ? (['evaluator', service.evaluator] as const)
          : (['evaluator-second', service.world.another('second')] as const);
      await service.kill(killed);
      service.forgetLog(name);
      if (name === 'evaluator') service.world.startEvaluator();
      else service.world.startAnother('second');
      await service.untilLogged(name, 'is ready');

      const isOver = await sleep(KILL_SECONDS * 1000, false, { signal }).catch(() => true);
      if (isOver) return kills;
    }
  }
});
