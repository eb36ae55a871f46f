import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation } from '@assay/collection/annotating';
import { Context } from '@assay/collection/rounds';
import { Validation } from '@assay/collection/validating';
import { Credential, User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['hateful', 'harmless'] },
  performance: 'accuracy',
  collection: { consent: { version: '1', text: 'Yes?' } },
};
const WORDS = { ...TASK, slug: 'words', output: { name: 'reply', type: 'text' }, performance: 'exact_match' };

describe('an account', () => {
  let world: ApiWorld;
  let tone: AnnotationFactory;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'other']) tokens[name] = await world.user(name);
    for (const body of [TASK, WORDS]) await world.call('POST', '/tasks', { token: tokens['owner']!, body });
    tone = await annotationFactory(world.orm, 'tone');
  });
  afterAll(() => world.close());

  const call = (name: string, method: string, path: string, body?: object) =>
    world.call(method, path, { token: tokens[name], ...(body && { body }) });
  const remove = (name: string, body: object) =>
    call(name, 'POST', '/me/deletion', { password: `${name}-has-a-password`, ...body });

  /** Creates a user with data of every kind that an account can have. */
  async function busy(name: string) {
    tokens[name] = await world.user(name);
    await call(name, 'POST', '/tasks/tone/consent', { consentVersion: '1' });
    await call(name, 'PATCH', '/me/profile', { displayName: `Called ${name}`, shows: ['examples'] });
    await call(name, 'PATCH', '/me/notification-settings', { kinds: { round_opened: { mail: false } } });
    const model = await call(name, 'POST', '/tasks/tone/models', { name: `Model of ${name}`, kind: 'container' });
    const em = world.orm.em.fork();
    const context = em.create(Context, {
      round: tone.round.id,
      externalId: name,
      content: {},
      annotations: 2,
      fooled: 1,
    });
    await em.flush();
    const written = {
      by: name,
      context: context.id,
      explanations: { example: `because ${name}` },
      extra: { more: name },
      answeredAt: new Date(),
    };
    const open = await tone.written({ ...written, outcome: 'rejected' });
    const frozen = await tone.written({ ...written, outcome: 'validated', split: 'test', fooled: false });
    await call(name, 'POST', `/annotations/${open.id}/appeal`, { reason: `${name} is right.` });
    const validated = await tone.validated(await tone.written({ by: 'other' }), { by: name, reason: `said ${name}` });
    await tone.validated(await tone.written({ by: 'other' }), {
      by: name,
      label: null,
      verdict: null,
      answeredAt: null,
    });
    return { open, frozen, validated, context, model: model.body.id as string };
  }

  it('is taken out as one file: everything about the person, and nothing that others wrote', async () => {
    const { open, frozen, validated } = await busy('ann');
    const answer = await call('ann', 'GET', '/me/export');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="assay-ann.json"');
    expect(answer.body).toMatchObject({
      account: { username: 'ann', email: 'ann@example.org' },
      profile: { displayName: 'Called ann' },
      notificationSettings: { kinds: { round_opened: { app: true, mail: false } } },
      models: [{ task: 'tone', name: 'Model of ann' }],
      consents: [{ task: 'tone', consentVersion: '1' }],
      examples: [
        { id: open.id, task: 'tone', round: 1, input: { text: 'written by ann' }, appeal: 'ann is right.' },
        { id: frozen.id, outcome: 'validated', explanations: { example: 'because ann' } },
      ],
      validations: [{ id: validated.id, reason: 'said ann' }, { verdict: null }],
      tasks: [],
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/written by other|argon2|"hash"/);
    expect((await world.call('GET', '/me/export')).status).toBe(401);
  });

  it('is taken out without which model answered, until the round closes', async () => {
    tokens['mia'] = await world.user('mia');
    const said = { answer: 'harmless', milliseconds: 1, at: '2026-01-01T00:00:00.000Z' };
    const answer = { ...said, model: newId(), specification: newId() };
    await tone.written({ by: 'mia', answers: [answer, { ...answer, answer: 'hateful' }] });
    const answers = async () => (await call('mia', 'GET', '/me/export')).body.examples[0].answers as object[];
    expect(await answers()).toEqual([said, { ...said, answer: 'hateful' }]);
    const em = world.orm.em.fork();
    await em.nativeUpdate(Round, tone.round.id, { state: 'closed' });
    expect(await answers()).toEqual([answer, { ...answer, answer: 'hateful' }]);
    await em.nativeUpdate(Round, tone.round.id, { state: 'open' });
  });

  it('is taken out whole, however much there is', async () => {
    tokens['eve'] = await world.user('eve');
    const em = world.orm.em.fork();
    const eve = await em.findOneOrFail(User, { username: 'eve' });
    const first = await tone.written({ by: 'eve' });
    await em.execute(
      `insert into annotation select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'key', n::text))).*
         from annotation a, generate_series(1, 1200) n where a.id = ?`,
      [first.id],
    );
    const { examples } = (await call('eve', 'GET', '/me/export')).body as { examples: { id: string }[] };
    expect(new Set(examples.map(({ id }) => id)).size).toBe(1201);
    await em.nativeDelete(Annotation, { annotator: eve });
  });

  it('is not deleted without the password', async () => {
    tokens['fay'] = await world.user('fay');
    for (const body of [
      { text: 'keep', password: 'not this one' },
      { text: 'keep', password: undefined },
    ]) {
      const answer = await remove('fay', body);
      expect([answer.status, answer.body.code]).toEqual([403, 'wrong_password']);
    }
    expect((await remove('fay', { text: 'burn' })).status).toBe(422);
    expect((await call('fay', 'GET', '/me')).status).toBe(200);
  });

  it('without a password is deleted by a user who just signed in, unless it is the last administrator', async () => {
    const admin = readFileSync(join(world.home, 'admin-token'), 'utf8').trim();
    const body = { text: 'keep' };
    const signIn = async (token: string): Promise<string> => {
      const signedIn = await world.call('POST', '/auth/login-by-token', { body: { token } });
      return signedIn.headers.get('set-cookie')!.split(';')[0]!;
    };
    const leave = async (cookie: string) => world.call('POST', '/me/deletion', { headers: { cookie }, body });
    const last = await leave(await signIn(admin));
    expect([last.status, last.body.code]).toEqual([409, 'last_administrator']);

    tokens['gus'] = await world.user('gus');
    const em = world.orm.em.fork();
    const gus = await em.findOneOrFail(User, { username: 'gus' });
    gus.passwordHash = null;
    await em.flush();
    const old = await signIn(tokens['gus']);
    await em.nativeUpdate(Credential, { user: gus }, { createdAt: new Date(Date.now() - 16 * 60_000) });
    expect((await leave(old)).body.code).toBe('recent_sign_in_needed');
    // a new token is as young as a sign-in, but the owner of a stolen session could create one at
    // any time
    const fresh = await world.call('POST', '/tokens', { headers: { cookie: old }, body: { name: 'fresh' } });
    const byToken = await world.call('POST', '/me/deletion', { token: fresh.body.token as string, body });
    expect([byToken.status, byToken.body.code]).toEqual([403, 'recent_sign_in_needed']);
    expect((await leave(await signIn(tokens['gus']))).status).toBe(200);
  });

  it('is deleted with every link to the person, while what they gave stays', async () => {
    const { open, frozen, validated, model } = await busy('bob');
    const { status, body } = await remove('bob', { text: 'keep' });
    expect([status, body]).toEqual([200, { text: 'keep', annotations: 2, validations: 1, frozen: 1 }]);

    expect((await call('bob', 'GET', '/me')).body.code).toBe('invalid_token');
    expect((await world.call('GET', '/users/bob')).status).toBe(404);
    const em = world.orm.em.fork();
    const annotations = await em.find(Annotation, { id: { $in: [open.id, frozen.id] } });
    for (const annotation of annotations) {
      expect(annotation).toMatchObject({
        annotator: null,
        pseudonym: 'pseudonym-of-bob',
        input: { text: 'written by bob' },
        retractedAt: null,
      });
    }
    expect(await em.findOneOrFail(Validation, validated.id)).toMatchObject({ validator: null, reason: 'said bob' });
    const { owner } = await em.findOneOrFail(Model, model, { populate: ['owner'] });
    expect(owner.username).toMatch(/^deleted-[0-9a-f]{24}$/);
    expect(owner).toMatchObject({ passwordHash: null, deletedAt: expect.any(Date) });
    expect(await traces(owner.id)).toEqual([]);

    // the name is free again, and leads to no earlier data
    tokens['bob'] = await world.register('bob');
    expect((await call('bob', 'GET', '/me/examples')).body.items).toEqual([]);
  });

  it('is deleted with the texts on request: they are in no example, nor in what is validated or frozen later', async () => {
    const { open, frozen, validated, context } = await busy('cid');
    const em = world.orm.em.fork();
    // fooling according to its author; it is counted as such only after models have answered
    await tone.written({ by: 'cid', context: context.id, fooled: true });
    await em.nativeUpdate(Context, context.id, { annotations: 3 });
    await remove('cid', { text: 'remove' });

    const gone = { annotator: null, input: {}, explanations: {}, extra: {}, label: ['harmless'] };
    expect(await em.findOneOrFail(Annotation, open.id)).toMatchObject({ ...gone, retractedAt: expect.any(Date) });
    expect(await em.findOneOrFail(Annotation, frozen.id)).toMatchObject({ ...gone, retractedAt: null, split: 'test' });
    expect(await em.findOneOrFail(Validation, validated.id)).toMatchObject({ reason: null, verdict: 'correct' });
    expect(await em.findOneOrFail(Context, context.id)).toMatchObject({ annotations: 1, fooled: 0 });
  });

  it('takes an answer in words for a text', async () => {
    tokens['dee'] = await world.user('dee');
    const words = await annotationFactory(world.orm, 'words');
    const answer = {
      model: 'm',
      specification: 's',
      answer: 'words of dee',
      milliseconds: 1,
      at: '2026-01-01T00:00:00.000Z',
    };
    const { id } = await words.written({
      by: 'dee',
      label: ['words of dee'],
      authorLabel: ['words of dee'],
      answers: [answer],
    });
    await remove('dee', { text: 'remove' });
    const annotation = await world.orm.em.fork().findOneOrFail(Annotation, id);
    expect(annotation).toMatchObject({ label: [], authorLabel: [], answers: [{ ...answer, answer: '' }] });
    expect(JSON.stringify(annotation)).not.toContain('words of dee');
  });

  it('that owns a task leaves it to the administrators', async () => {
    tokens['hal'] = await world.user('hal');
    await call('hal', 'POST', '/tasks', { ...TASK, slug: 'left' });
    await remove('hal', { text: 'keep' });
    const task = await world.orm.em.fork().findOneOrFail(Task, { slug: 'left' }, { populate: ['owner'] });
    expect(task.owner.username).toMatch(/^deleted-/);
    const changed = await world.call('PATCH', '/tasks/left', { token: world.admin, body: { name: 'Kept' } });
    expect(changed.status).toBe(200);
  });

  /**
   * Returns the columns that still refer to the account, except those that keep their content under
   * an anonymous owner.
   */
  async function traces(userId: string): Promise<string[]> {
    const em = world.orm.em.fork();
    const columns = await em.execute<{ table: string; column: string }[]>(
      `select c.conrelid::regclass::text as table, a.attname as column from pg_constraint c
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
        where c.contype = 'f' and c.confrelid = 'user_account'::regclass`,
    );
    expect(columns.length).toBeGreaterThan(10);
    const found: string[] = [];
    for (const { table, column } of columns) {
      const rows = await em.execute<unknown[]>(`select 1 from ${table} where ${column} = ?`, [userId]);
      if (rows.length > 0) found.push(`${table}.${column}`);
    }
    return found.filter((place) => !/^(model|task|evaluator|board_fork|board_snapshot)\.owner_id$/.test(place));
  }
});
