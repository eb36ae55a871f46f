import { Context } from '@assay/collection/rounds';
import { ExternalIdentity, User } from '@assay/identity';
import { AuditEntry } from '@assay/identity/audit';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import { type ApiDocument, operationsOf } from '../../factories/worlds/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { incompletePredictions } from '../../factories/models/incomplete-predictions.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { ENTRIES } from './audited-entries.js';
import { LINK, TASK } from './route-world.js';
import { UNAUDITED } from './unaudited-operations.js';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `e${n}`, text: `this is text ${n} of them all`, label: 'positive' }),
  ).join('\n');

type Who = 'owner' | 'builder' | 'writer' | 'leaver' | 'admin';
/** Performs an operation once, after creating what it needs. */
type Deed = () => Promise<ApiAnswer>;

describe('every operation that changes something', () => {
  let world: ApiWorld;
  let annotations: AnnotationFactory;
  let operations: string[];
  const tokens: Partial<Record<Who, string>> = {};
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld();
    const document = (await world.call('GET', '/openapi.json')).body as ApiDocument;
    operations = operationsOf(document)
      .filter(({ changes }) => changes)
      .map(({ route }) => route);
    tokens.admin = world.admin;
    for (const who of ['owner', 'builder', 'writer', 'leaver'] as const) tokens[who] = await world.user(who);
    for (const slug of ['moods', 'given', 'closing']) await done(as('owner', 'POST', '/tasks', { ...TASK, slug }));
    await done(dataset('visibility=public', 12));
    const answer = () => ({ text: 'positive' });
    const given = { slug: 'moods', token: tokens.builder!, answer };
    for (const name of ['first', 'second']) {
      const id = await scoredModel(world, { ...given, name });
      await world.orm.em.fork().nativeUpdate(Model, id, { state: 'scored' });
    }
    await publishBoard(world, 'moods');
    annotations = await annotationFactory(world.orm, 'moods');
    await annotationFactory(world.orm, 'closing');
  });
  afterAll(() => world.close());

  const as = (who: Who, method: string, path: string, body?: object): Promise<ApiAnswer> =>
    world.call(method, path, { token: tokens[who], ...(body && { body }) });
  const putLines = (path: string, body: string): Promise<ApiAnswer> =>
    world.call('PUT', path, { token: tokens.owner!, type: 'application/x-ndjson', body });
  const dataset = (query: string, examples: number): Promise<ApiAnswer> =>
    putLines(`/tasks/moods/datasets/open?${query}`, lines(examples));

  async function done(asked: Promise<ApiAnswer>): Promise<ApiAnswer> {
    const answer = await asked;
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }
  const idOf = async (asked: Promise<ApiAnswer>): Promise<string> => (await done(asked)).body.id as string;
  const userId = async (username: string): Promise<string> =>
    (await world.orm.em.fork().findOneOrFail(User, { username })).id;

  const card = (): Promise<ApiAnswer> =>
    as('builder', 'POST', '/tasks/moods/models', { name: `m${++count}`, kind: 'container', publish: false });
  const artifact = (id: string): Promise<ApiAnswer> =>
    world.call('PUT', `/models/${id}/artifact`, { token: tokens.builder!, body: `bytes ${id}` });
  /**
   * Creates a model that has its artifact.
   * @returns The model's ID.
   */
  async function model(): Promise<string> {
    const id = await idOf(card());
    await done(artifact(id));
    return id;
  }
  const annotation = async (): Promise<string> =>
    (
      await annotations.written({
        by: 'writer',
        label: ['positive'],
        authorLabel: ['positive'],
        answeredAt: new Date(),
      })
    ).id;
  const link = (): Promise<ApiAnswer> => as('owner', 'POST', '/tasks/moods/rounds/1/crowd-links', LINK);
  const hook = (): Promise<ApiAnswer> =>
    as('owner', 'POST', '/me/webhooks', { url: 'https://hooks.example.org', kinds: ['round.opened'] });
  const evaluator = (): Promise<ApiAnswer> => as('owner', 'POST', '/evaluators', { name: `host-${++count}` });
  async function context(): Promise<string> {
    const em = world.orm.em.fork();
    const made = em.create(Context, { round: annotations.round.id, externalId: `c${++count}`, content: {} });
    await em.flush();
    return made.id;
  }
  async function verdicts(): Promise<string> {
    const sample = await as('owner', 'GET', '/tasks/moods/datasets/open/perturbations/robustness/sample');
    const [first] = (sample.body as string).trim().split('\n');
    return JSON.stringify({ id: (JSON.parse(first!) as { id: string }).id, kept: false });
  }

  const pairs = '/tasks/moods/datasets/open/perturbations/robustness';
  const own = { id: 'p1', input_id: 'e0', text: 'THIS IS TEXT 0 OF THEM ALL', label: 'positive' };
  const passwords = { password: 'builder-has-a-password', newPassword: 'an-orchard-of-lamps' };

  /** The operations, in this order: some depend on objects that earlier ones created. */
  const DEEDS: Readonly<Record<string, Deed>> = {
    'POST /tokens': () => as('owner', 'POST', '/tokens', { name: 'one' }),
    'DELETE /tokens/{id}': async () =>
      as('owner', 'DELETE', `/tokens/${await idOf(as('owner', 'POST', '/tokens', { name: 'two' }))}`),
    'POST /tasks': () => as('owner', 'POST', '/tasks', { ...TASK, slug: 'another' }),
    'PATCH /tasks/{slug}': () => as('owner', 'PATCH', '/tasks/moods', { weights: { accuracy: 3 } }),
    'PUT /tasks/{slug}/owner': () => as('owner', 'PUT', '/tasks/given/owner', { username: 'builder' }),
    'PUT /tasks/{slug}/datasets/{name}': () => dataset('visibility=public', 14),
    'POST /tasks/{slug}/benchmark-versions': () => as('owner', 'POST', '/tasks/moods/benchmark-versions', {}),
    'PATCH /tasks/{slug}/datasets/{name}': () =>
      as('owner', 'PATCH', '/tasks/moods/datasets/open', { publicSince: '2020-01-01T00:00:00Z' }),
    'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}/validations': async () =>
      putLines(`${pairs}/validations`, await verdicts()),
    'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}': () => putLines(pairs, JSON.stringify(own)),
    'POST /tasks/{slug}/forks': () =>
      as('builder', 'POST', '/tasks/moods/forks', { name: 'mine', weights: { accuracy: 2 } }),
    'DELETE /tasks/{slug}/forks/{name}': () => as('builder', 'DELETE', '/tasks/moods/forks/mine'),
    'POST /tasks/{slug}/snapshots': () => as('builder', 'POST', '/tasks/moods/snapshots', { name: 'frozen' }),
    'POST /tasks/{slug}/models': () => card(),
    'PUT /models/{id}/artifact': async () => artifact(await idOf(card())),
    'PUT /models/{id}/supplement': async () => {
      const id = await incompletePredictions(world, { slug: 'moods', token: tokens.builder! });
      return world.call('PUT', `/models/${id}/supplement`, { token: tokens.builder!, body: 'more predictions' });
    },
    'PATCH /models/{id}': async () => as('builder', 'PATCH', `/models/${await model()}`, { loop: false }),
    'POST /models/{id}/publish': async () => as('builder', 'POST', `/models/${await model()}/publish`),
    'POST /models/{id}/withdraw': async () => as('builder', 'POST', `/models/${await model()}/withdraw`),
    'POST /models/{id}/cancel': async () => as('builder', 'POST', `/models/${await model()}/cancel`),
    'POST /models/{id}/rerun': async () => {
      const id = await model();
      await done(as('builder', 'POST', `/models/${id}/cancel`));
      return as('builder', 'POST', `/models/${id}/rerun`);
    },
    'POST /models/{id}/archive': async () => {
      const id = await model();
      await done(as('builder', 'POST', `/models/${id}/cancel`));
      return as('builder', 'POST', `/models/${id}/archive`);
    },
    'PATCH /tasks/{slug}/rounds/{number}': () => as('owner', 'PATCH', '/tasks/moods/rounds/1', { description: 'One' }),
    'PUT /tasks/{slug}/rounds/{number}/contexts': () =>
      putLines('/tasks/moods/rounds/1/contexts', JSON.stringify({ id: 'put' })),
    'PATCH /contexts/{id}': async () => as('owner', 'PATCH', `/contexts/${await context()}`, { active: false }),
    'PUT /tasks/{slug}/rounds/{number}/examples': () =>
      putLines('/tasks/moods/rounds/1/examples', JSON.stringify({ id: 'x', text: 'Elsewhere.', label: 'positive' })),
    'POST /annotations/{id}/decide': async () =>
      as('owner', 'POST', `/annotations/${await annotation()}/decide`, { outcome: 'rejected', reason: 'No.' }),
    'POST /annotations/{id}/retract': async () => as('writer', 'POST', `/annotations/${await annotation()}/retract`),
    'POST /tasks/{slug}/rounds/{number}/crowd-links': () => link(),
    'POST /tasks/{slug}/rounds/{number}/crowd-links/{id}/close': async () =>
      as('owner', 'POST', `/tasks/moods/rounds/1/crowd-links/${await idOf(link())}/close`),
    'POST /tasks/{slug}/rounds': async () => {
      const id = await idOf(as('builder', 'POST', '/tasks/another/models', { name: 'Bert', kind: 'container' }));
      await done(artifact(id));
      const em = world.orm.em.fork();
      const found = await em.findOneOrFail(Model, id, { populate: ['specification.artifact'] });
      await em.nativeUpdate(Artifact, found.specification!.artifact.id, { state: 'admitted' });
      return as('owner', 'POST', '/tasks/another/rounds', { models: [id] });
    },
    'POST /tasks/{slug}/rounds/{number}/close': () => as('owner', 'POST', '/tasks/closing/rounds/1/close', {}),
    'POST /me/provider/{id}/unlink': async () => {
      const em = world.orm.em.fork();
      const user = await em.findOneOrFail(User, { username: 'writer' });
      const linked = em.create(ExternalIdentity, { user, issuer: 'https://provider.example', subject: 'writer' });
      await em.flush();
      return as('writer', 'POST', `/me/provider/${linked.id}/unlink`, { password: 'writer-has-a-password' });
    },
    'POST /me/webhooks': () => hook(),
    'PATCH /me/webhooks/{id}': async () =>
      as('owner', 'PATCH', `/me/webhooks/${await idOf(hook())}`, { kinds: ['round.closed'] }),
    'POST /me/webhooks/{id}/secret': async () => as('owner', 'POST', `/me/webhooks/${await idOf(hook())}/secret`),
    'DELETE /me/webhooks/{id}': async () => as('owner', 'DELETE', `/me/webhooks/${await idOf(hook())}`),
    'POST /evaluators': () => evaluator(),
    'DELETE /evaluators/{id}': async () => as('owner', 'DELETE', `/evaluators/${await idOf(evaluator())}`),
    'PUT /tasks/{slug}/submitters': () => as('owner', 'PUT', '/tasks/closing/submitters', { usernames: ['builder'] }),
    'POST /admin/invitations': () => as('admin', 'POST', '/admin/invitations'),
    'DELETE /admin/invitations/{id}': async () =>
      as('admin', 'DELETE', `/admin/invitations/${await idOf(as('admin', 'POST', '/admin/invitations'))}`),
    'PATCH /admin/users/{id}': async () =>
      as('admin', 'PATCH', `/admin/users/${await userId('writer')}`, { role: 'administrator' }),
    'POST /me/password': () => as('builder', 'POST', '/me/password', passwords),
    'POST /me/deletion': () =>
      as('leaver', 'POST', '/me/deletion', { text: 'keep', password: 'leaver-has-a-password' }),
  };

  it('is audited, or stands in the list of those that are not, with the reason', () => {
    const listed = [...Object.keys(DEEDS), ...Object.keys(UNAUDITED)];
    expect(listed.toSorted()).toEqual(operations.toSorted());
    expect(Object.keys(ENTRIES).toSorted()).toEqual(Object.keys(DEEDS).toSorted());
  });

  it.each(Object.keys(DEEDS))(
    '%s writes down who did what, from where, and what it was before and after',
    async (route) => {
      const before = await world.orm.em.fork().find(AuditEntry, {});
      const known = new Set(before.map(({ id }) => id));
      const answer = await DEEDS[route]!();
      expect([answer.status, answer.status < 300 ? null : answer.body]).toEqual([expect.any(Number), null]);
      const all = await world.orm.em.fork().find(AuditEntry, {}, { orderBy: { id: 'asc' } });
      const last = all.filter(({ id }) => !known.has(id)).at(-1);
      expect(last).toMatchObject({ actor: expect.any(String), subjectId: expect.any(String), network: '127.0.0.0/24' });
      const [action, from, to] = ENTRIES[route]!;
      expect([last!.action, last!.from, last!.to]).toEqual([action, from, to]);
    },
  );
});
