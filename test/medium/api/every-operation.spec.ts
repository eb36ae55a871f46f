import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { classOf, REQUEST_CLASSES, type RequestClass } from '../../../apps/api/src/access/access.js';
import { type ApiAnswer, apiCall, type ApiRequest } from '../../factories/worlds/api-call.js';
import {
  type ApiDocument,
  type DocumentedSchema,
  exampleOf,
  filledPath,
  type Operation,
  operationsOf,
  withUnknownKeys,
} from '../../factories/worlds/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { type SigningWorker, signingWorker } from '../../factories/worlds/signing-worker.js';
import { GATEWAY } from './route-rules.js';

const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const NOBODY = '00000000-0000-7000-8000-000000000000';
const VALUES: Readonly<Record<string, string>> = {
  slug: 'moods',
  name: 'some',
  kind: 'robustness',
  number: '1',
  version: '1',
  part: 'train',
  id: NOBODY,
  delivery: NOBODY,
  run: NOBODY,
  deployment: NOBODY,
  dataset: NOBODY,
  link: 'none',
  username: 'nobody',
};
/** Reports the problems of any definition as its result, and refuses nothing. */
const CHECKS = 'POST /task-checks';
/**
 * Operations whose body is validated as a task definition: after merging it into an existing one,
 * or to report its problems.
 */
const PARTS_OF_TASKS = [CHECKS, 'PATCH /tasks/{slug}', 'POST /tasks/{slug}/preview'];
const RECORD_KEYS = { kinds: 'round_opened' };
/** The provider may add any parameter to its query. */
const CALLBACK = 'GET /auth/provider/callback';

/** The limit of each request class per minute, and the setting that defines it. */
const MOST: Readonly<Record<RequestClass, number>> = {
  read: 6,
  costly: 5,
  change: 4,
  upload: 3,
  live: 2,
  'sign-in': 7,
  evaluator: 8,
};
const SETTINGS: Readonly<Record<RequestClass, string>> = {
  read: 'ASSAY_READS_PER_MINUTE',
  costly: 'ASSAY_COSTLY_REQUESTS_PER_MINUTE',
  change: 'ASSAY_CHANGES_PER_MINUTE',
  upload: 'ASSAY_UPLOADS_PER_MINUTE',
  live: 'ASSAY_LIVE_REQUESTS_PER_MINUTE',
  'sign-in': 'ASSAY_SIGN_INS_PER_MINUTE',
  evaluator: 'ASSAY_EVALUATOR_REQUESTS_PER_MINUTE',
};

