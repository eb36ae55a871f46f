import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVALUATOR_ONLINE_SECONDS, type RemovedEvaluator } from '@assay/contracts/evaluators';
import { Evaluator, EVALUATOR_TRANSITIONS, EvaluatorRepository } from '@assay/evaluation/evaluators';
import { User } from '@assay/identity';
import { AuditEntry } from '@assay/identity/audit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evaluatorName, evaluatorToken } from '../../../scripts/services/installation-evaluator.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { REPORT, TASK } from './route-world.js';

interface Registered {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

const told = ({ status, body }: ApiAnswer): string => `${status} ${body?.code}`;

describe('registered evaluators', () => {
  let world: ApiWorld;
  const tokens: Record<string, string> = {};
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld();
    tokens['admin'] = world.admin;
    for (const name of ['ada', 'ben', 'cat']) tokens[name] = await world.user(name);
    for (const name of ['ada', 'ben']) await call(name, 'POST', '/tasks', { ...TASK, slug: `of-${name}` });
  });
  afterAll(() => world.close());

  const call = (who: string, method: string, path: string, body?: object): Promise<ApiAnswer> =>
    world.call(method, path, { token: tokens[who], ...(body && { body }) });
  const ask = (who: string, body: object): Promise<ApiAnswer> => call(who, 'POST', '/evaluators', body);

  async function registered(who: string, body: object = {}): Promise<Registered> {
    const answer = await ask(who, { name: `host-${++count}`, ...body });
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
    return answer.body as Registered;
  }
  const listed = async (who: string): Promise<Record<string, unknown>[]> =>
    (await call(who, 'GET', '/evaluators')).body.items;
  const report = (token: string, more: object = {}): Promise<ApiAnswer> =>
    world.call('PUT', '/evaluator/presence', { token, body: { ...REPORT, ...more } });
  const show = (token: string): Promise<ApiAnswer> => world.call('GET', '/evaluator', { token });
  const row = (id: string): Promise<Evaluator> => world.orm.em.fork().findOneOrFail(Evaluator, id);

