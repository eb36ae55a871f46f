import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL_CHANNEL } from '@assay/evaluation';
import type { BenchService } from '../bench-service.js';
import { forgetPeak, MIB, peakMemory } from '../process-memory.js';
import { figure } from '../samples.js';
import type { GrowthRows } from './growth-rows.js';

const READING = 400;
const NOT_READING = 100;
/** The number of events that are emitted together: half of those that may wait for a follower. */
const TOGETHER = 50;
/** The length of the text in each event. With it, a notification is almost as long as it may be. */
const TEXT = 7000;
/** The most events that are emitted. The buffers of a connection hold fewer. */
const MOST = 20_000;
/** The number of events that the readers alone receive first, which the process needs memory for as well. */
const FIRST = 500;
/** The largest memory of a follower who does not read, in MiB. */
const LARGEST = 1;

/**
 * Many followers of the events of a model, some of whom do not read: the memory of each of these, and
 * the time until they are dropped. The others receive every event. The memory is the peak of the
 * process over its peak while the readers alone follow.
 */
export const followersRows: GrowthRows = async ({ say }, { service, task }) => {
  const { world } = service;
  const id = await world.announce(task, { name: 'followed', kind: 'onnx' });
  const readers = await followers(service, id, READING, true);
  const emit = async (first: number): Promise<void> => {
    const last = first + TOGETHER - 1;
    await world.rows(
      'select pg_notify($1, replace($2, $3, number::text)) from generate_series($4::int, $5::int) number',
      [MODEL_CHANNEL, eventOf(id), '%', first, last],
    );
    await Promise.all(readers.map((reader) => reader.hasReceived(last)));
  };
  const others: Follower[] = [];
  try {
    forgetPeak(world.api.pid);
    let emitted = 0;
    for (; emitted < FIRST; emitted += TOGETHER) await emit(emitted);
    const before = peakMemory(world.api.pid);
    others.push(...(await followers(service, id, NOT_READING, false)));
    const started = performance.now();
    for (; (await dropped(service)) < NOT_READING && emitted < MOST; emitted += TOGETHER) await emit(emitted);
    const took = (performance.now() - started) / 1000;
    const gone = await dropped(service);
    const each = Math.max(0, peakMemory(world.api.pid) - before) / MIB / NOT_READING;
    const figures = `${gone} dropped after ${figure(took)} s and ${(emitted - FIRST).toLocaleString('en-US')} events of 7 kB, ${figure(each)} MiB each at most`;
    say(`  followers: ${figures}`);
    return [
      {
        what: `${READING + NOT_READING} followers of a model, ${NOT_READING} of whom read nothing`,
        goal: `dropped, ≤ ${LARGEST} MiB each`,
        measured: figures,
        reached: gone === NOT_READING && each <= LARGEST,
      },
    ];
  } finally {
    for (const follower of [...readers, ...others]) follower.leave();
  }
};

const eventOf = (model: string): string =>
  JSON.stringify({
    ...{ specification: null, task: 'none', model },
    event: { type: 'score', dataset: 'set %', metrics: {}, text: 'x'.repeat(TEXT) },
  });

/** Returns the number of followers whom the API has dropped. */
async function dropped({ world }: BenchService): Promise<number> {
  const answer = await (await fetch(`${world.url}/metrics`)).text();
  const counts = answer.matchAll(/^assay_followers_dropped_total\{[^}]*\} (\d+)$/gm);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function followers(service: BenchService, id: string, count: number, reads: boolean): Promise<Follower[]> {
  const token = await service.world.user('ada');
  const all: Follower[] = [];
  for (let number = 0; number < count; number++) {
    all.push(await Follower.connect(`${service.world.url}/api/v1/models/${id}/events`, token, reads));
  }
  return all;
}

/** A connection that follows the events of a model. */
class Follower {
  private received = -1;
  private rest = '';
  private ended = false;

  private constructor(
    private readonly request: ClientRequest,
    response: IncomingMessage,
    reads: boolean,
  ) {
    request.on('error', () => (this.ended = true));
    response.on('error', () => (this.ended = true)).on('close', () => (this.ended = true));
    if (reads) response.setEncoding('latin1').on('data', (text: string) => this.read(text));
  }

  static async connect(url: string, token: string, reads: boolean): Promise<Follower> {
    const { promise, resolve, reject } = Promise.withResolvers<Follower>();
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(new Follower(request, response, reads));
      else reject(new Error(`events were refused: ${response.statusCode}`));
    });
    request.once('error', reject);
    return promise;
  }

  /** Waits until the event with this number has arrived. */
  async hasReceived(number: number): Promise<void> {
    while (this.received < number) {
      if (this.ended) throw new Error(`a follower who reads was dropped after event ${this.received}`);
      await sleep(5);
    }
  }

  leave(): void {
    this.request.destroy();
  }

  private read(text: string): void {
    const found = (this.rest + text)
      .matchAll(/"set (\d+)"/g)
      .toArray()
      .at(-1);
    if (found) this.received = Number(found[1]);
    this.rest = text.slice(-20);
  }
}
