import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation } from '@assay/collection/annotating';
import { CrowdLink, CrowdSession } from '@assay/collection/crowds';
import { Credential, User } from '@assay/identity';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { GATEWAY } from './route-rules.js';
import { builtDashboard } from '../../factories/services/built-dashboard.js';

const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  collection: { instructions: 'Write **something**.', consent: { version: 'c1', text: 'I take part.' } },
};
const LINKS = '/tasks/moods/rounds/1/crowd-links';
const LINK = {
  platform: 'mturk',
  examples: 4,
  pay: { amount: 2, currency: 'USD', minutes: 10 },
  expiresAt: '2099-01-01T00:00:00Z',
};
const QUESTIONS = [
  { input: { text: 'awful' }, label: 'negative' },
  { input: { text: 'lovely' }, label: 'positive' },
];
const [BROWSER, OTHER_BROWSER] = [
  'the-secret-of-the-browser-of-a-worker',
  'the-secret-of-the-browser-of-others',
] as const;
const SUBMIT = 'https://workersandbox.mturk.com';

describe('workers of a crowd', () => {
  const dashboard = builtDashboard();
  let world: ApiWorld;
  let owner: string;
  let round: AnnotationFactory;
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_SIGN_INS_PER_MINUTE: '1000', ASSAY_DASHBOARD: dashboard });
    owner = await world.user('owner');
    await world.user('stranger');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug: 'other' } });
    round = await annotationFactory(world.orm, 'moods');
    await annotationFactory(world.orm, 'other');
  });
  afterAll(async () => {
    await world.close();
    rmSync(dashboard, { recursive: true });
  });

  async function link(more: object = {}, links = LINKS): Promise<{ id: string; signed: string; url: string }> {
    const { status, body } = await world.call('POST', links, { token: owner, body: { ...LINK, ...more } });
    expect(status).toBe(201);
    return { id: body.id, url: body.url, signed: (body.url as string).split('/').at(-1)! };
  }

  const turk = (more: object = {}) => {
    const n = ++count;
    return { assignmentId: `A${n}`, hitId: 'H', workerId: `W${n}`, turkSubmitTo: SUBMIT, ...more };
  };
  const begin = (signed: string, ids: object, secret: string = BROWSER): Promise<ApiAnswer> =>
    world.call('POST', '/crowd/sessions', { body: { link: signed, secret, ...ids } });
  const finish = (token: string, body: object = {}) =>
    world.call('POST', '/crowd/sessions/current/finish', { token, body });
  const refusal = ({ status, body }: ApiAnswer) => [status, body.code];

  async function started(signed: string, ids: object = turk()): Promise<string> {
    const { status, body } = await begin(signed, ids);
    expect(status).toBe(201);
    return body.token as string;
  }

  /** Stores examples as if the worker with this token had sent them. */
  async function writes(token: string, examples: number): Promise<Annotation[]> {
    const em = world.orm.em.fork();
    const { body } = await world.call('GET', '/crowd/sessions/current', { token });
    expect(body.task).toBe('moods');
    const session = await em.findOneOrFail(
      CrowdSession,
      { credential: await credentialOf(token) },
      { populate: ['user'] },
    );
    const by = session.user.username;
    return Promise.all(Array.from({ length: examples }, () => round.written({ by })));
  }

  async function credentialOf(token: string): Promise<string> {
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256').update(token).digest('hex');
    return (await world.orm.em.fork().findOneOrFail(Credential, { hash })).id;
  }

  describe('a link', () => {
    it('is made, listed and closed by the owner of the task', async () => {
      const { id, url } = await link({ onboarding: { questions: QUESTIONS } });

      const { body } = await world.call('GET', LINKS, { token: owner });
      const listed = (body.items as { id: string }[]).find((each) => each.id === id);
      expect(listed).toMatchObject({
        url,
        platform: 'mturk',
        examples: 4,
        onboarding: { questions: QUESTIONS, pass: 0.8, attempts: 2 },
        frameAncestors: ['https://workersandbox.mturk.com', 'https://www.mturk.com', 'https://*.mturk.com'],
        submitTo: ['https://workersandbox.mturk.com', 'https://www.mturk.com'],
        closedAt: null,
        sessions: { onboarding: 0, working: 0, failed: 0, ended: 0, finished: 0 },
        workers: 0,
        paid: 0,
        medianHourlyRate: null,
      });
      const closed = await world.call('POST', `${LINKS}/${id}/close`, { token: owner });
      expect([closed.status, closed.body.closedAt]).toEqual([200, expect.any(String)]);
    });

    it('shows what it offers, and not the answers of its test', async () => {
      const { signed } = await link({ onboarding: { questions: QUESTIONS } });
      const { status, body } = await world.call('GET', `/crowd/links/${signed}`);

      expect([status, body]).toEqual([
        200,
        {
          platform: 'mturk',
          task: {
            slug: 'moods',
            name: 'Moods',
            description: '',
            language: 'en',
            instructions: 'Write **something**.',
            contentWarning: null,
            inputs: ['text'],
            answer: 'label',
            labels: ['negative', 'positive'],
          },
          round: 1,
          examples: 4,
          pay: LINK.pay,
          hourlyRate: 12,
          hasTest: true,
        },
      ]);
    });

    it.each([
      ['one that has expired already', { expiresAt: '2001-01-01T00:00:00Z' }, 422, 'expires_in_past'],
      ['Prolific without its completion code', { platform: 'prolific' }, 422, 'validation_failed'],
      [
        'an origin that ends the policy',
        { frameAncestors: ['https://a.example; script-src *'] },
        422,
        'validation_failed',
      ],
      ['any origin', { frameAncestors: ['*'] }, 422, 'validation_failed'],
      ['an origin that is not encrypted', { submitTo: ['http://a.example'] }, 422, 'validation_failed'],
      ['a submission to many hosts', { submitTo: ['https://*.example'] }, 422, 'validation_failed'],
      ['pay of nothing', { pay: { ...LINK.pay, amount: 0 } }, 422, 'validation_failed'],
      [
        'a test with a label that is none',
        { onboarding: { questions: [{ input: { text: 'so' }, label: 'so-so' }] } },
        422,
        'invalid_onboarding',
      ],
      [
        'a test without input',
        { onboarding: { questions: [{ input: {}, label: 'positive' }] } },
        422,
        'invalid_onboarding',
      ],
    ])('is refused as %s', async (_what, more, status, code) => {
      expect(refusal(await world.call('POST', LINKS, { token: owner, body: { ...LINK, ...more } }))).toEqual([
        status,
        code,
      ]);
    });

    it('is for nobody but the owner', async () => {
      const stranger = await world.user('nosy');
      const { id } = await link();
      for (const [method, path, body] of [
        ['POST', LINKS, LINK],
        ['GET', LINKS, undefined],
        ['POST', `${LINKS}/${id}/close`, undefined],
        ['GET', `${LINKS}/${id}/sessions`, undefined],
      ] as const) {
        const request = body ? { body } : {};
        expect(refusal(await world.call(method, path, { token: stranger, ...request }))).toEqual([
          403,
          'not_the_owner',
        ]);
        expect(refusal(await world.call(method, path, request))).toEqual([401, 'sign_in']);
      }
      const elsewhere = `/tasks/other/rounds/1/crowd-links/${id}/sessions`;
      expect(refusal(await world.call('GET', elsewhere, { token: owner }))).toEqual([404, 'not_found']);
    });

    it('that was forged leads nowhere', async () => {
      const { signed } = await link();
      const [head, payload, signature] = signed.split('.') as [string, string, string];
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
      const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString('base64url');
      const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
      for (const bad of [
        `${head}.${forged}.${signature}`,
        `${none}.${payload}.`,
        `${head}.${payload}.${'A'.repeat(43)}`,
        'nonsense',
      ]) {
        expect(refusal(await begin(bad, turk()))).toEqual([403, 'invalid_link']);
        expect(refusal(await world.call('GET', `/crowd/links/${bad}`))).toEqual([403, 'invalid_link']);
      }
    });

    it('that has expired or was closed takes nobody new, and lets who has started finish', async () => {
      const [expired, shut] = [await link(), await link()];
      const ids = [turk(), turk()] as const;
      await started(expired.signed, ids[0]);
      await started(shut.signed, ids[1]);
      await world.orm.em.fork().nativeUpdate(CrowdLink, expired.id, { expiresAt: new Date('2020-01-01') });
      await world.call('POST', `${LINKS}/${shut.id}/close`, { token: owner });

      expect(refusal(await begin(expired.signed, turk()))).toEqual([403, 'expired_link']);
      expect(refusal(await world.call('GET', `/crowd/links/${expired.signed}`))).toEqual([403, 'expired_link']);
      expect(refusal(await begin(shut.signed, turk()))).toEqual([403, 'link_closed']);
      for (const [signed, mine] of [
        [expired.signed, ids[0]],
        [shut.signed, ids[1]],
      ] as const) {
        expect((await finish(await started(signed, mine), { early: true })).body.state).toBe('finished');
      }
    });
  });

  describe('a session', () => {
    it('is the same for the same worker and assignment, under the newest token alone', async () => {
      const { signed, id } = await link();
      const ids = turk();
      const [first, second] = [await started(signed, ids), await started(signed, ids)];

      expect(refusal(await world.call('GET', '/crowd/sessions/current', { token: first }))).toEqual([
        401,
        'invalid_token',
      ]);
      expect((await world.call('GET', '/crowd/sessions/current', { token: second })).body).toMatchObject({
        state: 'working',
        task: 'moods',
        round: 1,
        examples: { done: 0, of: 4 },
        earned: 0,
        finished: null,
      });
      const { body } = await world.call('GET', `${LINKS}/${id}/sessions`, { token: owner });
      expect(body.items).toHaveLength(1);
    });

    it('is one, and its worker is one, when a click is a double click', async () => {
      const { signed, id } = await link();
      const ids = turk();
      const answers = await Promise.all(Array.from({ length: 6 }, () => begin(signed, ids)));

      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 201));
      const em = world.orm.em.fork();
      const sessions = await em.find(CrowdSession, { link: id }, { populate: ['user'] });
      expect(sessions).toHaveLength(1);
      expect(sessions[0]!.user).toMatchObject({ role: 'crowd', passwordHash: null });
      expect(sessions[0]!.user.email).toMatch(/@crowd\.invalid$/);
    });

    it('counts a worker as one within a task, and as another in another task', async () => {
      const [here, again] = [await link(), await link()];
      const elsewhere = await link({}, '/tasks/other/rounds/1/crowd-links');
      const worker = { workerId: 'WSAME' };
      for (const { signed } of [here, again, elsewhere]) await started(signed, turk(worker));

      const em = world.orm.em.fork();
      const sessions = await em.find(
        CrowdSession,
        { worker: 'WSAME' },
        { populate: ['user'], orderBy: { createdAt: 1 } },
      );
      const [first, second, third] = sessions.map(({ user }) => user.id);
      expect(second).toBe(first);
      expect(third).not.toBe(first);
      expect(sessions.map(({ user }) => user.username).join()).not.toContain('WSAME');
    });

    it('is not given to another worker who replays its assignment, nor to another link', async () => {
      const [one, two] = [await link(), await link()];
      const ids = turk();
      await started(one.signed, ids);

      expect(refusal(await begin(one.signed, { ...ids, workerId: 'WOTHER' }))).toEqual([409, 'assignment_taken']);
      expect(refusal(await begin(two.signed, ids))).toEqual([409, 'assignment_taken']);
      const race = turk();
      const workers = ['WRACE1', 'WRACE2', 'WRACE3'].map((workerId) => begin(one.signed, { ...race, workerId }));
      const statuses = (await Promise.all(workers)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, 409, 409]);
    });

    it.each([
      ['a preview', { assignmentId: 'ASSIGNMENT_ID_NOT_AVAILABLE', workerId: undefined }, 'preview_only'],
      ['no worker', { workerId: undefined }, 'missing_ids'],
      ['the ids of another platform', { assignmentId: undefined, PROLIFIC_PID: 'P', SESSION_ID: 'S' }, 'missing_ids'],
      ['a place to submit to that is not allowed', { turkSubmitTo: 'https://evil.example' }, 'submit_to_refused'],
      ['a place that only looks allowed', { turkSubmitTo: `${SUBMIT}.evil.example/` }, 'submit_to_refused'],
      ['a place that is no address', { turkSubmitTo: 'javascript:alert(1)' }, 'submit_to_refused'],
      ['an id that is none', { workerId: 'a b' }, 'validation_failed'],
      ['no secret of a browser', { secret: undefined }, 'validation_failed'],
      ['a secret that can be guessed', { secret: 'guess' }, 'validation_failed'],
    ])('is not begun by %s', async (_what, more, code) => {
      const { signed } = await link();
      expect(refusal(await begin(signed, turk(more)))).toEqual([422, code]);
    });

    it('is not begun once its round is closed', async () => {
      const em = world.orm.em.fork();
      const task = await em.findOneOrFail(Task, { slug: 'moods' });
      await annotationFactory(world.orm, 'moods', 8);
      const { signed } = await link({}, '/tasks/moods/rounds/8/crowd-links');
      await em.nativeUpdate(Round, { task, number: 8 }, { state: 'closing' });

      expect(refusal(await begin(signed, turk()))).toEqual([409, 'round_closed']);
      const late = await world.call('POST', '/tasks/moods/rounds/8/crowd-links', { token: owner, body: LINK });
      expect(refusal(late)).toEqual([409, 'round_closed']);
    });
  });

  describe('somebody who knows the IDs of a worker', () => {
    it('does not take over their session from another browser', async () => {
      const { signed } = await link();
      const ids = turk();
      const token = await started(signed, ids);
      const [mine] = await writes(token, 1);

      expect(refusal(await begin(signed, ids, OTHER_BROWSER))).toEqual([409, 'other_browser']);
      const { body } = await world.call('GET', '/crowd/sessions/current', { token });
      expect(body).toMatchObject({ state: 'working', examples: { done: 1 } });
      const finished = (await finish(token, { early: true })).body;
      expect(refusal(await begin(signed, ids, OTHER_BROWSER))).toEqual([409, 'other_browser']);
      expect((await begin(signed, ids)).body.session).toEqual(finished);
      expect(await world.orm.em.fork().count(Annotation, { id: mine!.id, retractedAt: null })).toBe(1);
    });

    it('neither ends, reads nor changes their work by an assignment of their own', async () => {
      const { signed } = await link();
      const worker = { workerId: 'WKNOWN' };
      const token = await started(signed, turk(worker));
      const [mine] = await writes(token, 1);
      const { status, body } = await begin(signed, turk(worker), OTHER_BROWSER);
      expect([status, body.session]).toEqual([
        201,
        expect.objectContaining({ state: 'working', examples: { done: 0, of: 4 } }),
      ]);

      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['POST', '/retract'],
      ] as const) {
        const request = { token: body.token as string, ...(method !== 'GET' && { body: {} }) };
        const answer = await world.call(method, `/annotations/${mine!.id}${path}`, request);
        expect([method, path, ...refusal(answer)]).toEqual([method, path, 403, 'crowd_only']);
      }
      const current = await world.call('GET', '/crowd/sessions/current', { token });
      expect(current.body).toMatchObject({ state: 'working', examples: { done: 1 } });
    });

    it('finds a session from before there were secrets as it was, until its worker has continued it', async () => {
      const { signed } = await link();
      const ids = turk();
      await started(signed, ids);
      const where = { assignment: ids.assignmentId };
      await world.orm.em.fork().nativeUpdate(CrowdSession, where, { secretHash: null });

      expect((await begin(signed, ids)).status).toBe(201);
      expect(refusal(await begin(signed, ids, OTHER_BROWSER))).toEqual([409, 'other_browser']);
    });
  });

  describe('the test', () => {
    const answer = (token: string, answers: readonly string[]) =>
      world.call('POST', '/crowd/sessions/current/onboarding', { token, body: { answers } });

    it('comes first, is passed once, and is not asked again', async () => {
      const { signed } = await link({ onboarding: { questions: QUESTIONS, pass: 1 } });
      const worker = { workerId: 'WTESTED' };
      const token = await started(signed, turk(worker));
      const early = await world.call('POST', '/tasks/moods/annotate/next', { token, body: {} });
      if (early.status !== 404) expect(refusal(early)).toEqual([403, 'onboarding_needed']);
      const shown = await world.call('GET', '/crowd/sessions/current', { token });
      expect(shown.body).toMatchObject({
        state: 'onboarding',
        onboarding: { questions: [{ text: 'awful' }, { text: 'lovely' }], attemptsLeft: 2, pass: 1 },
      });
      expect(refusal(await answer(token, ['negative']))).toEqual([422, 'wrong_number_of_answers']);

      expect((await answer(token, ['negative', 'negative'])).body).toMatchObject({
        state: 'onboarding',
        onboarding: { attemptsLeft: 1 },
      });
      expect((await answer(token, ['negative', 'positive'])).body).toMatchObject({
        state: 'working',
        onboarding: null,
      });
      expect(refusal(await answer(token, ['negative', 'positive']))).toEqual([409, 'no_test']);
      const next = await begin(signed, turk(worker));
      expect(next.body.session.state).toBe('working');
    });

    it('that is not passed ends the session, and another assignment does not help', async () => {
      const { signed } = await link({ onboarding: { questions: QUESTIONS, attempts: 1 } });
      const worker = { workerId: 'WFAILED' };
      const token = await started(signed, turk(worker));
      expect((await answer(token, ['positive', 'negative'])).body.state).toBe('failed');

      expect((await begin(signed, turk(worker))).body.session.state).toBe('failed');
      const other = await started(signed, turk(worker));
      expect((await finish(other, { early: true })).body.finished).toMatchObject({ paid: 0, early: true });
    });
  });

  describe('pay', () => {
    it('is due once the job is done, once, with a proof', async () => {
      const { signed, id } = await link();
      const ids = turk();
      const token = await started(signed, ids);
      await writes(token, 3);
      expect(refusal(await finish(token))).toEqual([409, 'not_done_yet']);
      const [taken] = await writes(token, 1);
      await world.orm.em.fork().nativeUpdate(Annotation, taken!.id, { retractedAt: new Date() });
      expect(refusal(await finish(token))).toEqual([409, 'not_done_yet']);
      await writes(token, 1);

      const answers = await Promise.all([finish(token), finish(token), finish(token, { early: true })]);
      const { body } = answers[0];
      expect(body).toMatchObject({
        state: 'finished',
        examples: { done: 4, of: 4 },
        finished: {
          early: false,
          paid: 2,
          submission: {
            method: 'POST',
            url: `${SUBMIT}/mturk/externalSubmit`,
            fields: { assignmentId: ids.assignmentId, code: body.finished.code, examples: '4' },
          },
        },
      });
      expect(answers.map((each) => each.body)).toEqual([body, body, body]);
      expect((await finish(await started(signed, ids))).body).toEqual(body);

      const em = world.orm.em.fork();
      const session = await em.findOneOrFail(CrowdSession, { assignment: ids.assignmentId });
      session.createdAt = new Date(session.endedAt!.getTime() - 600_000);
      await em.flush();
      const links = await world.call('GET', LINKS, { token: owner });
      expect((links.body.items as { id: string }[]).find((each) => each.id === id)).toMatchObject({
        sessions: { finished: 1, working: 0 },
        workers: 1,
        paid: 2,
        medianHourlyRate: 12,
      });
      const sessions = await world.call('GET', `${LINKS}/${id}/sessions`, { token: owner });
      expect(sessions.body.items).toEqual([
        {
          id: session.id,
          worker: ids.workerId,
          assignment: ids.assignmentId,
          hit: 'H',
          state: 'finished',
          early: false,
          examples: 4,
          minutes: 10,
          pay: 2,
          hourlyRate: 12,
          code: body.finished.code,
          startedAt: expect.any(String),
          finishedAt: expect.any(String),
        },
      ]);
    });

    it('is in proportion for workers who leave early', async () => {
      const { signed } = await link({ pay: { ...LINK.pay, amount: 1 }, examples: 3 });
      const token = await started(signed);
      await writes(token, 1);

      const { body } = await finish(token, { early: true });
      expect(body.finished).toMatchObject({ early: true, paid: 0.34 });
    });

    it('goes by the completion code on Prolific', async () => {
      const { signed } = await link({ platform: 'prolific', completionCode: 'C0DE', examples: 1 });
      const token = await started(signed, { PROLIFIC_PID: 'P1', STUDY_ID: 'S1', SESSION_ID: 'X1' });
      await writes(token, 1);

      expect((await finish(token)).body.finished).toMatchObject({
        paid: 2,
        code: 'C0DE',
        submission: { method: 'GET', url: 'https://app.prolific.com/submissions/complete?cc=C0DE' },
      });
    });

    it('counts an example for one assignment alone', async () => {
      const { signed } = await link();
      const worker = { workerId: 'WTWO' };
      const before = turk(worker);
      await writes(await started(signed, before), 2);
      const later = await started(signed, turk(worker));
      await writes(later, 1);

      expect((await world.call('GET', '/crowd/sessions/current', { token: later })).body.examples.done).toBe(1);
      const resumed = await begin(signed, before);
      expect(resumed.body.session).toMatchObject({ state: 'ended', examples: { done: 2 } });
      expect((await finish(resumed.body.token as string, { early: true })).body.finished.paid).toBe(1);
      expect((await finish(later, { early: true })).body.finished.paid).toBe(0.5);
    });
  });

  describe('the token of a session', () => {
    const ALLOWED =
      /^(?:POST \/tasks\/\{slug\}\/(?:annotate\/next|validate\/next)|POST \/tasks\/\{slug\}\/rounds\/\{number\}\/(?:annotations|inspect)|(?:GET|PATCH) \/annotations\/\{id\}|POST \/annotations\/\{id\}\/(?:retract|inspect|validations)|POST \/contexts\/\{id\}\/(?:skip|flag)|PATCH \/validations\/\{id\}|(?:GET|POST) \/tasks\/\{slug\}\/consent|\w+ \/crowd\/sessions\/current.*)$/;

    async function operations(): Promise<readonly (readonly [string, string])[]> {
      const { body } = await world.call('GET', '/openapi.json');
      return Object.entries(body.paths as Record<string, object>).flatMap(([path, item]) =>
        Object.keys(item).map((method) => [method.toUpperCase(), path.replace(/^\/api\/v1/, '')] as const),
      );
    }

    const filled = (path: string, values: Readonly<Record<string, string>>): string =>
      path.replace(/\{(\w+)\}/g, (_hole, name: string) => values[name] ?? 'x');

    it('reaches what the work is made of, and nothing else', async () => {
      const { signed } = await link();
      const token = await started(signed);
      const [mine] = await writes(token, 1);
      const values = { slug: 'moods', number: '1', id: mine!.id };
      const all = (await operations()).filter(([, path]) => path !== '/metrics');
      const outside = all.filter(([method, path]) => !ALLOWED.test(`${method} ${path}`));

      expect(outside.length).toBeGreaterThan(60);
      for (const [method, path] of outside) {
        const answer = await world.call(method, filled(path, values), { token, ...(method !== 'GET' && { body: {} }) });
        const code = GATEWAY.test(`${method} ${path}`) ? 'evaluator_token_required' : 'crowd_only';
        expect([method, path, ...refusal(answer)]).toEqual([method, path, 403, code]);
      }
    });

    it('reaches nothing of another round or task', async () => {
      const { signed } = await link();
      const token = await started(signed);
      const elsewhere = await annotationFactory(world.orm, 'other');
      const { id } = await elsewhere.written({ by: 'owner' });
      const inside = (await operations()).filter(
        ([method, path]) => ALLOWED.test(`${method} ${path}`) && path.includes('{'),
      );

      expect(inside.length).toBeGreaterThan(1);
      for (const values of [
        { slug: 'other', number: '1', id },
        { slug: 'nowhere', number: '2', id: 'nothing' },
      ]) {
        for (const [method, path] of inside) {
          const answer = await world.call(method, filled(path, values), {
            token,
            ...(method !== 'GET' && { body: {} }),
          });
          expect([method, path, ...refusal(answer)]).toEqual([method, path, 403, 'crowd_only']);
        }
      }
    });

    it('agrees to what the task asks', async () => {
      const { signed } = await link();
      const token = await started(signed);
      const consent = '/tasks/moods/consent';
      expect((await world.call('GET', consent, { token })).body).toMatchObject({ isEnough: false });
      const agreed = await world.call('POST', consent, { token, body: { consentVersion: 'c1' } });
      expect([agreed.status, agreed.body.isEnough]).toEqual([200, true]);
    });

    it('takes nothing more once the session is finished', async () => {
      const { signed } = await link();
      const token = await started(signed);
      const [mine] = await writes(token, 1);
      await finish(token, { early: true });

      const answer = await world.call('PATCH', `/annotations/${mine!.id}`, { token, body: {} });
      if (answer.body.code !== 'not_found') expect(refusal(answer)).toEqual([409, 'session_finished']);
      expect((await world.call('GET', '/crowd/sessions/current', { token })).body.state).toBe('finished');
    });

    it('ends after a few hours', async () => {
      const { signed } = await link();
      const { body } = await begin(signed, turk());
      const left = new Date(body.expiresAt as string).getTime() - Date.now();
      expect(left).toBeLessThan(5 * 3_600_000);
      const id = await credentialOf(body.token as string);
      await world.orm.em.fork().nativeUpdate(Credential, id, { expiresAt: new Date('2020-01-01') });

      const late = await world.call('GET', '/crowd/sessions/current', { token: body.token as string });
      expect(refusal(late)).toEqual([401, 'invalid_token']);
    });
  });

  it('are nobody in an export', async () => {
    const { signed } = await link();
    const ids = turk({ workerId: 'WSECRET' });
    await writes(await started(signed, ids), 1);
    const { body } = await world.call('GET', '/tasks/moods/export', { token: owner });

    expect(body).not.toContain('WSECRET');
    expect(body).not.toContain(ids.assignmentId + '"');
    const workers = await world.orm.em.fork().find(User, { role: 'crowd' });
    for (const { id } of workers) expect(body).not.toContain(id);
  });

  describe('the page', () => {
    const page = (signed: string) => fetch(`${world.url}/api/v1/crowd/${signed}?assignmentId=A&workerId=W`);

    it('may be shown in a frame of the pages that its link names, and of no other', async () => {
      const named = await link({ frameAncestors: ['https://a.example', 'https://*.b.example'] });
      const response = await page(named.signed);
      const policy = response.headers.get('content-security-policy');

      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(policy).toMatch(/frame-ancestors https:\/\/a\.example https:\/\/\*\.b\.example$/);
      expect(policy).toContain(`form-action ${SUBMIT} https://www.mturk.com;`);
      expect(response.headers.get('x-frame-options')).toBeNull();
      expect(await response.text()).not.toMatch(/<script>|<style|\son\w+=|style=/);
    });

    it.each([
      ['a link of Prolific', async () => (await link({ platform: 'prolific', completionCode: 'C' })).signed],
      ['a forged link', () => Promise.resolve('a.b.c')],
    ])('of %s may be shown in no frame', async (_what, signed) => {
      const response = await page(await signed());
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    });

    it('sets no cookie', async () => {
      const { signed } = await link();
      expect((await page(signed)).headers.get('set-cookie')).toBeNull();
      expect((await begin(signed, turk())).headers.get('set-cookie')).toBeNull();
    });

    it('has style elements only with the nonce of its response', async () => {
      const { signed } = await link();
      const nonces = await Promise.all(
        [await page(signed), await page(signed)].map(async (response) => {
          const policy = response.headers.get('content-security-policy')!;
          const [, nonce] = /style-src-elem 'self' 'nonce-([^']+)'; style-src-attr 'none'/.exec(policy)!;
          expect(policy).toContain("script-src 'self';");
          expect(policy).not.toContain('unsafe');
          expect(await response.text()).toContain(`ngCspNonce="${nonce}"`);
          return nonce;
        }),
      );
      expect(new Set(nonces).size).toBe(2);
    });

    it('is not found by the name of its file', async () => {
      expect((await fetch(`${world.url}/crowd/index.html`)).status).toBe(404);
    });

    it('is not found without a built dashboard', async () => {
      const { signed } = await link();
      await world.restart({ ASSAY_DASHBOARD: join(dashboard, 'none') });
      expect(refusal(await world.call('GET', `/crowd/${signed}`))).toEqual([404, 'not_found']);
      await world.restart({ ASSAY_DASHBOARD: dashboard });
    });
  });
});
