import { Assignment, Context, RoundRelease } from '@assay/collection';
import { Model } from '@assay/submissions';
import { ExternalIdentity, User } from '@assay/identity';
import { LeaderboardPublisher } from '@assay/leaderboard';
import { BenchmarksService, DatasetVersion, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../../factories/annotations.js';
import type { ApiAnswer, ApiRequest } from '../../factories/api-call.js';
import {
  type ApiDocument,
  exampleOf,
  filledPath,
  type Operation,
  operationsOf,
} from '../../factories/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/api-world.js';
import { scoredModel } from '../../factories/scored-models.js';
import { ROLES, type Role, ROUTE_RULES, type Outcome, type Rule } from './route-rules.js';

const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  perturbations: { robustness: ['case'], sample: 10 },
  aggregate: { minimumExamples: 2 },
  quota: { perDay: 100, total: 100 },
};
const LINK = {
  platform: 'mturk',
  examples: 1,
  pay: { amount: 2, currency: 'USD', minutes: 10 },
  expiresAt: '2099-01-01T00:00:00Z',
};
const lines = Array.from({ length: 12 }, (_, n) =>
  JSON.stringify({ id: `e${n}`, text: `this is text ${n} of them all`, label: 'positive' }),
).join('\n');
/** Of what is not there. */
const ABSENT: Readonly<Record<string, string>> = {
  id: '00000000-0000-7000-8000-000000000000',
  delivery: '00000000-0000-7000-8000-000000000000',
  name: 'none',
  part: 'fooling',
  'secret model': '00000000-0000-7000-8000-000000000000',
};
const OWNERS: Readonly<Partial<Record<Role, string>>> = { 'other owner': 'other-owner' };

