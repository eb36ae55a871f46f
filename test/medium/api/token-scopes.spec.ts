import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { TOKEN_SCOPES, type TokenScope } from '@assay/contracts/identity';
import { Credential } from '@assay/identity';
import { newId } from '@assay/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockMode } from '@mikro-orm/core';
import { scopeOf } from '../../../apps/api/src/access/access.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { countLockWaits } from '../../factories/worlds/lock-waits.js';
import { rowsOf } from '../../factories/worlds/test-services.js';

interface Operation {
  readonly method: string;
  readonly path: string;
}

const OPERATIONS: readonly Operation[] = Object.entries(
  (JSON.parse(readFileSync('apps/api/openapi.json', 'utf8')) as { paths: Record<string, object> }).paths,
).flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));

/** The required scope of operations other than GET, if it is less than `all`. */
const LESSER: Readonly<Record<string, TokenScope>> = {
  'POST /api/v1/task-checks': 'read',
  'POST /api/v1/tasks/{slug}/preview': 'read',
  'POST /api/v1/tasks/{slug}/loop/preview': 'read',
  'POST /api/v1/tasks/{slug}/datasets/{name}/check': 'read',
  'POST /api/v1/tasks/{slug}/models': 'submit',
  'PUT /api/v1/models/{id}/artifact': 'submit',
  'PUT /api/v1/models/{id}/supplement': 'submit',
  'POST /api/v1/models/{id}/predict': 'submit',
  'POST /api/v1/models/{id}/rerun': 'submit',
  'POST /api/v1/models/{id}/cancel': 'submit',
  'POST /api/v1/models/{id}/publish': 'submit',
};
/** The routes that refuse the tokens of users, whatever their scope. */
const GATEWAY = /^\/api\/v1\/evaluator(?:\/|$)/;
/** The protocol of resumable uploads, which the OpenAPI document does not contain. */
const UPLOADS: readonly Operation[] = ['POST', 'PATCH', 'DELETE'].flatMap((method) => [
  { method, path: '/api/v1/models/{id}/upload' },
  { method, path: '/api/v1/models/{id}/upload/{upload}' },
]);

const neededFor = ({ method, path }: Operation): TokenScope =>
  UPLOADS.some((each) => each.path === path)
    ? 'submit'
    : (LESSER[`${method} ${path}`] ?? (method === 'GET' ? 'read' : 'all'));
const reaches = (scope: TokenScope, needed: TokenScope) => TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed);

