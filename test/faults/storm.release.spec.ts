import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelState } from '@assay/contracts/models';
import { LARGEST_ATTEMPTS } from '@assay/evaluation/outcomes';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { CLEARED_SOON, faultsRng, FaultyService, QUEUE_BACKENDS } from './faulty-service.js';

const RUNS = 500;
/** Every twelfth submission is a model in a container; the others are predictions files. */
const CONTAINERS = 12;
const KILL_SECONDS = 30;
/** The time in which an evaluator is ready again on a busy machine, in seconds. */
const START_SECONDS = 15;
/**
 * The number of runs that may be given up because they were under way at three kills. The seed does
 * not determine it alone.
 */
const GIVEN_UP = 1;
/** The time limit for all runs on a busy machine, in milliseconds. */
const PATIENCE = RUNS * 15_000;
/**
 * The minimum for two workers and an API, with pools of two connections for each worker, and four for
 * the API: 1 + 2 · 25 + 4 · 2.
 */
const CONNECTIONS = '59';

/** A process that may be killed. */
interface Victim {
  readonly log: string;
  /** Its name in the leases of runs. */
  readonly owner: string;
  readonly process: SupervisedProcess;
  readonly restart: () => unknown;
}

describe.each(QUEUE_BACKENDS)('two evaluators and two workers on one queue, on %s', (queue) => {
  const rng = faultsRng(`storm on ${queue}`);
  /** The number of times that each run was under way on an evaluator that was killed, by run ID. */
  const struck = new Map<string, number>();
  let service: FaultyService;

  beforeAll(async () => {
    service = await FaultyService.start({ queue, environment: { ASSAY_DB_CONNECTIONS: CONNECTIONS, ...CLEARED_SOON } });
  });
  afterAll(() => service?.close());

  it(
    `of which one is killed every ${KILL_SECONDS} seconds finish ${RUNS} runs`,
    async () => {
      await service.world.startAnother('second');
      service.world.startAnotherWorker('second');
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
      // a run that was under way at three kills is given up, and the failure is the platform's
      const givenUp = await service.witness.rows<{ id: string }>(
        `select r.id from model m join run r on r.specification_id = m.specification_id
          where m.id = any($1) and m.state = 'failed' and m.failure ->> 'code' = 'platform_failed'`,
        [ids],
      );
      console.info(`${RUNS} runs, ${kills} kills: ${count('scored')} scored, ${givenUp.length} given up after three`);
      expect(count('scored') + givenUp.length).toBe(RUNS);
      // at least that many of its kills happened within one stage
      for (const { id } of givenUp) expect(struck.get(id)).toBeGreaterThanOrEqual(LARGEST_ATTEMPTS);
      expect(givenUp.length).toBeLessThanOrEqual(GIVEN_UP);
      expect(kills).toBeGreaterThanOrEqual(Math.floor(seconds / (KILL_SECONDS + START_SECONDS)));
      expect(kills).toBeGreaterThan(1);
    },
    2 * PATIENCE,
  );

  /**
   * Kills a process when the first run is under way, and then one whenever all have been running
   * for a while.
   * @returns The number of kills, and the time from the first to the end in seconds.
   */
  async function killing(signal: AbortSignal): Promise<{ readonly kills: number; readonly seconds: number }> {
    await service.witness.when(`select id from run where state <> 'queued'`, [], (begun) => begun.length > 0);
    const since = performance.now();
    for (let kills = 1; ; kills++) {
      const { world } = service;
      const { instance } = world;
      const victims: readonly Victim[] = [
        {
          log: 'evaluator',
          owner: `remote/${instance}`,
          process: world.evaluator,
          restart: () => world.startEvaluator(),
        },
        { log: 'worker', owner: `${instance}-worker`, process: world.worker, restart: () => world.startWorker() },
        {
          log: 'evaluator-second',
          owner: `remote/${instance}-second`,
          process: world.another('second')!,
          restart: () => world.startAnother('second'),
        },
        {
          log: 'worker-second',
          owner: `${instance}-worker-second`,
          process: world.anotherWorker('second')!,
          restart: () => world.startAnotherWorker('second'),
        },
      ];
      const { log: name, owner, process: killed, restart } = victims[rng.below(victims.length)]!;
      await strike(killed, owner);
      service.forgetLog(name);
      await restart();
      await service.untilLogged(name, 'is ready');

      const isOver = await sleep(KILL_SECONDS * 1000, false, { signal }).catch(() => true);
      if (isOver) return { kills, seconds: (performance.now() - since) / 1000 };
    }
  }

  /**
   * Kills a process and records the runs under way on it. Freezes it first, so that it takes no
   * more.
   */
  async function strike(victim: SupervisedProcess, owner: string): Promise<void> {
    process.kill(victim.pid, 'SIGSTOP');
    const held = await service.witness.rows<{ id: string }>(
      `select id from run where state = 'leased' and lease_owner = $1`,
      [owner],
    );
    for (const { id } of held) struck.set(id, (struck.get(id) ?? 0) + 1);
    await service.kill(victim);
  }
});