  describe('are registered', () => {
    it('by an administrator for everyone, with a token that is shown once and stored hashed', async () => {
      const answer = await ask('admin', { name: 'gpu-1' });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual({
        id: expect.any(String),
        name: 'gpu-1',
        own: false,
        token: expect.stringMatching(/^assay_evaluator_[\w-]{43}$/),
      });
      const { id, token } = answer.body as Registered;
      expect(await row(id)).toMatchObject({ owner: null, tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      const everything = JSON.stringify([await row(id), await listed('admin'), (await show(token)).body]);
      expect(everything).not.toContain(token);
    });

    it('by the owner of a task, and by an administrator who owns one, only for their tasks', async () => {
      const { id } = await registered('ada');
      expect((await row(id)).owner?.id).toBe((await call('ada', 'GET', '/me')).body.id);
      expect(told(await ask('admin', { name: 'mine', own: true }))).toBe('403 no_task');
      await call('admin', 'POST', '/tasks', { ...TASK, slug: 'of-admin' });
      expect((await ask('admin', { name: 'mine', own: true })).body).toMatchObject({ own: true });
    });

    it('by nobody else', async () => {
      expect(told(await ask('cat', { name: 'of-cat' }))).toBe('403 no_task');
      expect(told(await ask('ada', { name: 'of-all', own: false }))).toBe('403 administrators_only');
      expect(told(await ask('nobody', { name: 'of-nobody' }))).toBe('401 sign_in');
      const read = (await call('ada', 'POST', '/tokens', { name: 'reads', scope: 'submit' })).body.token as string;
      expect(told(await world.call('POST', '/evaluators', { token: read, body: { name: 'x' } }))).toBe(
        '403 scope_missing',
      );
    });

    it.each(['', 'a b', 'a/b', 'é', 'a'.repeat(61), 'a\n'])('under no name such as %j', async (name) => {
      expect(told(await ask('admin', { name }))).toBe('422 validation_failed');
    });

    it('under a name that no other has, until that one is removed', async () => {
      const { id, name } = await registered('ada');
      for (const who of ['ada', 'ben', 'admin']) {
        expect(told(await ask(who, { name }))).toBe('409 evaluator_name_taken');
      }
      const same = await Promise.all(['ada', 'ben', 'admin'].map((who) => ask(who, { name: 'at-once' })));
      expect(same.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);

      await call('ada', 'DELETE', `/evaluators/${id}`);
      expect((await registered('ben', { name })).id).not.toBe(id);
    });

    it('up to 20 times by one owner, also at the same time; removed ones do not count', async () => {
      tokens['dan'] = await world.user('dan');
      await call('dan', 'POST', '/tasks', { ...TASK, slug: 'of-dan' });
      for (let n = 0; n < 18; n++) await registered('dan');
      const last = await Promise.all(Array.from({ length: 5 }, (_, n) => ask('dan', { name: `dan-${n}` })));
      expect(last.map(told).toSorted()).toEqual([
        ...Array<string>(2).fill('201 undefined'),
        ...Array<string>(3).fill('409 too_many_evaluators'),
      ]);
      const [first] = await listed('dan');
      await call('dan', 'DELETE', `/evaluators/${first!['id'] as string}`);
      await registered('dan');
      expect(await listed('dan')).toHaveLength(20);
    });
  });

  describe('are listed', () => {
    it('to their owner, and all of them to administrators', async () => {
      const [ofAda, ofBen, ofAll] = [await registered('ada'), await registered('ben'), await registered('admin')];
      const names = async (who: string) => (await listed(who)).map(({ name }) => name);
      expect(await names('ada')).toContain(ofAda.name);
      expect(await names('ada')).not.toContain(ofBen.name);
      expect(await names('ada')).not.toContain(ofAll.name);
      expect(await names('admin')).toEqual(expect.arrayContaining([ofAda.name, ofBen.name, ofAll.name]));
      expect(await names('cat')).toEqual([]);
      const all = await listed('admin');
      expect(all.find(({ id }) => id === ofAda.id)).toMatchObject({ owner: 'ada' });
      expect(all.find(({ id }) => id === ofAll.id)).toMatchObject({ owner: null });
      expect((await call('ada', 'GET', '/evaluators')).body.protocols).toEqual([1, 2]);
    });

    it('as new, online or offline by the clock of the database, with what they reported', async () => {
      const { id, token, name } = await registered('ada');
      const one = async () => (await listed('ada')).find((each) => each['id'] === id);
      const nothing = {
        version: null,
        protocol: null,
        host: null,
        slots: null,
        problem: null,
        lastSeenAt: null,
        running: [],
      };
      expect(await one()).toEqual({ id, name, owner: 'ada', state: 'new', createdAt: expect.any(String), ...nothing });

      const answer = await report(token);
      const reported = { serverTime: expect.any(String), protocols: [1, 2], reportSeconds: 15, gone: [] };
      expect([answer.status, answer.body]).toEqual([200, reported]);
      expect(await one()).toMatchObject({ state: 'online', lastSeenAt: answer.body.serverTime, ...REPORT });

      await seenAgo(id, EVALUATOR_ONLINE_SECONDS - 10);
      expect(await one()).toMatchObject({ state: 'online' });
      await seenAgo(id, EVALUATOR_ONLINE_SECONDS + 1);
      expect(await one()).toMatchObject({ state: 'offline', ...REPORT });
      await report(token, { slots: 2 });
      expect(await one()).toMatchObject({ state: 'online', slots: 2 });
    });

    it('with why they cannot run models, until they can', async () => {
      const { id, token } = await registered('ada');
      const problemOf = async () => (await listed('ada')).find((each) => each['id'] === id)!['problem'];
      await report(token, { problem: 'The container engine does not answer.' });
      expect(await problemOf()).toBe('The container engine does not answer.');
      await report(token);
      expect(await problemOf()).toBeNull();
    });

    it('as gone to a neighbour on their engine, once they hold nothing and have not reported for long', async () => {
      const [one, dead, slow, fresh] = [
        await registered('admin'),
        await registered('admin'),
        await registered('admin'),
        await registered('admin'),
      ];
      for (const { token } of [dead, slow]) await report(token);
      const neighbours = [dead, slow, fresh].map(({ name }) => name).concat('of-another-service', `it's {odd}, "too"`);
      const gone = async () => (await report(one.token, { neighbours })).body.gone as string[];
      // the lease is 60 seconds long
      await seenAgo(dead.id, 121);
      await seenAgo(slow.id, 115);
      expect((await gone()).toSorted()).toEqual([dead.name, fresh.name].toSorted());
      await report(dead.token);
      expect(await gone()).toEqual([fresh.name]);
    });

    const seenAgo = (id: string, seconds: number): Promise<unknown> =>
      world.orm.em
        .fork()
        .execute(`update evaluator set last_seen_at = now() - make_interval(secs => ?) where id = ?`, [seconds, id]);
  });

  describe('are removed', () => {
    it('by their owner or an administrator, and by nobody else', async () => {
      const [ofAda, ofAll] = [await registered('ada'), await registered('admin')];
      for (const [who, id] of [
        ['ben', ofAda.id],
        ['ada', ofAll.id],
      ] as const) {
        expect(told(await call(who, 'DELETE', `/evaluators/${id}`))).toBe('404 not_found');
      }
      expect((await call('admin', 'DELETE', `/evaluators/${ofAda.id}`)).status).toBe(204);
      expect(told(await call('ada', 'DELETE', `/evaluators/${ofAda.id}`))).toBe('404 not_found');
      expect((await call('admin', 'DELETE', `/evaluators/${ofAll.id}`)).status).toBe(204);
    });

    it('so that their token fails at once and their row stays', async () => {
      const { id, token } = await registered('ada');
      expect((await report(token)).status).toBe(200);
      await call('ada', 'DELETE', `/evaluators/${id}`);
      for (const answer of [await show(token), await report(token)]) {
        expect(told(answer)).toBe('401 evaluator_removed');
        expect(answer.body.detail).toContain('assay evaluator register');
      }
      expect(await row(id)).toMatchObject({ state: 'removed', removedAt: expect.any(Date) });
      expect((await listed('ada')).map((each) => each['id'])).not.toContain(id);
    });

    it('and listed for a day, with the last use of their token since', async () => {
      const { id, name, token } = await registered('ada');
      const removal = async (who: string) =>
        ((await call(who, 'GET', '/evaluators')).body.removed as RemovedEvaluator[]).find((each) => each.id === id);
      const ago = (column: string, seconds: number) =>
        world.orm.em
          .fork()
          .execute(`update evaluator set ${column} = now() - make_interval(secs => ?) where id = ?`, [seconds, id]);
      await report(token);
      expect(await removal('ada')).toBeUndefined();
      await call('ada', 'DELETE', `/evaluators/${id}`);

      const unused = { id, name, owner: 'ada', removedAt: expect.any(String), lastUsedAt: null };
      expect(await removal('ada')).toEqual(unused);
      expect(await removal('admin')).toEqual(unused);
      expect(await removal('ben')).toBeUndefined();
      await show(token);
      const used = (await removal('ada'))!;
      expect(Date.parse(used.lastUsedAt!)).toBeGreaterThan(Date.parse(used.removedAt));
      await report(token);
      expect(await removal('ada')).toEqual(used);
      await ago('last_seen_at', 11);
      await ago('removed_at', 3600);
      await report(token);
      expect(Date.parse((await removal('ada'))!.lastUsedAt!)).toBeGreaterThan(Date.now() - 10_000);

      await ago('removed_at', 86_401);
      expect(await removal('ada')).toMatchObject({ lastUsedAt: expect.any(String) });
      await ago('last_seen_at', 86_400.5);
      expect(await removal('ada')).toBeUndefined();
    });

    it('while a report is on its way, which then changes nothing', async () => {
      const { id } = await registered('ada');
      await call('ada', 'DELETE', `/evaluators/${id}`);
      expect(await new EvaluatorRepository(world.orm.em.fork()).recordPresence(id, REPORT)).toBeNull();
      expect(await row(id)).toMatchObject({ lastSeenAt: null });
    });

    it('with the account of their owner, and with what names their hosts', async () => {
      tokens['eve'] = await world.user('eve');
      await call('eve', 'POST', '/tasks', { ...TASK, slug: 'of-eve' });
      const { id, token, name } = await registered('eve');
      const removed = await registered('eve');
      await call('eve', 'DELETE', `/evaluators/${removed.id}`);
      await report(token);
      const exported = (await call('eve', 'GET', '/me/export')).body.evaluators as object[];
      expect(exported).toEqual([
        expect.objectContaining({ id, name, state: 'active', ...{ host: REPORT.host, version: REPORT.version } }),
        expect.objectContaining({ id: removed.id, state: 'removed' }),
      ]);
      expect(JSON.stringify(exported)).not.toMatch(/hash/i);

      await call('eve', 'POST', '/me/deletion', { text: 'keep', password: 'eve-has-a-password' });
      expect(told(await report(token))).toBe('401 evaluator_removed');
      const erased = { name: 'deleted', host: null, version: null, removedAt: expect.any(Date) };
      for (const each of [id, removed.id]) expect(await row(each)).toMatchObject({ state: 'removed', ...erased });
      expect((await registered('admin', { name })).name).toBe(name);
    });

    it('is the only transition', async () => {
      expect(EVALUATOR_TRANSITIONS).toEqual({ active: ['removed'], removed: [] });
      const evaluator = await row((await registered('ada')).id);
      evaluator.remove(new Date());
      expect(() => evaluator.remove(new Date())).toThrow('no transition leads from removed to removed');
    });
  });

  describe('of an installation', () => {
    const token = () => evaluatorToken({ home: world.home, address: world.url, name: 'of-this-host' });
    const file = () => join(world.home, 'evaluator-token');

    it('is registered once, with a token that only its owner can read', async () => {
      const first = await token();
      expect((await show(first)).body).toMatchObject({ name: 'of-this-host', owner: null });
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(await token()).toBe(first);
    });

    it('is registered again after it was removed, and after its token was lost or replaced', async () => {
      const removed = await token();
      await call('admin', 'DELETE', `/evaluators/${(await show(removed)).body.id as string}`);
      const lost = await token();
      expect((await show(lost)).status).toBe(200);

      rmSync(file());
      const next = await token();
      expect((await show(next)).body).toMatchObject({ name: 'of-this-host' });
      expect(told(await show(lost))).toBe('401 evaluator_removed');

      writeFileSync(file(), 'assay_evaluator_of-another-service\n');
      expect(await token()).not.toBe(next);
    });

    it('is not registered with a name that is invalid', async () => {
      rmSync(file());
      await expect(evaluatorToken({ home: world.home, address: world.url, name: 'a b' })).rejects.toThrow('letters');
    });

    it.each([
      ['gpu-1.example.org', /^gpu-1\.example\.org-[0-9a-f]{8}$/],
      ['a host ü', /^a-host---[0-9a-f]{8}$/],
      ['h'.repeat(64), /^h{51}-[0-9a-f]{8}$/],
    ])('has a name that fits on the host %s', (host, name) => {
      expect(evaluatorName('/srv/assay', host)).toMatch(name);
      expect(evaluatorName('/srv/assay', host)).not.toBe(evaluatorName('/srv/other', host));
    });
  });

  it('are in the audit log, without the name if it is the own one of a user', async () => {
    const entries = async (id: string) => {
      const all = await world.orm.em.fork().find(AuditEntry, { subjectId: id }, { orderBy: { id: 'asc' } });
      return all.map(({ action, subjectName, from, to }) => ({ action, subjectName, from, to }));
    };
    const ofAll = await registered('admin');
    await call('admin', 'DELETE', `/evaluators/${ofAll.id}`);
    expect(await entries(ofAll.id)).toEqual([
      { action: 'evaluator.registered', subjectName: ofAll.name, from: null, to: { owner: null } },
      { action: 'evaluator.removed', subjectName: ofAll.name, from: { owner: null }, to: null },
    ]);
    const ofAda = await registered('ada');
    const owner = (await call('ada', 'GET', '/me')).body.id as string;
    expect(await entries(ofAda.id)).toEqual([
      { action: 'evaluator.registered', subjectName: null, from: null, to: { owner } },
    ]);
  });

  describe('at the gateway', () => {
    it('learn who they are, and which protocols the service supports', async () => {
      const [ofAda, ofAll] = [await registered('ada'), await registered('admin')];
      const { id, name } = ofAda;
      expect((await show(ofAda.token)).body).toEqual({ id, name, owner: 'ada', protocols: [1, 2] });
      expect((await show(ofAll.token)).body).toMatchObject({ id: ofAll.id, owner: null });
    });

    it.each([0, 3])('are refused with the unsupported protocol %i, which is listed', async (protocol) => {
      const { id, token } = await registered('ada');
      const answer = await report(token, { protocol });
      expect(told(answer)).toBe('409 protocol_unsupported');
      expect(answer.body.detail).toContain('supports: 1, 2.');
      const found = (await listed('ada')).find((each) => each['id'] === id);
      expect(found).toMatchObject({ protocol, state: 'online', version: REPORT.version });
    });

    it.each([
      ['an unknown key', { gold: 1 }],
      ['no host', { host: undefined }],
      ['an unknown key of the host', { host: { ...REPORT.host, kernel: '6' } }],
      ['no processors', { host: { ...REPORT.host, cpus: 0 } }],
      ['half a processor', { host: { ...REPORT.host, cpus: 0.5 } }],
      ['memory beyond exact numbers', { host: { ...REPORT.host, memoryBytes: 2 ** 60 } }],
      ['a runtime that is a sentence', { host: { ...REPORT.host, runtimes: ['run c'] } }],
      ['too many runtimes', { host: { ...REPORT.host, runtimes: Array<string>(21).fill('runc') } }],
      ['markup as its version', { version: '<b>1</b>' }],
      ['a text as its slots', { slots: '4' }],
      ['no slots', { slots: 0 }],
      ['no version of the protocol', { protocol: -1 }],
      ['an endless protocol', { protocol: 2 ** 31 }],
    ])('are refused with %s', async (_what, more) => {
      const { id, token } = await registered('admin');
      expect(told(await report(token, more))).toBe('422 validation_failed');
      expect((await row(id)).lastSeenAt).toBeNull();
    });

    it('are the only callers', async () => {
      const login = { email: 'ada@example.org', password: 'ada-has-a-password' };
      const session = await world.call('POST', '/auth/login', { body: login });
      const cookie = session.headers.getSetCookie()[0]!.split(';')[0]!;
      const asked: [string, Parameters<ApiWorld['call']>[2]][] = [
        ['403 evaluator_token_required', { token: tokens['ada'] }],
        ['403 evaluator_token_required', { token: world.admin }],
        ['403 evaluator_token_required', { headers: { cookie } }],
        ['401 evaluator_token_required', {}],
        ['401 invalid_token', { token: `assay_evaluator_${'a'.repeat(43)}` }],
        ['401 invalid_token', { token: 'assay_of-nobody' }],
        ['401 invalid_token', { token: 'guessed' }],
      ];
      for (const [expected, request] of asked) {
        expect([request, told(await world.call('GET', '/evaluator', request))]).toEqual([request, expected]);
        const body = { ...request, body: REPORT };
        expect([request, told(await world.call('PUT', '/evaluator/presence', body))]).toEqual([request, expected]);
      }
    });

    it('have a token that is valid nowhere else, not even with the session of a user', async () => {
      const { token } = await registered('admin');
      for (const path of ['/me', '/tasks', '/evaluators', '/admin/evaluators', '/health/live']) {
        expect([path, told(await world.call('GET', path, { token }))]).toEqual([path, '401 evaluator_token_refused']);
      }
      expect(told(await world.call('POST', '/auth/login-by-token', { body: { token } }))).toBe('401 invalid_token');
      await call('admin', 'DELETE', `/evaluators/${(await show(token)).body.id as string}`);
      expect(told(await world.call('GET', '/me', { token }))).toBe('401 evaluator_token_refused');
    });

    it('are refused while the account of their owner is blocked', async () => {
      const { token } = await registered('ben');
      const em = world.orm.em.fork();
      const block = (blockedAt: Date | null) => em.nativeUpdate(User, { username: 'ben' }, { blockedAt });
      await block(new Date());
      expect(told(await report(token))).toBe('401 evaluator_owner_blocked');
      await block(null);
      expect((await report(token)).status).toBe(200);
    });

    it('have a budget of their own, which neither users nor other evaluators at the same address share', async () => {
      await world.restart({ ASSAY_EVALUATOR_REQUESTS_PER_MINUTE: '3', ASSAY_CHANGES_PER_MINUTE: '1000' });
      const [one, other] = [await registered('admin'), await registered('admin')];
      for (let n = 0; n < 3; n++) expect((await report(one.token)).status).toBe(200);
      const refused = await show(one.token);
      expect([told(refused), refused.headers.get('ratelimit-policy')]).toEqual([
        '429 too_many_requests',
        '"evaluators";q=3;w=60',
      ]);
      expect((await report(other.token)).status).toBe(200);
      expect((await call('ada', 'GET', '/me')).status).toBe(200);
      await world.restart({ ASSAY_EVALUATOR_REQUESTS_PER_MINUTE: '3000' });
    });
  });
});
