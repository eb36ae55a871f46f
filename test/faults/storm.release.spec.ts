import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelState } from '@assay/contracts';
import { LARGEST_ATTEMPTS } from '@assay/evaluation';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { CLEARED_SOON, faultsRng, FaultyService, QUEUE_BACKENDS } from './faulty-service.js';

const RUNS = 500;
/** One in so many is a model in a container; the others are files of predictions. */
const CONTAINERS = 12;
const KILL_SECONDS = 30;
/** Within which one is ready again, on a machine that is busy. */
const START_SECONDS = 15;
/** Of all runs, how many may have been under way at three kills: chance, which the seed does not decide alone. */
const GIVEN_UP = 1;
/** Milliseconds for all of them, on a machine that is busy. */
const PATIENCE = RUNS * 15_000;
/** The least with which two evaluators and an API start: pools of two. */
const CONNECTIONS = '59';

describe.each(QUEUE_BACKENDS)('two evaluators on one queue, on %s', (queue) => {
  const rng = faultsRng(`storm on ${queue}`);
  /** How often each run was under way where an evaluator was killed. */
  const struck = new Map<string, number>();
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
      const { kills, seconds } = await storm;

      await service.expectInvariants();
      const count = (state: ModelState): number => [...states.values()].filter((each) => each === state).length;
      // a run that was under way at three kills is given up, and blames nobody
      const givenUp = await service.witness.rows<{ id: string }>(
        `select r.id from model m join run r on r.specification_id = m.specification_id
          where m.id = any($1) and m.state = 'failed' and m.failure ->> 'code' = 'platform_failed'`,
        [ids],
      );
      console.info(`${RUNS} runs, ${kills} kills: ${count('scored')} scored, ${givenUp.length} given up after three`);
      expect(count('scored') + givenUp.length).toBe(RUNS);
      // of which at least so many within one stage
      for (const { id } of givenUp) expect(struck.get(id)).toBeGreaterThanOrEqual(LARGEST_ATTEMPTS);
      expect(givenUp.length).toBeLessThanOrEqual(GIVEN_UP);
      expect(kills).toBeGreaterThanOrEqual(Math.floor(seconds / (KILL_SECONDS + START_SECONDS)));
      expect(kills).toBeGreaterThan(1);
    },
    2 * PATIENCE,
  );

  /** Kills one when the first run is under way, and then one whenever both have been at work for a while. @returns how many, within how many seconds */
  async function killing(signal: AbortSignal): Promise<{ readonly kills: number; readonly seconds: number }> {
    await service.witness.when(`select id from run where state <> 'queued'`, [], (begun) => begun.length > 0);
    const since = performance.now();
    for (let kills = 1; ; kills++) {
      const [name, killed] =
        rng.below(2) === 0
          ? (['evaluator', service.evaluator] as const)
          : (['evaluator-second', service.world.another('second')!] as const);
      await strike(killed);
      service.forgetLog(name);
      if (name === 'evaluator') service.world.startEvaluator();
      else service.world.startAnother('second');
      await service.untilLogged(name, 'is ready');

      const isOver = await sleep(KILL_SECONDS * 1000, false, { signal }).catch(() => true);
      if (isOver) return { kills, seconds: (performance.now() - since) / 1000 };
    }
  }

  /** Kills it, and notes what was under way there: it stands still first, so that it takes nothing meanwhile. */
  async function strike(evaluator: SupervisedProcess): Promise<void> {
    process.kill(evaluator.pid, 'SIGSTOP');
    const owner = evaluator === service.evaluator ? service.world.instance : `${service.world.instance}-second`;
    const held = await service.witness.rows<{ id: string }>(
      `select id from run where state = 'leased' and lease_owner = $1`,
      [owner],
    );
    for (const { id } of held) struck.set(id, (struck.get(id) ?? 0) + 1);
    await service.kill(evaluator);
  }
});
