import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../../factories/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/api-world.js';
import { SlowClient } from '../../factories/slow-client.js';

const TASK = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy',
};
/** The pool of an API where there are as few connections as may be. */
const POOL = 4;

describe('whoever is slow', () => {
  let world: ApiWorld;
  const clients: SlowClient[] = [];

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_DB_CONNECTIONS: '32' });
  });
  afterEach(() => clients.splice(0).forEach((client) => client.leave()));
  afterAll(() => world.close());

  async function client(): Promise<SlowClient> {
    const opened = await SlowClient.open(world.url);
    clients.push(opened);
    return opened;
  }

  /** @returns the token of a user, who has a task of that name with an open round */
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
  /** Waits until so many bytes of lines for rounds have arrived. */
  async function arrived(bytes: number): Promise<void> {
    while ((await metric(/assay_upload_bytes_total\{kind="round"\} (\d+)/)) < bytes) await pause(20);
  }

  const context = (index: number) => `${JSON.stringify({ id: String(index), context: `It rains ${index} times.` })}\n`;
  const example = (index: number) =>
    `${JSON.stringify({ id: String(index), context: `It rains ${index} times.`, hypothesis: 'Wet.', label: 'neutral' })}\n`;
  const batch = (line: (index: number) => string) => Array.from({ length: 1_000 }, (_, index) => line(index)).join('');

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

  /** @returns what one of them was answered, and the others */
  async function oneRefused(all: readonly SlowClient[]): Promise<[string, readonly SlowClient[]]> {
    const [refused, answer] = await Promise.any(
      all.map(async (each) => [each, await each.answered(/"requestId"/)] as const),
    );
    return [answer, all.filter((each) => each !== refused)];
  }
});
