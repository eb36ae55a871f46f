import { ConsentRecord, requireConsent, requireContentExposure } from '@assay/collection/people';
import { User } from '@assay/identity';
import { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { annotationFactory } from '../../factories/collection/annotations.js';

const TASK = {
  slug: 'hate',
  name: 'Hate speech',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['hateful', 'harmless'] },
  performance: 'accuracy',
};
const CONSENT = { version: '1', text: 'What you write is published.' };
const LICENCE = { version: '2.0', name: 'CC-BY-4.0', text: 'You keep your rights.' };
const GIVEN = { consentVersion: '1', licenceVersion: '2.0', age: true, warned: true };

describe('consent', () => {
  let world: ApiWorld;
  let owner: string;
  let writer: string;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    writer = await world.user('writer');
    const collection = { consent: CONSENT, licence: LICENCE, contentWarning: 'Slurs.', exposurePerDay: 3 };
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, collection } });
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug: 'free' } });
  });
  afterAll(() => world.close());

  const give = (body: object, token: string | undefined = writer) =>
    world.call('POST', '/tasks/hate/consent', { token, body });
  const required = async (slug: string) => {
    const em = world.orm.em.fork();
    const { id } = await em.findOneOrFail(User, { username: 'writer' });
    return requireConsent(em, await em.findOneOrFail(Task, { slug }), id);
  };

  it('says what a task asks, to anybody', async () => {
    expect((await world.call('GET', '/tasks/hate/consent')).body).toEqual({
      task: 'hate',
      consent: CONSENT,
      licence: LICENCE,
      contentWarning: 'Slurs.',
      minimumAge: 18,
      isEnough: false,
      given: null,
    });
  });

  it('is nothing where a task asks for nothing', async () => {
    const { body } = await world.call('GET', '/tasks/free/consent', { token: writer });
    expect(body).toMatchObject({
      consent: null,
      licence: null,
      contentWarning: null,
      minimumAge: null,
      isEnough: true,
    });
    await expect(required('free')).resolves.toBeUndefined();
  });

  it.each([
    [{ ...GIVEN, consentVersion: '0' }, 409, 'consent_outdated'],
    [{ ...GIVEN, licenceVersion: undefined }, 409, 'consent_outdated'],
    [{ ...GIVEN, age: undefined }, 403, 'age_needed'],
    [{ ...GIVEN, warned: undefined }, 403, 'warning_unread'],
    [{ ...GIVEN, age: false }, 422, 'validation_failed'],
  ])('is refused as %j', async (body, status, code) => {
    const answer = await give(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    await expect(required('hate')).rejects.toMatchObject({ code: 'consent_needed' });
  });

  it('requires a signed-in user', async () => {
    expect((await world.call('POST', '/tasks/hate/consent', { body: GIVEN })).status).toBe(401);
  });

  it('is given once, however often it is sent, and again for a new version', async () => {
    const answers = await Promise.all([give(GIVEN), give(GIVEN)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await give(GIVEN)).body).toMatchObject({
      isEnough: true,
      given: { consentVersion: '1', licenceVersion: '2.0', minimumAge: 18, warned: true },
    });
    await expect(required('hate')).resolves.toBeUndefined();

    const consent = { version: '2', text: 'What you write is published, and more.' };
    await world.call('PATCH', '/tasks/hate', { token: owner, body: { collection: { consent } } });
    await expect(required('hate')).rejects.toMatchObject({ code: 'consent_needed' });
    expect((await world.call('GET', '/tasks/hate/consent', { token: writer })).body).toMatchObject({
      isEnough: false,
      given: { consentVersion: '1' },
    });

    expect((await give({ ...GIVEN, consentVersion: '2' })).body.isEnough).toBe(true);
    const records = await world.orm.em
      .fork()
      .find(ConsentRecord, { user: { username: 'writer' } }, { orderBy: { id: 'asc' } });
    expect(records.map(({ consentVersion }) => consentVersion).at(-1)).toBe('2');
    expect(new Set(records.map(({ consentVersion }) => consentVersion))).toEqual(new Set(['1', '2']));
  });

  it('goes with a cap on what a person sees in a day, which says when it ends', async () => {
    const annotations = await annotationFactory(world.orm, 'hate');
    const reader = await world.user('reader');
    expect(reader).toBeDefined();
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'hate' });
    const { id } = await em.findOneOrFail(User, { username: 'reader' });
    const now = new Date();
    const check = () => requireContentExposure(world.orm.em.fork(), task, id, now);

    await annotations.written({ by: 'reader' });
    await annotations.validated(await annotations.written({ by: 'writer' }), { by: 'reader' });
    await annotations.written({ by: 'reader', createdAt: new Date(now.getTime() - 2 * 86_400_000) });
    await expect(check()).resolves.toBeUndefined();

    await annotations.handed({ by: 'reader', state: 'open' });
    await expect(check()).resolves.toBeUndefined();
    await annotations.handed({ by: 'reader', state: 'passed' });
    await expect(check()).rejects.toMatchObject({
      kind: 'quota',
      code: 'exposure_reached',
      message: expect.stringContaining('T00:00:00.000Z'),
    });
    const free = await em.findOneOrFail(Task, { slug: 'free' });
    await expect(requireContentExposure(em, free, id, now)).resolves.toBeUndefined();
  });
});
