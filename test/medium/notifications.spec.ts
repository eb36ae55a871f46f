import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { MailConfirmation } from '@assay/accounts';
import { NoticeDispatcher } from '@assay/application';
import { Annotation } from '@assay/collection/annotating';
import { Participation, RoundModel } from '@assay/collection/rounds';
import { failure } from '@assay/contracts/models';
import { type JobMap, type QueueName } from '@assay/contracts/webhooks';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Promotion } from '@assay/leaderboard/promotions';
import { enqueueMails, UserNotification } from '@assay/notifications';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { MailDelivery } from '../../apps/worker/src/mail/mail-delivery.js';
import { type AnnotationFactory, annotationFactory } from '../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['hateful', 'harmless'] },
  performance: 'accuracy',
};

/**
 * An SMTP server that stores the mails it accepts, and first refuses as many as `refusals` says.
 */
class MailBox {
  readonly mails: string[] = [];
  refusals = 0;
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (this.refusals-- > 0) {
          done(Object.assign(new Error('Come back later'), { responseCode: 451 }));
          return;
        }
        this.mails.push(Buffer.concat(chunks).toString('utf8').replaceAll('=\r\n', ''));
        done();
      });
    },
  });

  async open(): Promise<string> {
    const listening = this.server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

describe('notifications', () => {
  let world: ApiWorld;
  let tone: AnnotationFactory;
  const tokens: Record<string, string> = {};
  const enqueued = new Map<string, JobMap[QueueName]>();
  const jobs = {
    enqueue: (queue: QueueName, payload: JobMap[QueueName], { jobId }: { jobId: string }) => {
      expect(queue).toBe('mail');
      enqueued.set(jobId, payload);
      return Promise.resolve();
    },
  };
  let events = 0;

  beforeAll(async () => {
    world = await apiWorld({ SMTP_URL: 'smtp://127.0.0.1:1' });
    for (const name of ['owner', 'ann', 'bob']) tokens[name] = await world.user(name);
    await world.orm.em.fork().nativeUpdate(User, {}, { emailVerifiedAt: new Date() });
    await world.call('POST', '/tasks', { token: tokens['owner']!, body: TASK });
    tone = await annotationFactory(world.orm, 'tone');
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    enqueued.clear();
    await world.orm.em.fork().nativeDelete(UserNotification, {});
  });

  /** Dispatches an event twice, as a relay may. */
  async function told(type: string, payload: Record<string, unknown>, mails = true): Promise<void> {
    const event = { id: String(++events), type, payload };
    const dispatcher = new NoticeDispatcher(world.orm.em.fork(), jobs, mails);
    await dispatcher.dispatch(event);
    await dispatcher.dispatch(event);
  }
  const list = async (name: string, query = '') =>
    (await world.call('GET', `/me/notifications${query}`, { token: tokens[name] })).body;
  const titles = async (name: string): Promise<string[]> =>
    (await list(name)).items.map(({ title }: { title: string }) => title);

  async function modelOf(name: string, given: Partial<Pick<Model, 'state' | 'failure'>> = {}): Promise<Model> {
    const em = world.orm.em.fork();
    const model = em.create(Model, {
      task: await em.findOneOrFail(Task, { slug: 'tone' }),
      owner: await em.findOneOrFail(User, { username: name }),
      name: 'Bert',
      kind: 'container',
      description: '',
      card: '',
      trainedOn: [],
      protocol: 'invocations',
      published: true,
      acceptedAt: new Date(),
      ...given,
    });
    await em.flush();
    return model;
  }

  it('tell of a model that has all its scores or failed, and again only when it comes out otherwise', async () => {
    const model = await modelOf('bob', { state: 'scored' });
    await told('model.settled', { modelId: model.id, state: 'scored' });
    await told('model.settled', { modelId: model.id, state: 'scored' });
    expect(await titles('bob')).toEqual(['Your model "Bert" has all its scores on tone.']);

    const em = world.orm.em.fork();
    await em.nativeUpdate(Model, model.id, { failure: failure('model_exited', 'It exited with code 1.') });
    await told('model.settled', { modelId: model.id, state: 'failed' });
    await told('model.settled', { modelId: model.id, state: 'scored' });
    expect(await titles('bob')).toEqual([
      'Your model "Bert" has all its scores on tone.',
      'Your model "Bert" failed on tone: It exited with code 1.',
      'Your model "Bert" has all its scores on tone.',
    ]);
    expect((await list('bob')).items[0]).toMatchObject({ kind: 'model_finished', model: model.id, task: 'tone' });
    expect(await titles('ann')).toEqual([]);
  });

  it('tell of a model that entered the loop, or left it: that of the policy, and that of a round', async () => {
    const model = await modelOf('bob');
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'tone' });
    const evidence = { rank: 1 } as Promotion['evidence'];
    const promotion = em.create(Promotion, { task, model, evidence, since: new Date() });
    await em.flush();
    await told('board.published', { taskId: task.id, revision: 1 });
    expect(await titles('bob')).toEqual([
      'Your model "Bert" entered the loop of tone. Annotators now write examples against it.',
    ]);

    promotion.until = new Date();
    em.create(RoundModel, {
      round: tone.round.id,
      model,
      reason: 'policy',
      since: new Date(),
      until: new Date(),
      left: 'It stopped answering.',
    });
    await em.flush();
    await told('loop.changed', { taskId: task.id });
    expect((await titles('bob')).toSorted()).toEqual([
      'Your model "Bert" entered the loop of tone. Annotators now write examples against it.',
      'Your model "Bert" left the loop of round 1 of tone: It stopped answering.',
      'Your model "Bert" left the loop of tone.',
    ]);
    const { items } = (await world.call('GET', '/me/badges', { token: tokens['bob'] })).body;
    const earned = items.filter(({ earnedAt }: { earnedAt: string | null }) => earnedAt);
    expect(earned.map(({ code }: { code: string }) => code)).toEqual(['models-1', 'in-the-loop']);
  });

  it('tell of the fate of an example, without its content, and of another fate again', async () => {
    const annotation = await tone.written({ by: 'ann', outcome: 'validated', decidedAt: new Date() });
    await told('annotation.decided', { annotationId: annotation.id });
    await world.orm.em
      .fork()
      .nativeUpdate(Annotation, annotation.id, { outcome: 'rejected', decidedAt: new Date(Date.now() + 1) });
    await told('annotation.decided', { annotationId: annotation.id });

    expect(await titles('ann')).toEqual([
      'Your example in round 1 of tone was found incorrect.',
      'Your example in round 1 of tone was found correct.',
    ]);
    expect(JSON.stringify(await list('ann'))).not.toContain('written by ann');
  });

  it('tell of a round that opens or closes to a user who took part in the task or has a model there', async () => {
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'tone' });
    tokens['cid'] = await world.user('cid');
    tokens['dee'] = await world.user('dee');
    const cid = await em.findOneOrFail(User, { username: 'cid' });
    em.create(Participation, { round: tone.round.id, user: cid });
    const second = em.create(Round, { task, number: 2, state: 'open', imported: false });
    await em.flush();
    await tone.written({ by: 'ann' });
    await modelOf('bob');

    await told('round.opened', { roundId: second.id });
    await told('round.closed', { roundId: second.id });
    for (const name of ['ann', 'bob', 'cid']) {
      expect(await titles(name)).toEqual(['Round 2 of tone is closed.', 'Round 2 of tone is open.']);
    }
    expect(await titles('dee')).toEqual([]);
  });

  it('are read one by one or all at once, and paged', async () => {
    for (const fate of ['validated', 'flagged', 'undecided'] as const) {
      const { id } = await tone.written({ by: 'ann', outcome: fate, decidedAt: new Date() });
      await told('annotation.decided', { annotationId: id });
    }
    const first = await list('ann', '?limit=2');
    expect([first.items.length, first.unread]).toEqual([2, 3]);
    const second = await list('ann', `?limit=2&cursor=${first.nextCursor}`);
    expect([second.items.length, second.nextCursor]).toEqual([1, undefined]);

    const read = (name: string, body: object) =>
      world.call('POST', '/me/notifications/read', { token: tokens[name], body });
    expect((await read('bob', { ids: [first.items[0].id] })).status).toBe(204);
    expect((await list('ann')).unread).toBe(3);
    await read('ann', { ids: [first.items[0].id] });
    expect((await list('ann', '?unread=true')).items).toHaveLength(2);
    await read('ann', { all: true });
    expect((await list('ann')).unread).toBe(0);
    expect((await read('ann', {})).status).toBe(422);
    expect((await world.call('GET', '/me/notifications')).status).toBe(401);
  });

  it('are turned off by kind, here or by mail', async () => {
    const settings = (kinds: object) =>
      world.call('PATCH', '/me/notification-settings', { token: tokens['ann'], body: { kinds } });
    const decided = async () => {
      const { id } = await tone.written({ by: 'ann', outcome: 'validated', decidedAt: new Date() });
      await told('annotation.decided', { annotationId: id });
    };
    const all = (await world.call('GET', '/me/notification-settings', { token: tokens['ann'] })).body;
    expect(all).toMatchObject({ mails: true, kinds: { round_opened: { app: true, mail: true } } });

    const changed = await settings({ example_decided: { app: false } });
    expect(changed.body.kinds).toMatchObject({
      example_decided: { app: false, mail: true },
      round_opened: { app: true, mail: true },
    });
    await decided();
    expect([await titles('ann'), enqueued.size]).toEqual([[], 1]);

    await settings({ example_decided: { mail: false } });
    await decided();
    expect([await titles('ann'), enqueued.size]).toEqual([[], 1]);

    expect((await settings({ weather: { app: true } })).status).toBe(422);
    await settings({ example_decided: { app: true, mail: true } });
    await decided();
    expect([(await titles('ann')).length, enqueued.size]).toEqual([1, 2]);
  });

  describe('by mail', () => {
    const box = new MailBox();
    let mail: MailDelivery;
    beforeAll(async () => {
      const url = await box.open();
      mail = new MailDelivery({ url, from: 'Assay <assay@example.org>', publicUrl: 'https://assay.example.org' });
    });
    afterAll(async () => {
      mail.close();
      await box.close();
    });
    beforeEach(() => {
      box.mails.length = 0;
    });

    async function decided(): Promise<string> {
      const { id } = await tone.written({ by: 'ann', outcome: 'validated', decidedAt: new Date() });
      await told('annotation.decided', { annotationId: id });
      const [payload] = [...enqueued.values()].slice(-1);
      return (payload as { notificationId: string }).notificationId;
    }
    const deliver = (id: string) => mail.deliver(world.orm.em.fork(), id);

    const newest = async (name: string) =>
      world.orm.em.fork().findOneOrFail(MailConfirmation, { user: { username: name } }, { orderBy: { id: 'desc' } });
    const confirm = (secret: string) => world.call('POST', '/auth/mail-confirmation', { body: { secret } });

    it('go to an address alone that its holder has confirmed, by the link that is mailed there', async () => {
      const em = world.orm.em.fork();
      await em.nativeUpdate(User, { username: 'ann' }, { emailVerifiedAt: null });
      const { id } = await tone.written({ by: 'ann', outcome: 'validated', decidedAt: new Date() });
      enqueued.clear();
      await told('annotation.decided', { annotationId: id });
      expect(enqueued.size).toBe(0);
      const notification = await em.findOneOrFail(UserNotification, { user: { username: 'ann' }, mailedAt: null });
      await deliver(notification.id);
      expect(box.mails).toEqual([]);

      expect((await world.call('POST', '/me/mail-confirmation', { token: tokens['ann'] })).status).toBe(204);
      const asked = await newest('ann');
      await told('mail.confirmation', { confirmationId: asked.id });
      expect([...enqueued.values()]).toContainEqual({ confirmationId: asked.id });
      await mail.askToConfirm(world.orm.em.fork(), asked.id);
      await mail.askToConfirm(world.orm.em.fork(), asked.id);
      expect(box.mails).toHaveLength(1);
      const secret = /https:\/\/assay\.example\.org\/confirm-mail#([\w-]+)/.exec(box.mails[0]!)![1]!;
      expect((await confirm('of nobody')).body.code).toBe('confirmation_ended');
      expect((await confirm(secret)).status).toBe(204);
      expect((await confirm(secret)).body.code).toBe('confirmation_ended');
      expect((await world.call('GET', '/me', { token: tokens['ann'] })).body.emailVerified).toBe(true);

      enqueued.clear();
      await enqueueMails(world.orm.em.fork(), jobs);
      expect([...enqueued.values()]).toContainEqual({ notificationId: notification.id });
    });

    it('that confirm an address are asked for three times in a day, once by registering, and not where it is confirmed', async () => {
      const token = await world.user('zoe');
      const ask = () => world.call('POST', '/me/mail-confirmation', { token });
      expect((await newest('zoe')).sentAt).toBeNull();
      const answers = [await ask(), await ask(), await ask()];
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 429]);
      expect(answers[2]!.body.code).toBe('too_many_confirmations');
      expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(86_000);
      await world.orm.em.fork().nativeUpdate(User, { username: 'zoe' }, { emailVerifiedAt: new Date() });
      expect((await ask()).body.code).toBe('mail_confirmed');
    });

    it('go out once, in plain text, with the address where they are turned off', async () => {
      const id = await decided();
      await deliver(id);
      await deliver(id);
      expect(box.mails).toHaveLength(1);
      const [sent] = box.mails;
      expect(sent).toContain('From: Assay <assay@example.org>');
      expect(sent).toContain('To: ann@example.org');
      expect(sent).toContain('Subject: Assay: Your example in round 1 of tone was found correct.');
      expect(sent).toContain(`Message-ID: <${id}@assay.example.org>`);
      expect(sent).toContain('Content-Type: text/plain');
      expect(sent).toContain('https://assay.example.org/api/v1/me/notification-settings');
      expect(sent).not.toContain('written by ann');
    });

    it('are retried while the server refuses, with a job each time', async () => {
      const id = await decided();
      box.refusals = 1;
      await expect(deliver(id)).rejects.toThrow(/Come back later/);
      expect(box.mails).toEqual([]);

      enqueued.clear();
      await enqueueMails(world.orm.em.fork(), jobs);
      expect([...enqueued.values()]).toEqual([{ notificationId: id }]);
      await deliver(id);
      expect(box.mails).toHaveLength(1);

      enqueued.clear();
      await enqueueMails(world.orm.em.fork(), jobs);
      expect(enqueued.size).toBe(0);
    });

    it('are not sent any more once they were turned off', async () => {
      const id = await decided();
      const body = { kinds: { example_decided: { mail: false } } };
      await world.call('PATCH', '/me/notification-settings', { token: tokens['ann'], body });
      await deliver(id);
      await deliver(newId());
      expect(box.mails).toEqual([]);
    });

    it('fail where there is no server, and nothing else does', async () => {
      const nobody = new MailDelivery({ url: 'smtp://127.0.0.1:1', from: 'a@b.c', publicUrl: 'http://localhost' });
      await world.call('PATCH', '/me/notification-settings', {
        token: tokens['ann'],
        body: { kinds: { example_decided: { mail: true } } },
      });
      await expect(nobody.deliver(world.orm.em.fork(), await decided())).rejects.toThrow(/ECONNREFUSED/);
      expect((await list('ann')).items).toHaveLength(1);
    });

    it('have no jobs if the service sends none', async () => {
      const { id } = await tone.written({ by: 'ann', outcome: 'validated', decidedAt: new Date() });
      await told('annotation.decided', { annotationId: id }, false);
      expect(enqueued.size).toBe(0);
      expect(await titles('ann')).toHaveLength(1);
    });
  });
});
