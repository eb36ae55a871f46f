import { setTimeout as pause } from 'node:timers/promises';
import { MODEL_CHANNEL } from '@assay/evaluation';
import { Model } from '@assay/submissions';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { SlowClient } from '../../factories/worlds/slow-client.js';

const TASK = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy',
};
/** Ten of these exceed what the operating system buffers of a response that nobody reads. */
const LONG = 'Wet. '.repeat(400_000);

/** The end of a chunked response. */
const END = /\r\n0\r\n\r\n$/;
/** The pool size of an API with the minimum number of connections. */
const POOL = 4;

let world: ApiWorld;
const clients: SlowClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.leave()));

async function client(): Promise<SlowClient> {
  const opened = await SlowClient.open(world.url);
  clients.push(opened);
  return opened;
}

/**
 * Registers a user and creates a task of that name with an open round.
 * @returns The user's token.
 */
async function owner(name: string): Promise<string> {
  const token = await world.user(name);
  await world.call('POST', '/tasks', { token, body: { ...TASK, slug: name } });
  await annotationFactory(world.orm, name);
  return token;
}

async function sender(token: string, path: string): Promise<SlowClient> {
  const headers = { authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' };
  return (await client()).ask('PUT', `/api/v1${path}`, headers);
}

const metric = async (pattern: RegExp): Promise<number> => {
  const answer = await fetch(`${world.url}/metrics`);
  return Number(pattern.exec(await answer.text())?.[1] ?? 0);
};
/** Waits until `bytes` bytes of round data have arrived. */
async function arrived(bytes: number): Promise<void> {
  while ((await metric(/assay_upload_bytes_total\{kind="round"\} (\d+)/)) < bytes) await pause(20);
}

const context = (index: number) => `${JSON.stringify({ id: String(index), context: `It rains ${index} times.` })}\n`;
const example = (index: number) =>
  `${JSON.stringify({ id: String(index), context: `It rains ${index} times.`, hypothesis: 'Wet.', label: 'neutral' })}\n`;
const batch = (line: (index: number) => string) => Array.from({ length: 1_000 }, (_, index) => line(index)).join('');

/**
 * Waits until one of the clients receives an error.
 * @returns The response, and the other clients.
 */
async function oneRefused(all: readonly SlowClient[]): Promise<[string, readonly SlowClient[]]> {
  const [refused, answer] = await Promise.any(
    all.map(async (each) => [each, await each.answered(/"requestId"/)] as const),
  );
  return [answer, all.filter((each) => each !== refused)];
}

/**
 * Creates a user like `owner`, whose round has 20 MB of gold checks.
 * @returns The user's token.
 */
async function ownerOfMuch(name: string): Promise<string> {
  const token = await owner(name);
  const lines = Array.from({ length: 10 }, (_, index) =>
    JSON.stringify({ id: String(index), context: 'It rains.', hypothesis: LONG, label: 'neutral' }),
  );
  const put = await world.call('PUT', `/tasks/${name}/rounds/1/examples?check=true`, { token, body: lines.join('\n') });
  expect({ status: put.status, body: put.body }).toMatchObject({ status: 200, body: { added: 10 } });
  return token;
}

/** Opens a client that begins to read an export and then stops reading. */
async function stalledReader(token: string, path: string): Promise<SlowClient> {
  const reader = (await client()).ask('GET', `/api/v1${path}`, { authorization: `Bearer ${token}` });
  await reader.answered(/^HTTP\/1\.1 200 /);
  return reader.stopReading();
}

describe('whoever is slow', () => {
  beforeAll(async () => {
    world = await apiWorld({ ASSAY_DB_CONNECTIONS: '32' });
  });
  afterAll(() => world.close());

  it('with what goes into a round keeps no connection of the database', async () => {
    const owners: { readonly name: string; readonly token: string }[] = [];
    for (const name of ['one', 'two', 'three']) owners.push({ name, token: await owner(name) });
    const senders: SlowClient[] = [];
    for (const { name, token } of owners) {
      senders.push((await sender(token, `/tasks/${name}/rounds/1/contexts`)).sendChunk(batch(context)));
      senders.push((await sender(token, `/tasks/${name}/rounds/1/examples`)).sendChunk(batch(example)));
    }
    expect(senders.length).toBeGreaterThan(POOL);
    await arrived(3 * (batch(context).length + batch(example).length));
    const answers = await Promise.all(owners.map(({ token }) => world.call('GET', '/me', { token })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);

    for (const each of senders) each.sendChunk('');
    for (const each of senders) expect(await each.answered(/"total"/)).toMatch(/"added":1000,"present":0,"total":1000/);
  });

  it('sends two things at once into rounds, and is refused a third until one has ended', async () => {
    const token = await owner('four');
    const path = '/tasks/four/rounds/1/contexts';
    const [answer, others] = await oneRefused(await Promise.all([1, 2, 3].map(() => sender(token, path))));
    expect(answer).toMatch(/^HTTP\/1\.1 429 .*\r\nretry-after: 5\r\n.*"code":"too_many_at_once"/s);
    for (const each of others) each.sendChunk(context(1)).sendChunk('');
    for (const each of others) await each.answered(/"total":1/);

    const [, cut] = await oneRefused(await Promise.all([1, 2, 3].map(() => sender(token, path))));
    for (const each of cut) each.leave();
    let status = 429;
    while (status === 429) ({ status } = await world.call('PUT', path, { token, body: context(3) }));
    expect(status).toBe(200);
  });

  it('reads two exports at once, and as many as leave half of the connections are read by all', async () => {
    const token = await ownerOfMuch('five');
    const path = '/tasks/five/export';
    const readers = [await stalledReader(token, path), await stalledReader(token, `/tasks/five/rounds/1/export`)];
    const own = await world.call('GET', path, { token });
    expect([own.status, own.headers.get('retry-after'), own.body.code]).toEqual([429, '5', 'too_many_at_once']);
    expect(own.body.detail).toMatch(/^You have 2 exports in progress/);
    const other = await world.call('GET', path);
    expect([other.status, other.body.detail]).toEqual([
      429,
      expect.stringMatching(/^The service has 2 exports in progress/),
    ]);

    for (const reader of readers) reader.leave();
    let status = 429;
    while (status === 429) ({ status } = await world.call('GET', path));
    expect(status).toBe(200);
  });
});

describe('whoever keeps the service waiting', () => {
  const STALLED = 2_000;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_STALLED_SECONDS: String(STALLED / 1000), ASSAY_FOLLOWED_AT_ONCE: '2' });
  });
  afterAll(() => world.close());

  it('for the next byte of a file is cut off', async () => {
    const stalled = (await sender(await owner('stalled'), '/tasks/stalled/rounds/1/contexts')).sendChunk(context(1));
    await stalled.closed();
  });

  it('for a whole body that is no file is cut off, however much of it comes', async () => {
    const trickling = (await client()).ask('POST', '/api/v1/auth/login', {
      'content-type': 'application/json',
      'content-length': '1000',
    });
    const bytes = setInterval(() => trickling.send(' '), STALLED / 10);
    await trickling.closed();
    clearInterval(bytes);
  });

  it('sends a file for as long as bytes come', async () => {
    const going = await sender(await owner('going'), '/tasks/going/rounds/1/contexts');
    for (let index = 0; index < 10; index++) {
      going.sendChunk(context(index));
      await pause(STALLED / 5);
    }
    expect(await going.sendChunk('').answered(/"total"/)).toMatch(/"added":10/);
  });

  it('to have an answer taken further is cut off', async () => {
    await stalledReader(await ownerOfMuch('much'), '/tasks/much/export');
    const cut = /request_duration_seconds_count\{method="GET",route="[^"]*export",status="499"\} (\d+)/;
    while ((await metric(cut)) === 0) await pause(20);
  });

  describe('to follow a model', () => {
    let id: string;
    let token: string;
    beforeAll(async () => {
      token = await owner('followed');
      const body = { name: 'Followed', kind: 'container' };
      id = (await world.call('POST', '/tasks/followed/models', { token, body })).body.id as string;
      expect((await world.call('PUT', `/models/${id}/artifact`, { token, body: 'an artifact' })).status).toBe(202);
    });
    const follower = async (headers: Readonly<Record<string, string>> = {}): Promise<SlowClient> => {
      const one = (await client()).ask('GET', `/api/v1/models/${id}/events`, headers);
      await one.answered(/event: ping/);
      return one;
    };

    it('does so as often as is allowed, and is refused more', async () => {
      const headers = { authorization: `Bearer ${token}` };
      const first = await follower(headers);
      await follower(headers);
      const refused = await world.call('GET', `/models/${id}/events`, { token });
      expect([refused.status, refused.headers.get('retry-after'), refused.body.code]).toEqual([
        429,
        '5',
        'too_many_at_once',
      ]);
      first.leave();
      const again = new AbortController();
      let status = 429;
      while (status === 429) {
        const { signal } = again;
        const answer = await fetch(`${world.url}/api/v1/models/${id}/events`, { headers, signal });
        status = answer.status;
      }
      again.abort();
      expect(status).toBe(200);
    });

    describe('without reading', () => {
      /**
       * Sends `count` events about the model, each with almost as many bytes as a notification may
       * have. `%` in an event stands for a number that grows from `from`.
       */
      const emit = async (event: object, from: number, count: number): Promise<void> => {
        const text = 'x'.repeat(7000);
        const message = { specification: null, task: 'none', model: id, event: { ...event, text } };
        await world.orm.em
          .fork()
          .execute('select pg_notify(?, replace(?, ?, number::text)) from generate_series(?::int, ?::int) number', [
            MODEL_CHANNEL,
            JSON.stringify(message),
            '%',
            from,
            from + count - 1,
          ]);
      };
      const droppedFor = (reason: string): Promise<number> =>
        metric(new RegExp(`assay_followers_dropped_total\\{reason="${reason}"\\} (\\d+)`));

      it('is dropped when too many events wait, with the reason as the last event', async () => {
        const stalled = (await follower()).stopReading();
        let sent = 0;
        // more than may wait at a time, so that a full connection is noticed before the stall timeout
        for (; (await droppedFor('queue_full')) === 0; sent += 300) {
          await emit({ type: 'score', dataset: 'set %', metrics: {} }, sent, 300);
        }
        const text = await stalled.resumeReading().answered(END);
        expect(text).toMatch(/event: dropped\nid: \d+\ndata: \{"reason":"You read events more slowly than they occur/);
        expect(text).not.toContain(`"set ${sent - 1}"`);
      });

      it('is not dropped for progress, of which only the latest waits, but after the stall timeout', async () => {
        (await follower()).stopReading();
        const before = await droppedFor('queue_full');
        const cut = /request_duration_seconds_count\{method="GET",route="[^"]*events",status="499"\} (\d+)/;
        const left = await metric(cut);
        const progress = { type: 'progress', dataset: 'dev', done: '%', total: 1_000_000, examplesPerSecond: 1 };
        for (let sent = 0; (await droppedFor('stalled')) === 0; sent += 150) await emit(progress, sent, 150);
        expect(await droppedFor('queue_full')).toBe(before);
        while ((await metric(cut)) === left) await pause(20);
      });
    });

    it('receives nothing more once the token was revoked', async () => {
      const { body } = await world.call('POST', '/tokens', { token, body: { name: 'short' } });
      const one = await follower({ authorization: `Bearer ${body.token}` });
      expect((await world.call('DELETE', `/tokens/${body.id}`, { token })).status).toBe(204);
      await one.answered(END);
    });

    it('receives nothing more once the model is hidden', async () => {
      const em = world.orm.em.fork();
      await em.nativeUpdate(Model, id, { published: true });
      const one = await follower();
      await em.nativeUpdate(Model, id, { published: false });
      await one.answered(END);
    });
  });
});