describe('every route of the API', () => {
  let world: ApiWorld;
  let document: ApiDocument;
  let operations: Operation[];
  const tokens: Partial<Record<Role | 'revoked', string>> = {};
  /** What the rules call by these names. */
  const ids: Record<string, string> = { usual: 'moods' };
  const bodies: Record<string, unknown> = {};

  beforeAll(async () => {
    process.env['ASSAY_SIGN_INS_PER_MINUTE'] = '10000';
    world = await apiWorld();
    document = (await world.call('GET', '/openapi.json')).body as ApiDocument;
    operations = operationsOf(document);
    for (const role of ROLES.filter((each) => !['nobody', 'crowd', 'administrator'].includes(each))) {
      tokens[role] = await world.user(OWNERS[role] ?? role);
    }
    tokens.administrator = world.admin;
    await tasksOf();
    await modelsOf();
    await collected();
    await credentials();
  }, 120_000);
  afterAll(() => world.close());

  const as = (role: Role, method: string, path: string, body?: object): Promise<ApiAnswer> =>
    made(world.call(method, path, { token: tokens[role], ...(body && { body }) }));

  async function made(asked: Promise<ApiAnswer>): Promise<ApiAnswer> {
    const answer = await asked;
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer;
  }

  async function tasksOf(): Promise<void> {
    await as('owner', 'POST', '/tasks', TASK);
    await as('owner', 'POST', '/tasks', { ...TASK, slug: 'closing' });
    await as('other owner', 'POST', '/tasks', { ...TASK, slug: 'other', perturbations: { robustness: [] } });
    for (const [role, path] of [
      ['owner', 'moods/datasets/hidden?visibility=hidden'],
      ['owner', 'moods/datasets/open?visibility=public'],
      ['other owner', 'other/datasets/unperturbed?visibility=hidden'],
    ] as const) {
      const request = { token: tokens[role], type: 'application/x-ndjson', body: lines };
      await made(world.call('PUT', `/tasks/${path}`, request));
    }
    bodies['definition'] = TASK;
  }

  async function modelsOf(): Promise<void> {
    const token = tokens.builder!;
    for (const name of ['shown', 'second', 'secret', 'published']) {
      const publish = name === 'shown' || name === 'second';
      const answer = () => ({ text: 'positive' });
      const id = await scoredModel(world, { slug: 'moods', name, token, publish, answer });
      await world.orm.em.fork().nativeUpdate(Model, id, { state: 'scored' });
      ids[`${name} model`] = id;
    }
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'moods' });
    await new LeaderboardPublisher(new BenchmarksService()).publish(em.fork(), task.id);
    const weights = { accuracy: 2 };
    for (const name of ['kept', 'removed']) await as('builder', 'POST', '/tasks/moods/forks', { name, weights });
    await as('builder', 'POST', '/tasks/moods/snapshots', { name: 'kept', weights });
  }

  async function collected(): Promise<void> {
    const factory = await annotationFactory(world.orm, 'moods');
    await annotationFactory(world.orm, 'other');
    await annotationFactory(world.orm, 'closing');
    const em = world.orm.em.fork();
    const context = em.create(Context, { round: factory.round.id, externalId: 'c1', content: {} });
    const user = await em.findOneOrFail(User, { username: 'annotator' });
    em.create(Assignment, { round: factory.round.id, context, user, state: 'open', expiresAt: new Date(2e12) });
    await em.flush();
    ids['context'] = context.id;
    const { content } = await em.findOneOrFail(DatasetVersion, { dataset: { name: 'open' } });
    for (const part of ['train', 'test'] as const) {
      em.create(RoundRelease, { round: factory.round.id, part, dataset: null, examples: 12, content });
    }
    await em.flush();
    const labels = { label: ['positive'], authorLabel: ['positive'], input: { text: 'Fine.' } };
    const written = (more: object = {}) => factory.written({ by: 'annotator', ...labels, ...more });
    ids['annotation'] = (await written({ answeredAt: new Date() })).id;
    ids['annotation to retract'] = (await written()).id;
    const next = await as('validator', 'POST', '/tasks/moods/validate/next');
    const handed = `/annotations/${next.body.id as string}/validations`;
    ids['validation'] = (await as('validator', 'POST', handed, { label: 'positive' })).body.id as string;
    bodies['example'] = { context: context.id, key: 'k1', input: { text: 'So good.' }, label: 'positive' };
    bodies['example to inspect'] = { context: context.id, input: { text: 'So good.' } };
  }

  async function credentials(): Promise<void> {
    const links = '/tasks/moods/rounds/1/crowd-links';
    const link = (await as('owner', 'POST', links, LINK)).body;
    ids['crowd link'] = link.id as string;
    ids['second crowd link'] = (await as('owner', 'POST', links, LINK)).body.id as string;
    ids['signed link'] = (link.url as string).split('/').at(-1)!;
    const worker = { assignmentId: 'A1', hitId: 'H', workerId: 'W1', turkSubmitTo: 'https://www.mturk.com' };
    const body = { link: ids['signed link'], ...worker };
    tokens.crowd = (await made(world.call('POST', '/crowd/sessions', { body }))).body.token as string;
    bodies['crowd link'] = LINK;
    bodies['crowd session'] = { ...body, assignmentId: 'A2', workerId: 'W2' };
    ids['token'] = (await as('builder', 'POST', '/tokens', { name: 'second' })).body.id as string;
    const login = { email: 'builder@example.org', password: 'builder-has-a-password' };
    await made(world.call('POST', '/auth/login', { body: login }));
    ids['session'] = (await as('builder', 'GET', '/me/sessions')).body.items[0].id as string;
    const em = world.orm.em.fork();
    const builder = await em.findOneOrFail(User, { username: 'builder' });
    const held = em.create(ExternalIdentity, { user: builder, issuer: 'https://provider.example', subject: 'builder' });
    await em.flush();
    ids['provider link'] = held.id;
    const hook = { url: 'https://hooks.example.org/assay', kinds: ['model.finished'] };
    for (const name of ['webhook', 'webhook to delete']) {
      ids[name] = (await as('builder', 'POST', '/me/webhooks', hook)).body.id as string;
    }
    ids['delivery'] = (await as('builder', 'POST', `/me/webhooks/${ids['webhook']}/ping`)).body.id as string;
    ids['user'] = (await as('stranger', 'GET', '/me')).body.id as string;
    const gone = (await as('stranger', 'POST', '/tokens', { name: 'gone' })).body;
    await as('stranger', 'DELETE', `/tokens/${gone.id}`);
    tokens.revoked = gone.token as string;
  }

  const USUAL: Readonly<Record<string, string>> = { slug: 'moods', number: '1', kind: 'robustness', version: '1' };

  /** The request of a rule, about the object or about one that is not there. */
  function requestOf(operation: Operation, rule: Rule, about: 'it' | 'nothing'): { path: string; request: ApiRequest } {
    const named = Object.fromEntries(Object.entries(rule.of ?? {}).map(([hole, name]) => [hole, ids[name] ?? name]));
    const holes = { ...USUAL, ...named };
    const hides = rule.hides ?? ('id' in holes ? 'id' : 'name');
    const isInPath = operation.path.includes(`{${hides}}`);
    if (about === 'nothing' && isInPath) holes[hides] = ABSENT[hides]!;
    const query = (rule.query ?? '').replace(/\{([^}]+)\}/g, (_, name: string) =>
      name !== 'hidden' ? ids[name]! : about === 'nothing' ? ABSENT[hides]! : ids[hides]!,
    );
    const body = bodyOf(operation, rule);
    return {
      path: `${filledPath(operation.path, holes)}${query}`,
      request:
        operation.body.kind === 'file'
          ? { type: 'application/x-ndjson', body: '' }
          : body === undefined
            ? {}
            : { body },
    };
  }

  function bodyOf({ body }: Operation, rule: Rule): object | undefined {
    const given = typeof rule.body === 'string' ? bodies[rule.body] : rule.body;
    if (given !== undefined) return given as object;
    return body.kind === 'json' ? (exampleOf(body.schema, document) ?? {}) : undefined;
  }

  /** What an answer comes to; null: none of the outcomes. */
  function outcomeOf({ status, body }: ApiAnswer): Outcome | null {
    if (body?.code === 'nothing_to_validate') return 'in';
    if (status < 400 || status === 409 || status === 422 || status === 503 || status === 429) return 'in';
    if (status === 401) return 'sign in';
    if (status === 403) return body.code === 'crowd_only' ? 'crowd only' : 'forbidden';
    return status === 404 ? 'absent' : null;
  }

  /** All that an answer tells, but for the words of the question. */
  const told = (answer: ApiAnswer): string => {
    // the id of a request is another one each time
    const body: unknown = typeof answer.body === 'object' ? { ...answer.body, requestId: undefined } : answer.body;
    const kept = { status: answer.status, type: answer.headers.get('content-type'), body };
    const asked = [...Object.values(ids), ...Object.values(ABSENT)].filter((text) => /^[0-9a-f-]{36}$/.test(text));
    return asked.reduce((text, each) => text.replaceAll(each, '…'), JSON.stringify(kept));
  };

  it('has a rule, and every rule has a route', () => {
    expect(Object.keys(ROUTE_RULES).toSorted()).toEqual(operations.map(({ route }) => route).toSorted());
  });

  it('refuses a token that was revoked', async () => {
    const found: string[] = [];
    for (const operation of operations) {
      const { path, request } = requestOf(operation, { ...ROUTE_RULES[operation.route]![0]!, of: FILLED }, 'it');
      const { status, body } = await world.call(operation.method, path, { ...request, token: tokens.revoked });
      if (status !== 401 || body.code !== 'invalid_token') found.push(`${operation.route}: ${status} ${body.code}`);
    }
    expect(found).toEqual([]);
  });
  const FILLED = {
    id: ABSENT['id']!,
    delivery: ABSENT['delivery']!,
    name: 'none',
    part: 'train',
    link: 'none',
    username: 'annotator',
  };

  // in the order of ROLES: what is refused is about what is still there
  it.each(ROLES.map((role) => [role]))('lets %s do what the rules say, and hides what is hidden', async (role) => {
    const found: string[] = [];
    for (const operation of operations) {
      for (const [place, rule] of (ROUTE_RULES[operation.route] ?? []).entries()) {
        const expected = rule.outcomes[role];
        const isNotLast =
          rule.once && expected === 'in' && ROLES.findLast((each) => rule.outcomes[each] === 'in') !== role;
        if (isNotLast) continue;
        const { path, request } = requestOf(operation, rule, 'it');
        const token = tokens[role];
        const answer = await world.call(operation.method, path, { ...request, token });
        const outcome = outcomeOf(answer);
        const what = `${operation.route} #${place} ${path}: ${answer.status} ${answer.body?.code ?? ''}`;
        if (outcome !== expected) found.push(`${what} in place of ${expected}: ${answer.body?.detail ?? ''}`);
        if (expected === 'absent') {
          const other = requestOf(operation, rule, 'nothing');
          const absent = await world.call(operation.method, other.path, { ...other.request, token });
          if (told(absent) !== told(answer))
            found.push(`${what} tells that it is there: ${told(answer)} ${told(absent)}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  it.each(ROLES.map((role) => [role]))('takes an upload of %s only for a model of theirs', async (role) => {
    const upload = async (id: string): Promise<ApiAnswer> => {
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': '3' };
      return world.call('POST', `/models/${id}/upload`, { token: tokens[role], headers });
    };
    const secret = await upload(ids['secret model']!);
    const absent = await upload(ABSENT['id']!);
    if (role === 'nobody') expect(secret.status).toBe(401);
    else if (role === 'builder' || role === 'administrator') expect(secret.status).toBe(201);
    else expect(secret.status).toBe(role === 'owner' || role === 'crowd' ? 403 : 404);
    if (secret.status >= 400 && role !== 'owner') expect(told(secret)).toBe(told(absent));
  });
});