describe('a token', () => {
  let world: ApiWorld;
  let ann: string;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_SIGN_INS_PER_MINUTE: '10000' });
    ann = await world.user('ann');
  });
  afterAll(() => world.close());

  const make = (body: object, token = ann) => world.call('POST', '/tokens', { token, body: { name: 'made', ...body } });
  const secretFor = async (scope: TokenScope) => (await make({ scope })).body.token as string;
  /** Sends a request about an object that does not exist, with an empty body. */
  const send = ({ method, path }: Operation, token: string) =>
    world.call(
      method,
      path.replace('/api/v1', '').replaceAll(/\{(\w+)\}/g, () => newId()),
      {
        token,
        ...(!['GET', 'HEAD'].includes(method) && { body: {} }),
        headers: { 'tus-resumable': '1.0.0' },
      },
    );

  it.each(['read', 'submit'] as const)('for %s is refused at every operation that needs more', async (scope) => {
    const token = await secretFor(scope);
    const wrong: string[] = [];
    for (const operation of [...OPERATIONS, ...UPLOADS].filter(({ path }) => !GATEWAY.test(path))) {
      const answer = await send(operation, token);
      const isRefused = answer.status === 403 && answer.body.code === 'scope_missing';
      if (isRefused === reaches(scope, neededFor(operation))) {
        wrong.push(`${operation.method} ${operation.path}: ${answer.status} ${answer.body.code}`);
      }
    }
    expect(OPERATIONS.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
    expect((await world.call('GET', '/me', { token })).status).toBe(200);
  });

  it('for all is refused nowhere for that', () => {
    expect(OPERATIONS.every((operation) => reaches('all', neededFor(operation)))).toBe(true);
    expect(scopeOf('POST', undefined)).toBe('all');
  });

  it('for less does not become one for more: by a session, a token or an account of its own making', async () => {
    for (const scope of ['read', 'submit'] as const) {
      const token = await secretFor(scope);
      expect((await make({ scope: 'all' }, token)).body.code).toBe('scope_missing');
      const session = await world.call('POST', '/auth/login-by-token', { body: { token } });
      expect([session.status, session.body.code]).toEqual([401, 'invalid_token']);
    }
  });

  it('that ends soon does not become one that lasts: what it made, at first or second hand, ends with it', async () => {
    const short = (await make({ days: 1 })).body as { id: string; token: string; expiresAt: string };
    const session = await world.call('POST', '/auth/login-by-token', { body: { token: short.token } });
    const cookie = session.headers.getSetCookie()[0]!.split(';')[0]!;
    const made = await make({ days: 365 }, short.token);
    const bySession = await world.call('POST', '/tokens', { headers: { cookie }, body: { name: 'second', days: 365 } });
    const third = await make({ days: 365 }, bySession.body.token as string);
    expect([made, bySession, third].map(({ body }) => body.expiresAt)).toEqual(Array(3).fill(short.expiresAt));
    const em = world.orm.em.fork();
    const { expiresAt } = await em.findOneOrFail(Credential, { kind: 'session', parent: short.id });
    expect(expiresAt!.toISOString()).toBe(short.expiresAt);

    const statuses = async () =>
      Promise.all([
        ...[made, bySession, third].map(async ({ body }) => {
          const answer = await world.call('GET', '/me', { token: body.token as string });
          return answer.status;
        }),
        world.call('GET', '/me', { headers: { cookie } }).then(({ status }) => status),
      ]);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect((await world.call('DELETE', `/tokens/${short.id}`, { token: ann })).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
  });

  it('begins a session; a session begins no other', async () => {
    const session = await world.call('POST', '/auth/login-by-token', { body: { token: ann } });
    const secret = session.headers.getSetCookie()[0]!.split(';')[0]!.split('=')[1]!;
    const again = await world.call('POST', '/auth/login-by-token', { body: { token: secret } });
    expect([again.status, again.body.code]).toEqual([401, 'invalid_token']);
  });

  it('ends after 90 days, or as its holder says, within a year', async () => {
    const days = (expiresAt: string) => Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000);
    expect(days((await make({})).body.expiresAt as string)).toBe(90);
    expect(days((await make({ days: 365 }, world.admin)).body.expiresAt as string)).toBe(365);
    for (const wrong of [0, 366, 1.5, -1]) expect((await make({ days: wrong })).status).toBe(422);
    expect((await make({ scope: 'everything' })).status).toBe(422);

    const { id, token } = (await make({ days: 1 })).body as { id: string; token: string };
    expect((await world.call('GET', '/me', { token })).status).toBe(200);
    await world.orm.em.fork().nativeUpdate(Credential, id, { expiresAt: new Date() });
    expect((await world.call('GET', '/me', { token })).body.code).toBe('invalid_token');
  });

  it('is shown once, kept by its sha256 alone, and listed with what it is for and when it was used', async () => {
    const { id, token } = (await make({ scope: 'read' })).body as { id: string; token: string };
    const row = await world.orm.em.fork().findOneOrFail(Credential, id);
    expect(JSON.stringify(row)).not.toContain(token);
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/);
    const listed = async () =>
      (await world.call('GET', '/tokens', { token: ann })).body.items.find((each: { id: string }) => each.id === id);
    expect(await listed()).toEqual({
      id,
      name: 'made',
      scope: 'read',
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: expect.any(String),
    });
    await world.call('GET', '/me', { token });
    expect(await listed()).toMatchObject({ lastUsedAt: expect.any(String) });
  });
});

describe('the use of a token', () => {
  let world: ApiWorld;

  // if one use cannot be recorded, no use is recorded for a minute
  beforeEach(async () => {
    world = await apiWorld();
  });
  afterEach(() => world.close());

  async function made(): Promise<{ id: string; token: string }> {
    const { body } = await world.call('POST', '/tokens', { token: world.admin, body: { name: 'made' } });
    return body as { id: string; token: string };
  }

  it('is noted by one request, and others do not wait for that', async () => {
    const { id, token } = await made();
    const ask = () => world.call('GET', '/me', { token });
    const first = await world.orm.em.fork().transactional(async (em) => {
      const waiting = () => countLockWaits(world.orm.em.fork());
      await em.findOneOrFail(Credential, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const noting = ask();
      while ((await waiting()) === 0) await setImmediate();
      for (const { status } of await Promise.all(Array.from({ length: 20 }, ask))) expect(status).toBe(200);
      expect(await waiting()).toBe(1);
      return { noting };
    });
    expect((await first.noting).status).toBe(200);
  });

  it('is no reason to refuse where it cannot be noted', async () => {
    const { id, token } = await made();
    const byOwner = (statement: string) => rowsOf(world.ownerUrl, statement);
    await byOwner(`
      create function refused() returns trigger language plpgsql as $$ begin raise 'no space left' using errcode = '53100'; end $$;
      create trigger refused before update on credential for each row execute function refused()`);
    try {
      for (let time = 0; time < 2; time++) expect((await world.call('GET', '/me', { token })).status).toBe(200);
      expect((await world.orm.em.fork().findOneOrFail(Credential, id)).lastUsedAt).toBeNull();
    } finally {
      await byOwner('drop trigger refused on credential; drop function refused()');
    }
  });
});
