import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RouteAccess } from '../../../apps/api/src/access/access.js';
import { type ApiAnswer, apiCall, type ApiRequest } from '../../factories/worlds/api-call.js';
import type { Operation } from '../../factories/worlds/api-operations.js';
import { requestOf } from './route-requests.js';
import { GATEWAY, ROLES, type Role, ROUTE_RULES, type Outcome, outcomeFor } from './route-rules.js';
import { ABSENT, type RouteWorld, routeWorld } from './route-world.js';
import { UNDOCUMENTED, UPLOAD_RULE, UPLOADS } from './undocumented-routes.js';

/** The outcomes of the refusals that are distinguished by their code. */
const REFUSALS: Readonly<Record<string, Outcome>> = { crowd_only: 'crowd only', scope_missing: 'scope' };
/** The status of responses to HEAD, which have no code. */
const STATUS: Readonly<Record<Outcome, number>> = {
  in: 200,
  'sign in': 401,
  forbidden: 403,
  scope: 403,
  'crowd only': 403,
  absent: 404,
};

/** The schemas of the answers of models. */
const LIVE = /schemas\/(?:ModelAnswer|Inspection|AnnotationTrial)"/;
/** Returns the route of an operation in the form of `ApiWorld.routes`. */
const patternOf = ({ method, path }: Operation): string => `${method} /api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

describe('every route of the API', () => {
  let all: RouteWorld;
  let world: RouteWorld['world'];
  let operations: RouteWorld['operations'];
  let ids: RouteWorld['ids'];

  beforeAll(async () => {
    all = await routeWorld();
    ({ world, operations, ids } = all);
  }, 300_000);
  afterAll(() => all.close());

  /** Returns the outcome of a response, or null if it matches none. */
  function outcomeOf({ status, body }: ApiAnswer): Outcome | null {
    if (body?.code === 'nothing_to_validate') return 'in';
    if (status < 400 || status === 409 || status === 422 || status === 503 || status === 429) return 'in';
    if (status === 401) return 'sign in';
    if (status === 403) return REFUSALS[body.code as string] ?? 'forbidden';
    return status === 404 ? 'absent' : null;
  }

  /** Returns everything that a response reveals, with the IDs of the request masked. */
  const told = (answer: ApiAnswer): string => {
    // the request ID differs each time
    const body: unknown = typeof answer.body === 'object' ? { ...answer.body, requestId: undefined } : answer.body;
    const kept = { status: answer.status, type: answer.headers.get('content-type'), body };
    const asked = [...Object.values(ids), ...Object.values(ABSENT)].filter((text) => /^[0-9a-f-]{36}$/.test(text));
    return asked.reduce((text, each) => text.replaceAll(each, '…'), JSON.stringify(kept));
  };

  it('has a rule, and every rule has a route', () => {
    expect(Object.keys(ROUTE_RULES).toSorted()).toEqual(operations.map(({ route }) => route).toSorted());
  });

  it('is documented, or stands in the list of those that are not', () => {
    const listed = [...operations.map(patternOf), ...Object.keys(UNDOCUMENTED), ...UPLOADS];
    expect([...world.routes.keys()].toSorted()).toEqual(listed.toSorted());
  });

  it('declares that its body is streamed exactly if it is a file, and then for users the cost of an upload', () => {
    const files = operations.filter(({ body }) => body.kind === 'file').map(patternOf);
    expect(declaring(({ stream }) => stream !== undefined)).toEqual([...files, ...UPLOADS].toSorted());
    const ofUsers = files.filter((pattern) => !pattern.includes('/evaluator/'));
    expect(declaring(({ cost }) => cost === 'upload')).toEqual([...ofUsers, ...UPLOADS].toSorted());
  });

  it('declares that it is for evaluators exactly if it is in the gateway, and then their cost', () => {
    const gateway = operations.filter(({ route }) => GATEWAY.test(route)).map(patternOf);
    expect(gateway.length).toBeGreaterThan(1);
    expect(declaring(({ evaluator }) => evaluator === true)).toEqual(gateway.toSorted());
    expect(declaring(({ cost }) => cost === 'evaluator')).toEqual(gateway.toSorted());
  });

  it('declares the cost of a live answer exactly if a model answers', () => {
    const live = operations.filter(({ responses }) => LIVE.test(JSON.stringify(responses))).map(patternOf);
    expect(declaring(({ cost }) => cost === 'live')).toEqual(live.toSorted());
    expect(live).toHaveLength(4);
  });

  /** Returns the routes whose declared access satisfies the condition, sorted. */
  const declaring = (condition: (access: RouteAccess) => boolean): string[] =>
    [...world.routes].flatMap(([route, access]) => (condition(access) ? [route] : [])).toSorted();

  it.each(ROLES.map((role) => [role]))('lets %s see of what is not documented what the rules say', async (role) => {
    const found: string[] = [];
    for (const [route, { path, rule }] of Object.entries(UNDOCUMENTED)) {
      const answer = await apiCall(`${world.url}${path}`, 'GET', { token: all.tokens[role] });
      const expected = outcomeFor(route, rule, role);
      if (outcomeOf(answer) !== expected) found.push(`${route}: ${answer.status} in place of ${expected}`);
    }
    expect(found).toEqual([]);
  });

  it('refuses a token that was revoked', async () => {
    const found: string[] = [];
    for (const operation of operations) {
      const { path, request } = requestOf(all, operation, { ...ROUTE_RULES[operation.route]![0]!, of: FILLED }, 'it');
      const { status, body } = await world.call(operation.method, path, { ...request, token: all.tokens.revoked });
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

  // in the order of `ROLES`, so that a refused request names an object that still exists
  it.each(ROLES.map((role) => [role]))('lets %s do what the rules say, and hides what is hidden', async (role) => {
    const found: string[] = [];
    for (const operation of operations) {
      for (const [place, rule] of (ROUTE_RULES[operation.route] ?? []).entries()) {
        const expected = outcomeFor(operation.route, rule, role);
        const last = ROLES.findLast((each) => outcomeFor(operation.route, rule, each) === 'in');
        if (rule.once && expected === 'in' && last !== role) continue;
        const { path, request } = requestOf(all, operation, rule, 'it');
        const token = all.tokens[role];
        const answer = await world.call(operation.method, path, { ...request, token });
        const outcome = outcomeOf(answer);
        const what = `${operation.route} #${place} ${path}: ${answer.status} ${answer.body?.code ?? ''}`;
        if (outcome !== expected) found.push(`${what} in place of ${expected}: ${answer.body?.detail ?? ''}`);
        if (expected === 'absent') {
          const other = requestOf(all, operation, rule, 'nothing');
          const absent = await world.call(operation.method, other.path, { ...other.request, token });
          if (told(absent) !== told(answer))
            found.push(`${what} tells that it is there: ${told(answer)} ${told(absent)}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  const TUS = { 'tus-resumable': '1.0.0' };
  const CHUNK = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '3' };
  const tus = (role: Role, method: string, path: string, headers: ApiRequest['headers'] = TUS): Promise<ApiAnswer> =>
    world.call(method, path, {
      token: all.tokens[role],
      headers,
      ...(method === 'PATCH' && { type: headers['content-type']!, body: 'abc' }),
    });
  const opened = (role: Role, id: string): Promise<ApiAnswer> =>
    tus(role, 'POST', `/models/${id}/upload`, { ...TUS, 'upload-length': '9' });

  /**
   * Creates an upload of `builder` with three of nine bytes received.
   * @returns The upload's ID.
   */
  async function running(): Promise<string> {
    const { status, headers } = await opened('builder', ids['awaited model']!);
    expect(status).toBe(201);
    const upload = headers.get('location')!.split('/').at(-1)!;
    const sent = { ...CHUNK, 'upload-offset': '0' };
    expect((await tus('builder', 'PATCH', addressOf(ids['awaited model']!, upload), sent)).status).toBe(204);
    return upload;
  }
  const addressOf = (id: string, upload?: string): string =>
    `/models/${id}/upload${upload === undefined ? '' : `/${upload}`}`;

  it.each(ROLES.map((role) => [role]))('takes an upload of %s only for a model of theirs', async (role) => {
    const about = await opened(role, ids['secret model']!);
    const expected = outcomeFor('POST', UPLOAD_RULE, role);
    expect(outcomeOf(about)).toBe(expected);
    if (expected === 'absent') expect(told(about)).toBe(told(await opened(role, ABSENT['id']!)));
  });

  const ADDRESSES = ['that of its model', 'its own'] as const;
  it.each(ROLES.flatMap((role) => ADDRESSES.map((address) => [role, address] as const)))(
    'lets %s look at, go on with and end an upload under way only if it is theirs, by %s',
    async (role, form) => {
      const model = ids['awaited model']!;
      const upload = await running();
      const own = form === 'its own' ? upload : undefined;
      const absent = ABSENT['id']!;
      const nothing = addressOf(absent, own?.replace(model, absent));
      for (const method of ['HEAD', 'PATCH', 'DELETE']) {
        const headers = method === 'PATCH' ? CHUNK : TUS;
        const expected = outcomeFor(method === 'HEAD' ? 'GET ' : method, UPLOAD_RULE, role);
        const answer = await tus(role, method, addressOf(model, own), headers);
        if (expected === 'in') {
          expect([method, answer.status]).toEqual([method, method === 'HEAD' ? 200 : 204]);
          continue;
        }
        expect([method, answer.status]).toEqual([method, STATUS[expected]]);
        if (method !== 'HEAD') expect([method, outcomeOf(answer)]).toEqual([method, expected]);
        if (expected === 'absent') expect(told(answer)).toBe(told(await tus(role, method, nothing, headers)));
        const left = await tus('builder', 'HEAD', addressOf(model, upload));
        expect([method, left.status, left.headers.get('upload-offset')]).toEqual([method, 200, '3']);
      }
    },
  );
});
