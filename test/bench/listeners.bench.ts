import { isDeepStrictEqual } from 'node:util';
import type { ModelEvent, ModelState } from '@assay/contracts/models';
import { MODEL_CHANNEL, type ModelEventMessage } from '@assay/evaluation';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Client } from 'pg';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import type { BenchService } from './bench-service.js';
import { examplesFile } from './examples-file.js';
import { figure, quantile } from './samples.js';

const LISTENERS = 100;
/** The number of changes of each kind that are measured. */
const CHANGES = 50;
/** The number of warm-up changes. */
const FIRST = 10;
/** The limit in milliseconds. */
const MOST = 50;

/**
 * Many clients that follow one model: the time from the commit of a change until each of them has
 * received the event.
 */
export const listenersBench: Bench = {
  name: 'listeners',
  async run(context) {
    const changes = context.quick ? 5 : CHANGES;
    const service = await context.service();
    const { world } = service;
    const task = await service.task(await examplesFile(context.folder, 200, 'listeners'));
    const id = await world.announce(task, { name: 'followed', kind: 'onnx' });
    // the evaluator must not change the state of the model
    await world.stopEvaluator();
    const crowd = await Crowd.gather(world, id, LISTENERS);
    const client = new Client({ connectionString: world.databaseUrl });
    await client.connect();
    try {
      const told = async (round: number, event: ModelEvent, change?: ModelState): Promise<readonly number[]> => {
        const all = crowd.untilAllHeard(event);
        await client.query('begin');
        if (change) await client.query('update model set state = $1 where id = $2', [change, id]);
        const message: ModelEventMessage = { specification: null, task, model: id, event };
        await client.query('select pg_notify($1, $2)', [MODEL_CHANNEL, JSON.stringify(message)]);
        const asked = performance.now();
        await client.query('commit');
        const times = (await all).map((heard) => heard - asked);
        return round < FIRST ? [] : times;
      };
      const scores: number[] = [];
      const states: number[] = [];
      for (let round = 0; round < FIRST + changes; round++) {
        const score = { type: 'score', dataset: `round ${round}`, metrics: {} } as const;
        scores.push(...(await told(round, score)));
        const state = round % 2 === 0 ? 'running' : 'queued';
        states.push(...(await told(round, { type: 'state', state }, state)));
      }
      return [rowOf(context, 'a score', scores), rowOf(context, 'a state', states)];
    } finally {
      await client.end();
      crowd.leave();
      await world.startEvaluator();
    }
  },
};

/** Connections that follow the events of one model. */
class Crowd {
  private readonly over = new AbortController();
  private heard: (index: number, event: ModelEvent) => void = () => undefined;
  private lost: (error: unknown) => void = () => undefined;

  private constructor(private readonly count: number) {}

  static async gather(world: BenchService['world'], id: string, count: number): Promise<Crowd> {
    const crowd = new Crowd(count);
    const token = await world.user('ada');
    const present = crowd.untilAllHeard({ type: 'state', state: 'awaiting-artifact' });
    for (let index = 0; index < count; index++) {
      const { status, body } = await fetch(`${world.url}/api/v1/models/${id}/events`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
        signal: crowd.over.signal,
      });
      if (status !== 200 || !body) throw new Error(`events were refused: ${status}`);
      crowd.follow(index, body).catch((error: unknown) => crowd.lost(error));
    }
    await present;
    return crowd;
  }

  /**
   * Waits until every connection has received the event.
   * @returns The times of receipt, as of `performance.now()`.
   */
  untilAllHeard(awaited: ModelEvent): Promise<readonly number[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    const times = new Map<number, number>();
    this.lost = reject;
    this.heard = (index, event) => {
      if (times.has(index) || !isDeepStrictEqual(event, awaited)) return;
      times.set(index, performance.now());
      if (times.size === this.count) resolve([...times.values()]);
    };
    return promise;
  }

  leave(): void {
    this.over.abort();
  }

  private async follow(index: number, body: ReadableStream<Uint8Array>): Promise<void> {
    const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event: type, data } of events) {
      this.heard(index, { ...(JSON.parse(data) as object), type } as ModelEvent);
    }
  }
}

function rowOf({ say }: BenchContext, what: string, times: readonly number[]): BenchRow {
  const [p50, p99, most] = [quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1)];
  say(`  ${what}: p50 ${figure(p50)}, p99 ${figure(p99)}, at most ${figure(most)} ms`);
  return {
    what: `commit of ${what} → ${LISTENERS} listeners, p99`,
    goal: `≤ ${MOST} ms`,
    measured: `${figure(p99)} ms (p50 ${figure(p50)}, at most ${figure(most)}; ${times.length} of them)`,
    reached: p99 <= MOST,
    figures: { p50Milliseconds: p50, p99Milliseconds: p99, count: times.length },
  };
}
