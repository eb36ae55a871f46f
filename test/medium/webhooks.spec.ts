import { randomBytes } from 'node:crypto';
import { WebhookDispatcher } from '@assay/application';
import { Participation } from '@assay/collection/rounds';
import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { User } from '@assay/identity';
import {
  enqueueNext,
  enqueueWebhooks,
  sweepDeliveries,
  Webhook,
  WebhookDelivery,
  WebhookSecrets,
  WebhookTargets,
} from '@assay/notifications/webhooks';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { apiDatabase } from '../../apps/api/src/api-database.js';
import { Environment } from '../../apps/api/src/environment.js';
import type { PostResult } from '../../apps/worker/src/worker-metrics.js';
import { WebhookSender } from '../../apps/worker/src/webhooks/webhook-sender.js';
import { annotationFactory } from '../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import {
  type Answer,
  isSigned,
  type Received,
  RECEIVER_PATH,
  status,
  WebhookReceiver,
} from '../factories/services/webhook-receiver.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['hateful', 'harmless'] },
  performance: 'accuracy',
};
const ALL_OF_ROUNDS = ['round.opened', 'round.closed'];

describe('webhooks', () => {
  const receiver = new WebhookReceiver();
  const tokens: Record<string, string> = {};
  const enqueued = new Map<string, JobMap['webhook']>();
  const jobs = {
    enqueue: (queue: QueueName, payload: JobMap[QueueName], { jobId }: { jobId: string }) => {
      expect([queue, /^[^:]+$/.test(jobId)]).toEqual(['webhook', true]);
      enqueued.set(jobId, payload as JobMap['webhook']);
      return Promise.resolve();
    },
  };
  let world: ApiWorld;
  let url: string;
  let secrets: WebhookSecrets;
  let sender: WebhookSender;
  let events = 0;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    world = await apiWorld({
      ASSAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      ASSAY_WEBHOOK_PORTS: '1-65535',
      ASSAY_WEBHOOK_HTTP: 'true',
    });
    url = await receiver.open();
    for (const name of ['owner', 'ann', 'bob']) tokens[name] = await world.user(name);
    await world.call('POST', '/tasks', { token: tokens['owner']!, body: TASK });
    secrets = await WebhookSecrets.stored(world.home);
    sender = senderOn(world.orm);
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await receiver.close();
    await world.close();
  });
  beforeEach(() => {
    enqueued.clear();
    receiver.received.length = 0;
    posts.length = 0;
  });
  afterEach(async () => {
    expect(receiver.answers).toEqual([]);
    await em().nativeDelete(Webhook, {});
  });

  const em = () => world.orm.em.fork();
  const row = (id: string) => em().findOneOrFail(WebhookDelivery, id);
  const posts: { readonly outcome: PostResult; readonly seconds: number }[] = [];
  const senderOn = (orm: MikroORM, key = secrets): WebhookSender => {
    const targets = new WebhookTargets({
      allowedNetworks: ['127.0.0.1/32'],
      ports: [{ from: 1, to: 65_535 }],
      http: true,
    });
    const resolve = () => Promise.reject(new Error('nothing here has a name'));
    const metrics = { webhookPosted: (outcome: PostResult, seconds: number) => void posts.push({ outcome, seconds }) };
    return new WebhookSender(
      orm.em.fork(),
      key,
      { targets, resolve, milliseconds: 30_000 },
      { next: () => 1 },
      metrics,
    );
  };

  const call = (name: string, method: string, path: string, body?: object) =>
    world.call(method, `/me/webhooks${path}`, { token: tokens[name], ...(body && { body }) });
  async function made(name: string, kinds: readonly string[] = ALL_OF_ROUNDS): Promise<{ id: string; secret: string }> {
    const answer = await call(name, 'POST', '', { url, kinds });
    expect(answer.status).toBe(201);
    return answer.body as { id: string; secret: string };
  }

  /** Dispatches an event twice, as a relay may. */
  async function told(type: string, payload: Record<string, unknown>): Promise<void> {
    const event = { id: String(++events), type, payload };
    const dispatcher = new WebhookDispatcher(em(), jobs);
    await dispatcher.dispatch(event);
    await dispatcher.dispatch(event);
  }
  /** Dispatches the last `webhook.due` event in the outbox, which a user requested. */
  async function toldOfAsked(): Promise<void> {
    const [event] = await em().find(OutboxEvent, { type: 'webhook.due' }, { orderBy: { id: 'desc' }, limit: 1 });
    await new WebhookDispatcher(em(), jobs).dispatch({ id: event!.id, type: event!.type, payload: event!.payload });
  }
  /** Processes all enqueued deliveries. */
  async function worked(): Promise<void> {
    while (enqueued.size > 0) {
      const [[name, { deliveryId }]] = [...enqueued] as [[string, JobMap['webhook']]];
      enqueued.delete(name);
      const claim = await sender.send(deliveryId);
      if (claim) await enqueueNext(em(), jobs, claim);
    }
  }
  async function openedRound(taskSlug = 'tone'): Promise<Round> {
    const fork = em();
    const task = await fork.findOneOrFail(Task, { slug: taskSlug });
    const number = (await fork.count(Round, { task })) + 1;
    const round = fork.create(Round, { task, number, state: 'open', imported: false });
    const ann = await fork.findOneOrFail(User, { username: 'ann' });
    fork.create(Participation, { round, user: ann });
    await fork.flush();
    return round;
  }
  /**
   * Creates a delivery to ann for the opening of a round.
   * @returns The delivery's ID.
   */
  async function delivery(): Promise<string> {
    const round = await openedRound();
    await told('round.opened', { roundId: round.id });
    const [{ deliveryId }] = [...enqueued.values()] as [JobMap['webhook']];
    enqueued.clear();
    return deliveryId;
  }
  const isDue = (id: string) =>
    em().execute('update webhook_delivery set due_at = now(), lease_until = null where id = ?', [id]);
  const secondsToGo = async (id: string): Promise<number> =>
    (
      await em().execute<{ seconds: number }[]>(
        'select extract(epoch from due_at - now())::float as seconds from webhook_delivery where id = ?',
        [id],
      )
    )[0]!.seconds;

  describe('are made', () => {
    it('with a secret that is shown once, and kept sealed', async () => {
      const answer = await call('ann', 'POST', '', { url: `${url}#part`, kinds: [...ALL_OF_ROUNDS, 'round.opened'] });
      const { secret, ...view } = answer.body;
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(view).toMatchObject({ url, kinds: ALL_OF_ROUNDS, disabledAt: null, disabledBy: null, failingSince: null });
      const listed = (await call('ann', 'GET', '')).body;
      expect(listed).toEqual({ items: [view] });

      const stored = JSON.stringify(await em().execute('select * from webhook'));
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(secret.slice(6));
      const [audited] = await em().execute<object[]>(`select * from audit_entry where action = 'webhook.made'`);
      expect(audited).toMatchObject({ subject_id: view.id, to: { origin: new URL(url).origin, enabled: true } });
      expect(JSON.stringify(audited)).not.toContain(RECEIVER_PATH);
    });

    it.each([
      ['https://127.0.0.2/', 'not public'],
      ['https://ann:pw@hooks.example.org', 'password'],
      ['ftp://hooks.example.org', 'https'],
      ['not a URL', 'not a URL'],
    ])('only where they may go: %s', async (bad, why) => {
      const refused = await call('ann', 'POST', '', { url: bad, kinds: ALL_OF_ROUNDS });
      expect([refused.status, refused.body.code]).toEqual([422, 'webhook_target_refused']);
      expect(refused.body.detail).toContain(why);
      const { id } = await made('ann');
      expect((await call('ann', 'PATCH', `/${id}`, { url: bad })).body.code).toBe('webhook_target_refused');
    });

    it('ten by each, also at once', async () => {
      const asked = Array.from({ length: 14 }, () => call('ann', 'POST', '', { url, kinds: ALL_OF_ROUNDS }));
      const answers = await Promise.all(asked);
      expect(answers.filter(({ status: code }) => code === 201)).toHaveLength(10);
      expect(answers.find(({ status: code }) => code !== 201)!.body).toMatchObject({
        status: 409,
        code: 'too_many_webhooks',
      });
      await made('bob');
    });

    it('by their holder alone, and are of nobody else', async () => {
      const { id } = await made('ann');
      const sent = await delivery();
      const asked = [
        await call('bob', 'PATCH', `/${id}`, { enabled: false }),
        await call('bob', 'POST', `/${id}/secret`),
        await call('bob', 'POST', `/${id}/ping`),
        await call('bob', 'GET', `/${id}/deliveries`),
        await call('bob', 'POST', `/${id}/deliveries/${sent}/redeliver`),
        await call('bob', 'DELETE', `/${id}`),
      ];
      expect(asked.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404, 404]);
      const { id: other } = await made('bob');
      expect((await call('bob', 'POST', `/${other}/deliveries/${sent}/redeliver`)).status).toBe(404);
      expect((await call('bob', 'GET', '')).body.items).toHaveLength(1);
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ disabledAt: null }]);
    });
  });

  describe('are notified', () => {
    it('of what happens, once, signed as in Standard Webhooks', async () => {
      const { id, secret } = await made('ann');
      const round = await openedRound();
      await told('round.opened', { roundId: round.id });
      await told('round.opened', { roundId: round.id });
      await worked();

      expect(receiver.received).toHaveLength(1);
      const [event] = receiver.received as [Received];
      expect(isSigned(event, secret)).toBe(true);
      expect(isSigned({ ...event, body: `${event.body} ` }, secret)).toBe(false);
      const age = Date.now() / 1000 - Number(event.headers['webhook-timestamp']);
      expect(Math.abs(age)).toBeLessThan(300);
      expect(JSON.parse(event.body)).toEqual({
        type: 'round.opened',
        timestamp: expect.any(String),
        data: { task: 'tone', round: round.number },
      });
      const { items } = (await call('ann', 'GET', `/${id}/deliveries`)).body;
      expect(items).toMatchObject([
        {
          id: event.headers['webhook-id'],
          kind: 'round.opened',
          state: 'delivered',
          attempts: 1,
          nextAttemptAt: null,
          log: [{ status: 200, answer: 'taken', problem: null }],
        },
      ]);
      await told('round.opened', { roundId: round.id });
      await worked();
      expect(receiver.received).toHaveLength(1);
    });

    it('of the kinds that they ask for, and owners of all of their task', async () => {
      await made('ann', ['round.closed']);
      await made('owner', ['task.round.opened', 'task.model.failed', 'task.model.finished', 'task.board.published']);
      await made('bob', ['task.round.opened', 'task.board.published', 'model.finished', 'task.model.finished']);
      const round = await openedRound();
      const model = await modelOf('bob');
      await told('round.opened', { roundId: round.id });
      await told('model.settled', { modelId: model.id, state: 'scored' });
      await told('board.published', { taskId: round.task.id, revision: 7 });
      await worked();
      const said = receiver.received.map(({ body }) => JSON.parse(body)).map(({ type, data }) => [type, data]);
      expect(said.toSorted()).toEqual([
        ['model.finished', { task: 'tone', model: { id: model.id, name: 'Bert' } }],
        ['task.board.published', { task: 'tone', revision: 7 }],
        ['task.model.finished', { task: 'tone', model: { id: model.id, name: 'Bert' } }],
        ['task.round.opened', { task: 'tone', round: round.number }],
      ]);
    });

    it('of a model again only when it comes out otherwise', async () => {
      await made('bob', ['model.finished', 'model.failed']);
      const model = await modelOf('bob');
      for (const state of ['scored', 'scored', 'failed', 'scored']) {
        await told('model.settled', { modelId: model.id, state });
      }
      await worked();
      const types = receiver.received.map(({ body }) => JSON.parse(body).type as string);
      expect(types.toSorted()).toEqual(['model.failed', 'model.finished', 'model.finished']);
    });

    it('nothing while they are disabled, or their holder is blocked', async () => {
      const { id } = await made('ann');
      const before = await delivery();
      await call('ann', 'PATCH', `/${id}`, { enabled: false });
      const round = await openedRound();
      await told('round.opened', { roundId: round.id });
      expect([enqueued.size, await sender.send(before)]).toEqual([0, null]);
      expect((await call('ann', 'POST', `/${id}/ping`)).body.code).toBe('webhook_disabled');
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ disabledBy: 'you' }]);

      await call('ann', 'PATCH', `/${id}`, { enabled: true });
      const held = await delivery();
      const blocked = (isBlocked: boolean) =>
        em().nativeUpdate(User, { username: 'ann' }, { blockedAt: isBlocked ? new Date() : null });
      await blocked(true);
      expect(await sender.send(held)).toBeNull();
      await enqueueWebhooks(em(), jobs);
      await told('round.opened', { roundId: (await openedRound()).id });
      expect([enqueued.size, receiver.received.length]).toEqual([0, 0]);
      await blocked(false);
      await enqueueWebhooks(em(), jobs);
      await worked();
      expect(receiver.ids).toEqual([held]);
    });
  });

  describe('that can’t be reached', () => {
    it('are tried again later, under the same id and with the same body, until they answer', async () => {
      const { id, secret } = await made('ann');
      const cut: Answer = (response) => void response.destroy();
      receiver.answers.push(status(500), status(307, { location: url }), cut, status(200));
      const sent = await delivery();
      await sender.send(sent);
      expect(await secondsToGo(sent)).toBeGreaterThan(5);
      expect(await sender.send(sent)).toBeNull();
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ failingSince: expect.any(String) }]);
      for (let more = 0; more < 3; more++) {
        await isDue(sent);
        await enqueueWebhooks(em(), jobs);
        await worked();
      }

      expect(receiver.ids).toEqual([sent, sent, sent, sent]);
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
      expect(receiver.received.every((each) => isSigned(each, secret))).toBe(true);
      const { items } = (await call('ann', 'GET', `/${id}/deliveries`)).body;
      expect(items).toMatchObject([
        {
          state: 'delivered',
          attempts: 4,
          log: [
            { status: 200, problem: null },
            { status: null, problem: expect.stringMatching(/\.$/) },
            { status: 307, problem: 'It answered 307. Redirects are not followed.' },
            { status: 500, answer: 'status 500', problem: 'It answered 500.' },
          ],
        },
      ]);
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ failingSince: null }]);
      expect(posts.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'unreached', 'delivered']);
      expect(posts.every(({ seconds }) => seconds >= 0 && seconds < 30)).toBe(true);
    });

    it('are left alone for as long as they ask', async () => {
      await made('ann');
      const sent = await delivery();
      receiver.answers.push(status(429, { 'retry-after': '3600' }));
      await sender.send(sent);
      expect(await secondsToGo(sent)).toBeGreaterThan(3500);
    });

    it('are given up after ten attempts', async () => {
      await made('ann');
      const sent = await delivery();
      for (let attempt = 1; attempt <= 10; attempt++) {
        receiver.answers.push(status(503));
        await isDue(sent);
        expect(await sender.send(sent)).not.toBeNull();
        expect((await row(sent)).state).toBe(attempt < 10 ? 'waiting' : 'failed');
      }
      await isDue(sent);
      expect(await sender.send(sent)).toBeNull();
      expect(receiver.received).toHaveLength(10);
    });

    it('are disabled once they say that they are gone, and their creator is notified', async () => {
      const { id } = await made('ann');
      const [sent, waiting] = [await delivery(), await delivery()];
      receiver.answers.push(status(410));
      await sender.send(sent);
      expect([(await row(sent)).state, (await row(waiting)).state]).toEqual(['failed', 'failed']);
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ id, disabledBy: 'gone' }]);
      const { items } = (await world.call('GET', '/me/notifications', { token: tokens['ann'] })).body;
      const title = `Your webhook at ${new URL(url).origin} was disabled: it answered 410 Gone.`;
      expect(items[0]).toMatchObject({ kind: 'webhook_disabled', title, task: null, model: null });
      const [audited] = await em().execute<object[]>(
        `select actor, "to" from audit_entry where action = 'webhook.disabled' and subject_id = ?`,
        [id],
      );
      expect(audited).toEqual({ actor: null, to: { by: 'gone' } });

      await call('ann', 'PATCH', `/${id}`, { enabled: true });
      await told('round.opened', { roundId: (await openedRound()).id });
      await worked();
      expect(receiver.received).toHaveLength(2);
    });

    it('are disabled after three days without an answer, and not before', async () => {
      const { id } = await made('ann');
      const failedFor = async (hours: number) => {
        const sent = await delivery();
        await em().execute('update webhook set failing_since = now() - make_interval(hours => ?)', [hours]);
        receiver.answers.push(status(500));
        await sender.send(sent);
        return (await em().findOneOrFail(Webhook, id)).disabledBy;
      };
      expect(await failedFor(71)).toBeNull();
      expect(await failedFor(73)).toBe('failing');
    });
  });

  describe('by a sender that dies or stops', () => {
    it('are sent again under the same id where it died between sending and noting it', async () => {
      await made('ann');
      const sent = await delivery();
      const { doomed, kill } = await senderThatDies();
      receiver.answers.push(async (response) => {
        await kill();
        response.end('taken');
      });
      await expect(senderOn(doomed).send(sent)).rejects.toThrow();
      expect(await row(sent)).toMatchObject({ state: 'waiting', attempts: 1, log: [] });
      expect(await sender.send(sent)).toBeNull();
      await enqueueWebhooks(em(), jobs);
      expect(enqueued.size).toBe(0);

      await em().execute(`update webhook_delivery set lease_until = now() - interval '1 second'`);
      await enqueueWebhooks(em(), jobs);
      await worked();
      expect(receiver.ids).toEqual([sent, sent]);
      expect(await row(sent)).toMatchObject({ state: 'delivered', attempts: 2 });
    });

    it('change nothing once another has taken over', async () => {
      const { id } = await made('ann');
      const sent = await delivery();
      const { begun, release } = held(receiver, status(500));
      const late = sender.send(sent);
      await begun;
      await em().execute(`update webhook_delivery set lease_until = now() - interval '1 second'`);
      await sender.send(sent);
      release();
      await late;
      expect(await row(sent)).toMatchObject({ state: 'delivered', attempts: 2 });
      expect((await row(sent)).log).toHaveLength(1);
      expect((await em().findOneOrFail(Webhook, id)).failingSince).toBeNull();
    });

    it('are given up where each attempt takes its sender down', async () => {
      await made('ann');
      const sent = await delivery();
      const claimed = `update webhook_delivery set tries = ?, lease_until = now() + make_interval(secs => ?)`;
      await em().execute(claimed, [10, 60]);
      await sweepDeliveries(em());
      expect((await row(sent)).state).toBe('waiting');
      await em().execute(claimed, [10, -1]);
      await sweepDeliveries(em());
      expect((await row(sent)).state).toBe('failed');
    });
  });

  it('wait for one another where they are of the same person, and for nobody else’s', async () => {
    await made('ann');
    const [first, second] = [await delivery(), await delivery()];
    await made('owner', ['task.round.opened']);
    const { begun, release } = held(receiver, status(200));
    const slow = sender.send(first);
    await begun;
    expect(await sender.send(second)).toBeNull();
    const third = await openedRound();
    await told('round.opened', { roundId: third.id });
    const owners = await em().findOneOrFail(WebhookDelivery, { kind: 'task.round.opened' });
    expect(await sender.send(owners.id)).not.toBeNull();
    release();
    enqueued.clear();
    await enqueueNext(em(), jobs, (await slow)!);
    await worked();
    expect(receiver.ids.slice(0, 3)).toEqual([first, owners.id, second]);
  });

  describe('that are given another secret', () => {
    /**
     * Sends a delivery.
     * @returns The received event, and for each secret whether its signature matches.
     */
    async function signedBy(...secrets: string[]): Promise<{ event: Received; by: boolean[] }> {
      await sender.send(await delivery());
      const event = receiver.received.at(-1)!;
      return { event, by: secrets.map((secret) => isSigned(event, secret)) };
    }

    it('are signed with both for a day, and then with the new one alone', async () => {
      const { id, secret: former } = await made('ann');
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ formerSecretUntil: null }]);

      const renewed = await call('ann', 'POST', `/${id}/secret`);
      const { secret, ...view } = renewed.body;
      expect([renewed.status, secret === former]).toEqual([201, false]);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect((await call('ann', 'GET', '')).body).toEqual({ items: [view] });
      const hours = (Date.parse(view.formerSecretUntil) - Date.now()) / 3_600_000;
      expect(Math.abs(hours - 24)).toBeLessThan(0.1);

      const both = await signedBy(secret, former);
      expect(both.by).toEqual([true, true]);
      expect(both.event.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);

      await em().execute(`update webhook set former_until = now() - interval '1 second'`);
      expect((await signedBy(secret, former)).by).toEqual([true, false]);
      await sweepDeliveries(em());
      expect(await em().findOneOrFail(Webhook, id)).toMatchObject({ formerSecret: null, formerUntil: null });
      expect((await call('ann', 'GET', '')).body.items).toMatchObject([{ formerSecretUntil: null }]);
    });

    it('again, which ends the first', async () => {
      const { id, secret: first } = await made('ann');
      const second = (await call('ann', 'POST', `/${id}/secret`)).body.secret as string;
      const third = (await call('ann', 'POST', `/${id}/secret`)).body.secret as string;

      expect((await signedBy(third, second, first)).by).toEqual([true, true, false]);
    });

    it('can be sent again where the key was lost', async () => {
      const { id } = await made('ann');
      await em().execute(`update webhook set key_id = 'lost', secret = 'sealed with it'`);
      const { secret, formerSecretUntil } = (await call('ann', 'POST', `/${id}/secret`)).body;

      expect(formerSecretUntil).toBeNull();
      expect((await signedBy(secret as string)).by).toEqual([true]);
    });

    it('which stands in the audit log, without either', async () => {
      const { id, secret: former } = await made('ann');
      const { secret, formerSecretUntil } = (await call('ann', 'POST', `/${id}/secret`)).body;
      const [entry] = await em().execute<object[]>(
        `select * from audit_entry where action = 'webhook.secret_renewed' and subject_id = ?`,
        [id],
      );

      expect(entry).toMatchObject({ to: { bothCountUntil: formerSecretUntil } });
      const stored = JSON.stringify([entry, await em().execute('select * from webhook')]);
      expect([former, secret].filter((each) => stored.includes((each as string).slice(6)))).toEqual([]);
    });
  });

  it('are sent by a user who has the key alone', async () => {
    await made('ann');
    const sent = await delivery();
    const stranger = senderOn(world.orm, new WebhookSecrets(randomBytes(32)));
    expect(await stranger.send(sent)).toBeNull();
    expect(await row(sent)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await sender.send(sent)).not.toBeNull();
  });

  it('are tried by a ping, and told again what they were told, under its id', async () => {
    const { id, secret } = await made('ann');
    const pinged = await call('ann', 'POST', `/${id}/ping`);
    expect([pinged.status, pinged.body.kind, pinged.body.state]).toEqual([202, 'webhook.ping', 'waiting']);
    const again = `/${id}/deliveries/${pinged.body.id}/redeliver`;
    expect((await call('ann', 'POST', again)).body.code).toBe('delivery_waits');
    await toldOfAsked();
    await worked();
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: 'webhook.ping', data: { webhook: id } });

    expect((await call('ann', 'POST', again)).status).toBe(202);
    await toldOfAsked();
    await worked();
    expect(receiver.ids).toEqual([pinged.body.id, pinged.body.id]);
    expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body);
    expect(receiver.received.every((each) => isSigned(each, secret))).toBe(true);

    const pings: number[] = [];
    for (let n = 0; n < 10; n++) pings.push((await call('ann', 'POST', `/${id}/ping`)).status);
    expect(pings).toEqual([...Array.from({ length: 9 }, () => 202), 429]);
    const refused = await call('ann', 'POST', `/${id}/ping`);
    expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['too_many_pings', '60']);
    const first = (await call('ann', 'GET', `/${id}/deliveries?limit=4`)).body;
    const second = (await call('ann', 'GET', `/${id}/deliveries?limit=100&cursor=${first.nextCursor}`)).body;
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([4, 6, undefined]);
  });

  it('keep the start of an answer, without what commands', async () => {
    const { id } = await made('ann');
    const sent = await delivery();
    receiver.answers.push((response) => void response.writeHead(400).end(`a\u0000\u001b[2J<b>${'x'.repeat(5000)}`));
    await sender.send(sent);
    const [{ log }] = (await call('ann', 'GET', `/${id}/deliveries`)).body.items;
    expect(log[0].answer).toBe(`a\ufffd\ufffd[2J<b>${'x'.repeat(1024 - 9)}`);
  });

  it('leave their secret and their address nowhere', async () => {
    const { id, secret } = await made('ann');
    await call('ann', 'PATCH', `/${id}`, { kinds: ['round.opened'] });
    await call('ann', 'POST', `/${id}/ping`);
    await toldOfAsked();
    const jobsOfIt = JSON.stringify([...enqueued]);
    await worked();
    const places: Record<string, string> = { jobs: jobsOfIt };
    for (const table of ['outbox_event', 'audit_entry', 'notification', 'webhook_delivery']) {
      places[table] = JSON.stringify(await em().execute(`select * from ${table}`));
    }
    for (const [place, content] of Object.entries(places)) {
      expect([place, content.includes(secret.slice(6)), content.includes(RECEIVER_PATH)]).toEqual([
        place,
        false,
        false,
      ]);
    }
    const exported = await world.call('GET', '/me/export', { token: tokens['ann'] });
    expect(JSON.stringify(exported.body)).not.toContain(secret.slice(6));
    expect(exported.body.webhooks).toMatchObject([{ id, url }]);
    expect(exported.body.webhookDeliveries).toMatchObject([{ kind: 'webhook.ping' }]);
  });

  it('go with their account', async () => {
    tokens['cid'] = await world.user('cid');
    const { id } = await made('cid');
    await call('cid', 'POST', `/${id}/ping`);
    const body = { text: 'keep', password: 'cid-has-a-password' };
    const gone = await world.call('POST', '/me/deletion', { token: tokens['cid'], body });
    expect(gone.status).toBeLessThan(300);
    expect([await em().count(Webhook), await em().count(WebhookDelivery, { kind: 'webhook.ping' })]).toEqual([0, 0]);
  });

  it('are deleted with what they were sent', async () => {
    const { id } = await made('ann');
    const sent = await delivery();
    expect((await call('ann', 'DELETE', `/${id}`)).status).toBe(204);
    expect(await em().count(WebhookDelivery, { id: sent })).toBe(0);
    expect(await sender.send(sent)).toBeNull();
    expect((await call('ann', 'DELETE', `/${id}`)).status).toBe(404);
  });

  /**
   * Creates a sender with its own database connection, and a function that cuts this connection for
   * good.
   */
  async function senderThatDies(): Promise<{ readonly doomed: MikroORM; readonly kill: () => Promise<void> }> {
    const role = `doomed_${randomBytes(4).toString('hex')}`;
    const server = new pg.Client(process.env['ASSAY_TEST_DATABASE_URL']);
    await server.connect();
    await server.query(`create role ${role} login superuser password '${role}'`);
    const address = new URL(process.env['DATABASE_URL']!);
    Object.assign(address, { username: role, password: role });
    const doomed = await MikroORM.init({ ...apiDatabase(new Environment()), clientUrl: address.href });
    const kill = async (): Promise<void> => {
      await server.query(`alter role ${role} nologin`);
      await server.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
    };
    ends.push(async () => {
      await doomed.close(true);
      await server.query(`drop role ${role}`);
      await server.end();
    });
    return { doomed, kill };
  }

  async function modelOf(name: string): Promise<Model> {
    const fork = em();
    await annotationFactory(world.orm, 'tone');
    const model = fork.create(Model, {
      task: await fork.findOneOrFail(Task, { slug: 'tone' }),
      owner: await fork.findOneOrFail(User, { username: name }),
      name: 'Bert',
      kind: 'container',
      description: '',
      card: '',
      trainedOn: [],
      protocol: 'invocations',
      published: true,
      acceptedAt: new Date(),
    });
    await fork.flush();
    return model;
  }
});

/** Makes the next request wait for its response until `release` is called. */
function held(
  receiver: WebhookReceiver,
  answer: Answer,
): { readonly begun: Promise<void>; readonly release: () => void } {
  let begin: () => void = () => undefined;
  let release: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  receiver.answers.push(async (response) => {
    begin();
    await released;
    await answer(response);
  });
  return { begun, release };
}