describe('every operation of the API', () => {
  let world: ApiWorld;
  let worker: SigningWorker;
  let document: ApiDocument;
  let operations: Operation[];
  let cookie: string;
  /** The token of an evaluator. */
  let evaluator: string;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_SIGN_INS_PER_MINUTE: '10000' });
    worker = await signingWorker(world);
    document = (await world.call('GET', '/openapi.json')).body as ApiDocument;
    operations = operationsOf(document);
    await world.call('POST', '/tasks', { token: world.admin, body: TASK });
    const body = { username: 'visitor', email: 'visitor@example.org', password: 'visitor-has-a-password' };
    const { headers } = await world.call('POST', '/auth/register', { body });
    cookie = headers.get('set-cookie')!.split(';')[0]!;
    const registered = await world.call('POST', '/evaluators', { token: world.admin, body: { name: 'a-host' } });
    evaluator = registered.body.token as string;
  });
  afterAll(async () => {
    await worker.close();
    await world.close();
  });

  const ask = (operation: Operation, request: ApiRequest = {}, query = ''): Promise<ApiAnswer> => {
    const path = operation.path === '/health/live' ? operation.path : filledPath(operation.path, VALUES);
    return world.call(operation.method, `${path}${query}`, request);
  };
  const withBody = (request: ApiRequest, body: unknown): ApiRequest => ({
    ...request,
    type: 'application/json',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const asAdministrator = (): ApiRequest => ({ token: world.admin });
  /** Returns the credential of a caller who may use the operation. */
  const allowed = ({ route }: Operation): ApiRequest =>
    GATEWAY.test(route) ? { token: evaluator } : asAdministrator();
  const takingJson = (): Operation[] => operations.filter(({ body }) => body.kind === 'json');
  const notFiles = (): Operation[] => operations.filter(({ changes, body }) => changes && body.kind !== 'file');
  const told = ({ status, body }: ApiAnswer): string => `${status} ${body?.code}`;

  /** Returns the operations that give another answer than the expected one. */
  async function others(
    among: readonly Operation[],
    expected: string,
    request: (operation: Operation) => Promise<ApiAnswer>,
  ): Promise<string[]> {
    expect(among.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const operation of among) {
      const answer = told(await request(operation));
      if (answer !== expected) found.push(`${operation.route}: ${answer}`);
    }
    return found;
  }

  function isRefusedFor(place: string, { route }: Operation, { status, body }: ApiAnswer): boolean {
    const problems = (body.errors ?? body.problems ?? []) as { path: string }[];
    return (route === CHECKS ? body.valid === false : status === 422) && problems.some(({ path }) => path === place);
  }
  /** Returns the schema of the body. A partial definition has the schema of a whole one. */
  function schemaOf({ route, body }: Operation): DocumentedSchema {
    if (body.kind !== 'json') return {};
    return PARTS_OF_TASKS.includes(route) ? { $ref: '#/components/schemas/TaskDefinition' } : body.schema;
  }

  it('refuses keys in its query that it does not know, and names them', async () => {
    const keys = ['zebra', '__proto__', 'constructor', 'prototype', 'zebra[]', 'zebra.a', ' limit', 'limit ', 'LIMIT'];
    const query = `?${keys.map((key) => `${encodeURIComponent(key)}=1`).join('&')}`;
    const among = operations.filter(({ route }) => route !== CALLBACK);
    const found = await others(among, '422 validation_failed', async (operation) => {
      const answer = await ask(operation, allowed(operation), query);
      const named = ((answer.body.errors ?? []) as { path: string }[]).map(({ path }) => path);
      expect([operation.route, named.toSorted()]).toEqual([operation.route, keys.toSorted()]);
      return answer;
    });
    expect(found).toEqual([]);
  });

  it('refuses the same key of a query twice', async () => {
    const listing = operations.filter(({ queries }) => 'limit' in queries);
    expect(listing.length).toBeGreaterThan(8);
    for (const each of listing) {
      const answer = await ask(each, asAdministrator(), '?limit=1&limit=2');
      expect([each.route, told(answer)]).toEqual([each.route, '422 validation_failed']);
    }
  });

  it('refuses a key in its body that it does not know, and names it', async () => {
    const found: string[] = [];
    for (const operation of notFiles()) {
      const example = operation.body.kind === 'json' ? exampleOf(operation.body.schema, document) : {};
      const body = { ...(example as object), zebra: 1 };
      const answer = await ask(operation, withBody(allowed(operation), body));
      if (!isRefusedFor('zebra', operation, answer)) found.push(`${operation.route}: ${JSON.stringify(answer.body)}`);
    }
    expect(found).toEqual([]);
  });

  it('refuses such a key in every object within its body, and names it', async () => {
    const keys = { document, key: 'zebra', recordKeys: RECORD_KEYS };
    const found: string[] = [];
    const tried = new Set<string>();
    for (const operation of takingJson()) {
      for (const { value, place } of withUnknownKeys(schemaOf(operation), keys)) {
        const answer = await ask(operation, withBody(allowed(operation), value));
        const where = `${operation.route} ${place.join('.')}`;
        if (!isRefusedFor(place.join('.'), operation, answer)) found.push(`${where}: ${JSON.stringify(answer.body)}`);
        tried.add(where);
      }
    }
    expect(found).toEqual([]);
    // the search reached nested keys: in objects, lists, records and variants
    const deep = [
      'POST /tasks collection.fields.0.zebra',
      'PATCH /tasks/{slug} loop.zebra',
      'POST /tasks slices.0.zebra',
    ];
    for (const where of [...deep, 'PATCH /me/notification-settings kinds.round_opened.zebra'])
      expect(tried).toContain(where);
  });

  it.each(['__proto__', 'constructor'])('changes nothing by a key %s', async (key) => {
    for (const operation of notFiles()) {
      const value = key === 'constructor' ? '{"prototype":{"polluted":1}}' : '{"polluted":1}';
      const { status } = await ask(operation, withBody(allowed(operation), `{"${key}":${value}}`));
      const isRefused = (status >= 400 && status < 500) || operation.route === CHECKS;
      expect([operation.route, status, isRefused]).toEqual([operation.route, status, true]);
    }
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    ['text with U+0000', '{"name":"a\\u0000b"}', '422 invalid_text'],
    ['a key with U+0000', '{"a\\u0000b":1}', '422 invalid_text'],
    ['half a surrogate pair', '{"name":"a\\ud800b"}', '422 invalid_text'],
    ['a key with half a surrogate pair', '{"\\udc00":1}', '422 invalid_text'],
    ['lists in lists', '['.repeat(40) + ']'.repeat(40), '400 too_deep'],
    ['a megabyte of brackets', '['.repeat(2 ** 19) + ']'.repeat(2 ** 19), '400 too_deep'],
    ['objects in objects', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, '400 too_deep'],
    ['ever so many values', JSON.stringify(Array.from({ length: 60_000 }, () => 1)), '400 too_many_values'],
    ['what is no JSON', '{"name":', '400 bad_request'],
    ['more than a megabyte', `{"name":"${'a'.repeat(2 ** 20)}"}`, '413 too_large'],
  ])('refuses %s', async (_what, body, expected) => {
    // a long body takes long to send, so only some operations receive it
    const among = body.length > 10_000 ? takingJson().slice(0, 3) : notFiles();
    for (const each of among) {
      expect([each.route, told(await ask(each, withBody(allowed(each), body)))]).toEqual([each.route, expected]);
    }
  });

  it.each([
    ['lists in lists', '['.repeat(100_000), '400 too_deep'],
    ['dashes', '- '.repeat(60_000), '400 too_deep'],
    ['aliases of aliases', `a: &a [x]\n${'b: [*a, *a]\n'.repeat(3000)}`, '400 too_many_values'],
    ['keys', Array.from({ length: 5000 }, (_, n) => `key${n}: 1`).join('\n'), '400 too_many_values'],
    ['characters', `name: ${'a'.repeat(2 ** 17)}`, '413 too_large'],
  ])('refuses YAML of too many %s, whoever sends it', async (_what, body, expected) => {
    for (const path of ['/tasks', '/task-checks']) {
      const answer = await world.call('POST', path, { type: 'application/yaml', body });
      expect([path, told(answer)]).toEqual([path, expected]);
    }
  });

  it('refuses addresses and headers that are too long', async () => {
    const long = await world.call('GET', `/tasks?cursor=${'a'.repeat(9000)}`);
    expect(told(long)).toBe('414 address_too_long');
    const heavy = await world.call('GET', '/tasks', { headers: { 'x-long': 'a'.repeat(20_000) } });
    expect(heavy.status).toBe(431);
    const nul = await world.call('GET', '/tasks?cursor=a%00b');
    expect(told(nul)).toBe('422 invalid_text');
  });

  describe('that changes something', () => {
    const changing = (): Operation[] => operations.filter(({ changes }) => changes);
    const own = (): Record<string, string> => ({ origin: world.url });

    it.each([
      ['another origin', { origin: 'https://evil.example' }],
      ['another port', { origin: 'http://127.0.0.1:1' }],
      ['an origin that is none', { origin: 'null' }],
      ['a page that the browser calls of another site', { 'sec-fetch-site': 'cross-site' }],
      ['a page beside this one', { 'sec-fetch-site': 'same-site' }],
    ] as [string, Record<string, string>][])('does nothing for %s by a cookie', async (_what, from) => {
      const headers = { cookie, ...from };
      expect(await others(changing(), '403 cross_site', (each) => ask(each, { headers }))).toEqual([]);
    });

    it('does nothing for another site that would sign somebody in, or that sends no proper token', async () => {
      for (const headers of [{}, { cookie, authorization: 'Basic YTpi' }]) {
        const foreign = { ...headers, origin: 'https://evil.example' };
        const body = { email: 'visitor@example.org', password: 'visitor-has-a-password' };
        expect(told(await world.call('POST', '/auth/login', { body, headers: foreign }))).toBe('403 cross_site');
      }
    });

    it('is done for its own pages, for programs, and by a token from anywhere', async () => {
      const path = `${world.url}/api/v1/me/profile`;
      const body = { bio: 'Me.' };
      const token = (
        await apiCall(`${world.url}/api/v1/tokens`, 'POST', { body: { name: 'mine' }, headers: { cookie } })
      ).body.token as string;
      const allowed: ApiRequest[] = [
        { headers: { cookie, ...own() } },
        { headers: { cookie, 'sec-fetch-site': 'same-origin' } },
        { headers: { cookie, 'sec-fetch-site': 'none' } },
        { headers: { cookie } },
        { token, headers: { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' } },
      ];
      for (const request of allowed) {
        expect([request, (await apiCall(path, 'PATCH', { body, ...request })).status]).toEqual([request, 200]);
      }
    });
  });

  describe('asked too often', () => {
    beforeAll(async () => {
      const settings = Object.entries(SETTINGS).map(([name, setting]) => [setting, String(MOST[name as RequestClass])]);
      await world.restart({ ...Object.fromEntries(settings), ASSAY_REQUESTS_PER_MINUTE: '400' });
    });

    describe.each([
      ['who has not signed in', '198.51.100.1', () => ({})],
      ['with a token that is not valid', '198.51.100.2', () => ({ token: 'assay_of-nobody' })],
      ['who has signed in', '198.51.100.3', () => asAdministrator()],
    ])('by somebody %s', (_who, address, caller) => {
      it.each(REQUEST_CLASSES)('is refused where it is of the class %s and its budget is spent', async (name) => {
        const ofClass = operations.filter((operation) => requestClassOf(operation) === name);
        const request = { ...caller(), headers: { 'x-forwarded-for': address } };
        const allowed = [];
        for (let n = 0; n < MOST[name]; n++) allowed.push((await ask(ofClass[0]!, request)).status);
        expect(allowed).not.toContain(429);

        for (const operation of ofClass) {
          const { status, headers, body } = await ask(operation, request);
          const code = name === 'sign-in' ? 'too_many_attempts' : 'too_many_requests';
          expect([operation.route, status, body.code]).toEqual([operation.route, 429, code]);
          expect(headers.get('content-type')).toContain('application/problem+json');
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
          expect(headers.get('ratelimit-policy')).toMatch(new RegExp(`^"[a-z-]+";q=${MOST[name]};w=60$`));
          expect(headers.get('ratelimit')).toMatch(/^"[a-z-]+";r=0;t=\d+$/);
        }
      });
    });

    it('has a budget for each token, and one for all that a user asks for', async () => {
      const first = await world.call('GET', '/me', { headers: { cookie } });
      expect(first.headers.get('ratelimit-policy')).toBe('"reads";q=6;w=60');
      expect(first.headers.get('ratelimit')).toMatch(/^"reads";r=5;t=\d+$/);
      const { token } = (await world.call('POST', '/tokens', { headers: { cookie }, body: { name: 'more' } })).body;
      for (let n = 1; n < MOST.read; n++) await world.call('GET', '/me', { headers: { cookie } });
      expect((await world.call('GET', '/me', { headers: { cookie } })).status).toBe(429);
      expect((await world.call('GET', '/me', { token })).status).toBe(200);

      await world.restart({ ASSAY_REQUESTS_PER_MINUTE: '2' });
      for (const by of [{ token }, { headers: { cookie } }]) {
        expect((await world.call('GET', '/me', by)).status).toBe(200);
      }
      const refused = await world.call('GET', '/me', { token });
      expect([told(refused), refused.headers.get('ratelimit-policy')]).toEqual([
        '429 too_many_requests',
        '"user";q=2;w=60',
      ]);
    });

    it('counts who has no token, or a wrong one, by address, boards that are kept among it', async () => {
      await world.restart({ ASSAY_ADDRESS_REQUESTS_PER_MINUTE: '10' });
      const answers = [];
      for (let n = 0; n < 11; n++) answers.push(await world.call('GET', '/me', { token: 'guessed' }));
      expect(told(answers.at(-1)!)).toBe('429 too_many_requests');
      const board = await world.call('GET', '/tasks/moods/leaderboard');
      expect(told(board)).toBe('429 too_many_requests');
      expect(board.headers.get('ratelimit-policy')).toBe('"address";q=10;w=60');
    });

    const requestClassOf = ({ method, path }: Operation): RequestClass =>
      classOf(method, world.routes.get(`${method} /api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`)!.cost);
  });
});
