import { QUEUES } from '@assay/contracts/webhooks';
import { Run } from '@assay/evaluation/runs';
import { User } from '@assay/identity';
import { BoundedQueue, BullmqJobs, queueBackend, queueOptions } from '@assay/jobs';
import { newId } from '@assay/kernel';
import { Deployment } from '@assay/serving';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['kind', 'rude'] },
  performance: 'accuracy',
  limits: { memory: '1GiB', cpus: 2 },
};
const PATHS = ['users', 'queues', 'evaluators', 'sandboxes', 'storage'];

describe('administration', () => {
  let world: ApiWorld;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    world = await apiWorld();
    tokens['admin'] = world.admin;
    for (const name of ['ann', 'bob', 'cid']) tokens[name] = await world.user(name);
    await world.call('POST', '/tasks', { token: tokens['ann']!, body: TASK });
    await world.call('PUT', '/tasks/tone/datasets/open?visibility=public', {
      token: tokens['ann']!,
      type: 'application/x-ndjson',
      body: JSON.stringify({ id: '1', text: 'one', label: 'kind' }),
    });
  });
  afterAll(() => world.close());

  const as = (name: string) => (method: string, path: string, body?: object) =>
    world.call(method, path, { token: tokens[name], ...(body && { body }) });
  const admin = as('admin');
  const idOf = async (username: string) => (await world.orm.em.fork().findOneOrFail(User, { username })).id;
  const users = async (query = '') => (await admin('GET', `/admin/users${query}`)).body;
  const names = (list: { readonly items: readonly { readonly username: string }[] }) =>
    list.items.map(({ username }) => username);

  it.each(PATHS)('of %s is for administrators alone', async (path) => {
    const refused = await as('ann')('GET', `/admin/${path}`);
    expect([refused.status, refused.body.code]).toEqual([403, 'administrators_only']);
    expect((await world.call('GET', `/admin/${path}`)).status).toBe(401);
    expect((await admin('GET', `/admin/${path}`)).status).toBe(200);
  });

  describe('of accounts', () => {
    it('lists them, the newest first, page by page', async () => {
      expect(names(await users())).toEqual(['cid', 'bob', 'ann', 'admin']);
      const first = await users('?limit=3');
      expect(names(first)).toEqual(['cid', 'bob', 'ann']);
      const second = await users(`?limit=3&cursor=${first.nextCursor}`);
      expect([names(second), second.nextCursor]).toEqual([['admin'], undefined]);
      expect((await users('?query=ann')).items).toEqual([
        {
          id: expect.any(String),
          storageLimit: null,
          username: 'ann',
          displayName: null,
          email: 'ann@example.org',
          role: 'user',
          createdAt: expect.any(String),
          lastSeenAt: expect.any(String),
          blockedAt: null,
          verified: false,
          verifiedAt: null,
          tasks: 1,
          models: expect.any(Number),
        },
      ]);
    });

    it('finds them by any of their names, in the role that is asked for', async () => {
      await as('bob')('PATCH', '/me/profile', { displayName: 'Robert' });
      expect(names(await users('?query=ROB'))).toEqual(['bob']);
      expect(names(await users('?query=cid@example'))).toEqual(['cid']);
      expect(names(await users('?query=%25'))).toEqual([]);
      expect(names(await users('?role=administrator'))).toEqual(['admin']);
      expect(names(await users('?role=crowd'))).toEqual([]);
    });

    it('makes somebody an administrator, and takes it back at once', async () => {
      const bob = await idOf('bob');
      expect((await as('ann')('PATCH', `/admin/users/${bob}`, { role: 'administrator' })).status).toBe(403);
      const made = await admin('PATCH', `/admin/users/${bob}`, { role: 'administrator' });
      expect([made.status, made.body.role]).toEqual([200, 'administrator']);
      expect((await as('bob')('GET', '/admin/users')).status).toBe(200);
      expect((await admin('PATCH', `/admin/users/${bob}`, { role: 'user' })).body.role).toBe('user');
      expect((await as('bob')('GET', '/admin/users')).status).toBe(403);
    });

    it('leaves one administrator, and nobody changes their own account', async () => {
      const [first, second] = [await idOf('admin'), await idOf('cid')];
      const own = await admin('PATCH', `/admin/users/${first}`, { role: 'user' });
      expect([own.status, own.body.code]).toEqual([409, 'own_account']);

      await admin('PATCH', `/admin/users/${second}`, { role: 'administrator' });
      const answers = await Promise.all([
        admin('PATCH', `/admin/users/${second}`, { role: 'user' }),
        as('cid')('PATCH', `/admin/users/${first}`, { blocked: true }),
      ]);
      // the later request would have removed the last administrator, or its sender was no longer
      // one
      expect(answers.map(({ status }) => status).sort()).not.toEqual([200, 200]);
      const left = { role: 'administrator' as const, blockedAt: null };
      expect(await world.orm.em.fork().count(User, left)).toBe(1);
      await world.orm.em.fork().nativeUpdate(User, first, { role: 'administrator', blockedAt: null });
      await world.orm.em.fork().nativeUpdate(User, second, { role: 'user' });
    });

    it('keeps somebody out until they are let in again', async () => {
      const bob = await idOf('bob');
      const signIn = () =>
        world.call('POST', '/auth/login', { body: { email: 'bob@example.org', password: 'bob-has-a-password' } });
      const blocked = await admin('PATCH', `/admin/users/${bob}`, { blocked: true });
      expect(blocked.body.blockedAt).toEqual(expect.any(String));
      expect((await as('bob')('GET', '/me')).body.code).toBe('invalid_token');
      expect((await signIn()).body.code).toBe('account_blocked');

      expect((await admin('PATCH', `/admin/users/${bob}`, { blocked: false })).body.blockedAt).toBeNull();
      expect((await as('bob')('GET', '/me')).status).toBe(200);
      expect((await signIn()).status).toBe(200);
    });

    it('knows no account that is not there', async () => {
      for (const id of [newId(), 'none'])
        expect((await admin('PATCH', `/admin/users/${id}`, { role: 'user' })).status).toBe(404);
      expect((await admin('PATCH', `/admin/users/${await idOf('bob')}`, { role: 'crowd' })).status).toBe(422);
    });
  });

  it('of queues says what waits in each, and since when', async () => {
    const backend = queueBackend(undefined, process.env['DATABASE_URL']!, 1);
    const jobs = new BullmqJobs(new Map([['mail', new BoundedQueue('mail', queueOptions(backend))]]));
    for (const id of ['1', '2']) {
      await jobs.enqueue('mail', { notificationId: id }, { jobId: `mail-${id}` });
    }
    await jobs.close();
    const { queues, events, runs } = (await admin('GET', '/admin/queues')).body;
    const empty = { waiting: 0, active: 0, delayed: 0, failed: 0, oldestWaitingSeconds: null };
    expect(queues.map(({ name }: { name: string }) => name)).toEqual([...QUEUES]);
    expect(queues).toContainEqual({ ...empty, name: 'mail', waiting: 2, oldestWaitingSeconds: expect.any(Number) });
    expect(queues).toContainEqual({ ...empty, name: 'publish' });
    expect(events).toEqual({ waiting: expect.any(Number), oldestSeconds: expect.any(Number) });
    expect(runs.map(({ stage }: { stage: string }) => stage)).toEqual(['admission', 'evaluation']);
  });

  describe('of work', () => {
    let model: string;

    beforeAll(async () => {
      const made = await as('bob')('POST', '/tasks/tone/models', { name: 'Bert', kind: 'container' });
      model = made.body.id as string;
      const body = 'its bytes';
      await world.call('PUT', `/models/${model}/artifact`, {
        token: tokens['bob']!,
        type: 'application/octet-stream',
        body,
      });
    });

    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);
    const listed = async (path: string) => (await admin('GET', `/admin/${path}`)).body.items as Listed[];

    async function hold(evaluator: string, leaseSeconds: number): Promise<void> {
      const em = world.orm.em.fork();
      const { specification, task, owner } = await em.findOneOrFail(Model, model);
      const now = new Date();
      await em.nativeDelete(Run, { specification: specification!.id });
      await em.nativeDelete(Deployment, { model });
      const common = { specification: specification!.id, task: task.id, leaseUntil: inSeconds(leaseSeconds) };
      em.create(Run, {
        ...common,
        owner: owner.id,
        stage: 'evaluation',
        state: 'leased',
        leaseOwner: evaluator,
        deadline: inSeconds(600),
        startedAt: inSeconds(-60),
      });
      em.create(Deployment, { ...common, model, state: 'ready', evaluator, readyAt: now, createdAt: now });
      await em.flush();
    }

    it('lists what runs: which model, since when, where, and within what', async () => {
      await hold('east', 60);
      const [run, deployment, ...more] = await listed('sandboxes');
      expect(more).toEqual([]);
      const common = { task: 'tone', model: { id: model, name: 'Bert', owner: 'bob' }, evaluator: 'east', cpus: 2 };
      expect(run).toMatchObject({ ...common, kind: 'run', does: 'evaluation', memory: 2 ** 30 });
      expect(deployment).toMatchObject({ ...common, kind: 'placement', does: 'ready', memory: 2 ** 30 });
      expect(Date.parse(run!.since!)).toBeLessThan(Date.parse(deployment!.since!));
    });

    it('lists evaluators with what they hold, and those that hold nothing', async () => {
      await hold('east', 60);
      const em = world.orm.em.fork();
      await admin('POST', '/evaluators', { name: 'west' });
      await em.execute(`update evaluator set last_seen_at = now() where name = 'west'`);
      const both = await listed('evaluators');
      expect(both).toMatchObject([
        { name: 'east', leases: 2, isLive: true, seenAt: null, work: [{ kind: 'run' }, { kind: 'placement' }] },
        { name: 'west', leases: 0, isLive: true, seenAt: expect.any(String), work: [] },
      ]);

      await hold('east', -1);
      await em.execute(`update evaluator set last_seen_at = now() - interval '2 minutes' where name = 'west'`);
      expect(await listed('evaluators')).toMatchObject([{ name: 'west', isLive: false }]);
      expect(await listed('sandboxes')).toEqual([]);
      await em.execute(`update evaluator set state = 'removed' where name = 'west'`);
      expect(await listed('evaluators')).toEqual([]);
    });

    it('counts runs by what they wait for', async () => {
      await hold('east', 60);
      const em = world.orm.em.fork();
      const counted = async () => (await admin('GET', '/admin/queues')).body.runs[1] as object;
      expect(await counted()).toMatchObject({ stage: 'evaluation', queued: 0, leased: 1, failedInDay: 0 });
      const failure = { code: 'platform_failed', fault: 'platform', message: 'It failed.', action: 'Wait.' };
      await em.execute(`update run set state = 'failed', finished_at = now(), failure = ?::jsonb`, [
        JSON.stringify(failure),
      ]);
      expect(await counted()).toMatchObject({ leased: 0, failedInDay: 1, platformFailedInDay: 1 });
    });

    it('does not call a run late that waits for a quiet host to be measured on', async () => {
      await hold('east', 60);
      const em = world.orm.em.fork();
      const late = `update run set state = 'queued', created_at = now() - interval '1 hour'`;
      const evaluation = async () => (await admin('GET', '/admin/queues')).body.runs[1] as object;
      await em.execute(`${late}, purpose = 'measures'`);
      expect(await evaluation()).toMatchObject({ queued: 1, oldestQueuedSeconds: null });
      await em.execute(`${late}, purpose = 'evaluation'`);
      expect(await evaluation()).toMatchObject({ queued: 1, oldestQueuedSeconds: expect.any(Number) });
    });
  });

  it('of storage counts blobs by what they are, once', async () => {
    const { at, blobs, disk, database } = (await admin('GET', '/admin/storage')).body;
    expect(Date.parse(at as string)).toBeGreaterThan(Date.now() - 61_000);
    expect(blobs).toHaveLength(6);
    expect(blobs).toContainEqual({ kind: 'datasets', count: 1, bytes: expect.any(Number) });
    expect(disk.free).toBeGreaterThan(0);
    expect(disk.total).toBeGreaterThan(disk.free as number);
    expect(database).toBeGreaterThan(1_000_000);
  });
});

interface Listed {
  readonly name: string;
  readonly since?: string;
}
