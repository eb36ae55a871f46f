import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { MODEL_CHANNEL } from '@assay/evaluation';
import { forgetPeak, memoryNow, MIB, peakMemory } from '../process-memory.js';
import { figure } from '../samples.js';
import type { GrowthRows } from './growth-rows.js';

/** The followers of one model that read its events, and those that do not. */
const READING = 400;
const NOT_READING = 100;
/** A user may follow as many streams at the same time in the service of the bench. */
const EACH = 100;
/** Events are sent in bursts, because even a client that reads may not have more than 100 waiting. */
const BURST = 25;
/** The characters of an event: many together exceed what the operating system buffers. */
const LENGTH = 4_000;
const MOST_MEMORY = 128;

/** Followers of a model who do not read its events: the memory of the API, and how many are dropped. */
export const followersRows: GrowthRows = async (context, { service, task }) => {
  const { world } = service;
  const { pid } = world.api;
  const id = await world.announce(task, { name: 'followed', kind: 'onnx' });
  await world.rows('update model set published = true where id = $1', [id]);
  const all: Follower[] = [];
  for (let user = 0; all.length < READING + NOT_READING; user++) {
    const token = await world.user(`growth-follower-${user}`);
    for (let count = 0; count < EACH; count++) all.push(await Follower.open(world.url, id, token));
  }
  const silent = all.splice(READING);
  for (const follower of silent) follower.stopReading();
  const before = memoryNow(pid);
  forgetPeak(pid);
  const bursts = context.quick ? 10 : 80;
  for (let sent = 0; sent < bursts * BURST; sent += BURST) {
    const received = all.map((follower) => follower.received(`"set ${sent + BURST - 1}"`));
    const event = { type: 'score', dataset: 'set %', metrics: {}, text: 'x'.repeat(LENGTH) };
    await world.rows(
      `select pg_notify($1, replace($2, '%', number::text)) from generate_series($3::int, $4::int) number`,
      [MODEL_CHANNEL, JSON.stringify({ specification: null, task, model: id, event }), sent, sent + BURST - 1],
    );
    await Promise.all(received);
  }
  const grown = (peakMemory(pid) - before) / MIB;
  const lost = all.filter(({ isClosed }) => isClosed).length;
  for (const follower of [...all, ...silent]) follower.leave();
  const followers = `${READING + NOT_READING} followers, ${NOT_READING} of them not reading`;
  const megabytes = figure((bursts * BURST * LENGTH) / 1e6);
  context.say(`  ${followers}, ${megabytes} MB of events each: ${figure(grown)} MiB; ${lost} that read were lost`);
  return [
    {
      what: `${followers}: memory of the API, peak`,
      goal: `≤ ${MOST_MEMORY} MiB more, nobody dropped who reads`,
      measured: `${figure(grown)} MiB more; ${lost} dropped who read`,
      reached: lost === 0 && grown <= MOST_MEMORY,
    },
  ];
};

/** A connection that follows a model. It does not parse events, so that 500 of them take little time. */
class Follower {
  private tail = '';
  private awaited: { readonly text: string; readonly resolve: () => void } | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.tail = (this.tail + chunk).slice(-2 * LENGTH);
      if (this.awaited && this.tail.includes(this.awaited.text)) this.awaited.resolve();
    });
    // a connection that the service closed fails the row, and not the bench
    socket.on('error', () => undefined).on('close', () => this.awaited?.resolve());
  }

  /** Opens a connection and waits for the first event. */
  static async open(url: string, model: string, token: string): Promise<Follower> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const follower = new Follower(socket);
    const first = follower.received('event: state');
    const path = `/api/v1/models/${model}/events`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await first;
    return follower;
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  /** Resolves when the follower receives `text`, or is closed. */
  received(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.awaited = { text, resolve };
      if (this.socket.closed) resolve();
    });
  }

  stopReading(): void {
    this.socket.pause();
  }

  leave(): void {
    this.socket.destroy();
  }
}
