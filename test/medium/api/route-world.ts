import { rmSync } from 'node:fs';
import { Assignment } from '@assay/collection/annotating';
import { Context, RoundRelease } from '@assay/collection/rounds';
import { failure } from '@assay/contracts/models';
import { ExternalIdentity, User } from '@assay/identity';
import { Model } from '@assay/submissions';
import { DatasetVersion } from '@assay/tasks/datasets';
import { annotationFactory } from '../../factories/collection/annotations.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import { type ApiDocument, type Operation, operationsOf } from '../../factories/worlds/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { signingWorker } from '../../factories/worlds/signing-worker.js';
import { builtDashboard } from '../../factories/services/built-dashboard.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { ROLES, type Role } from './route-rules.js';

export const TASK = {
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
export const LINK = {
  platform: 'mturk',
  examples: 1,
  pay: { amount: 2, currency: 'USD', minutes: 10 },
  expiresAt: '2099-01-01T00:00:00Z',
};
export const LINES = Array.from({ length: 12 }, (_, n) =>
  JSON.stringify({ id: `e${n}`, text: `this is text ${n} of them all`, label: 'positive' }),
).join('\n');
/** The report of an evaluator. */
export const REPORT = {
  protocol: 2,
  version: '0.1.0',
  host: { architecture: 'amd64', cpus: 8, memoryBytes: 16 * 2 ** 30, runtimes: ['runc', 'runsc'] },
  slots: 6,
};
/** IDs and names of objects that do not exist. */
export const ABSENT: Readonly<Record<string, string>> = {
  id: '00000000-0000-7000-8000-000000000000',
  delivery: '00000000-0000-7000-8000-000000000000',
  name: 'none',
  part: 'fooling',
  'secret model': '00000000-0000-7000-8000-000000000000',
};
/** The usual values of path parameters, for rules that set none. */
export const USUAL: Readonly<Record<string, string>> = {
  slug: 'moods',
  number: '1',
  kind: 'robustness',
  version: '1',
  run: ABSENT['id']!,
  deployment: ABSENT['id']!,
  dataset: ABSENT['id']!,
};
const OWNERS: Readonly<Partial<Record<Role, string>>> = { 'other owner': 'other-owner' };

/** Limits of requests per minute that no spec reaches. */
const UNLIMITED = Object.fromEntries(
  [
    ...['REQUESTS', 'READS', 'COSTLY_REQUESTS', 'CHANGES', 'UPLOADS', 'LIVE_REQUESTS', 'SIGN_INS'],
    'EVALUATOR_REQUESTS',
  ].map((name) => [`ASSAY_${name}_PER_MINUTE`, '1000000']),
);

/**
 * A world with an object of every kind that the API has, each owned by somebody, and a token of
 * every role.
 */
export interface RouteWorld {
  readonly world: ApiWorld;
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
  readonly tokens: Partial<Record<Role | 'revoked', string>>;
  /** IDs by the names that the rules use. */
  readonly ids: Record<string, string>;
  readonly bodies: Record<string, unknown>;
  readonly as: (role: Role, method: string, path: string, body?: object) => Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** @param environment Settings in addition to those of every world. */
export async function routeWorld(environment: Readonly<Record<string, string>> = {}): Promise<RouteWorld> {
  const dashboard = builtDashboard();
  const world = await apiWorld({
    ...UNLIMITED,
    ASSAY_DASHBOARD: dashboard,
    ASSAY_METRICS_TOKEN: 'a-token-for-the-metrics',
    ...environment,
  });
  const document = (await world.call('GET', '/openapi.json')).body as ApiDocument;
  const tokens: Partial<Record<Role | 'revoked', string>> = { administrator: world.admin };
  const ids: Record<string, string> = { usual: 'moods' };
  const bodies: Record<string, unknown> = {};
  for (const role of ROLES.filter(
    (each) => !['nobody', 'crowd', 'administrator', 'reader', 'evaluator'].includes(each),
  )) {
    tokens[role] = await world.user(OWNERS[role] ?? role);
  }
  await tasksOf();
  await modelsOf();
  await collected();
  await credentials();
  const worker = await signingWorker(world);
  const close = async (): Promise<void> => {
    await worker.close();
    await world.close();
    rmSync(dashboard, { recursive: true, force: true });
  };
  return { world, document, operations: operationsOf(document), tokens, ids, bodies, as, close };

  async function as(role: Role, method: string, path: string, body?: object): Promise<ApiAnswer> {
    return made(world.call(method, path, { token: tokens[role], ...(body && { body }) }));
  }

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
      const request = { token: tokens[role], type: 'application/x-ndjson', body: LINES };
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
    const failed = { slug: 'moods', name: 'failed', token, answer: () => undefined };
    ids['failed model'] = await scoredModel(world, failed);
    const why = { state: 'failed', failure: failure('model_exited', 'It ended.') } as const;
    await world.orm.em.fork().nativeUpdate(Model, ids['failed model'], why);
    const card = { name: 'awaited', kind: 'container', publish: false };
    ids['awaited model'] = (await as('builder', 'POST', '/tasks/moods/models', card)).body.id as string;
    await publishBoard(world, 'moods');
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
    const secret = 'a-secret-of-one-browser-of-a-worker';
    const body = { link: ids['signed link'], secret, ...worker };
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
    ids['invitation'] = (await as('administrator', 'POST', '/admin/invitations')).body.id as string;
    ids['evaluator'] = (await as('owner', 'POST', '/evaluators', { name: 'of-owner' })).body.id as string;
    tokens.evaluator = (await as('administrator', 'POST', '/evaluators', { name: 'of-all' })).body.token as string;
    bodies['report'] = REPORT;
    tokens.reader = (await as('builder', 'POST', '/tokens', { name: 'reads', scope: 'read' })).body.token as string;
  }
}
