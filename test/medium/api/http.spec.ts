import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RequestContext } from '@mikro-orm/postgresql';
import { parse } from 'yaml';
import { AdminToken } from '../../../apps/api/src/access/admin-token.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { builtDashboard } from '../../factories/services/built-dashboard.js';
import { expectGuardedPage } from '../../factories/services/page-policy.js';
import { rawRequest } from '../../factories/worlds/raw-request.js';

const TASK = {
  slug: 'sentiment',
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  limits: { artifact: '1MiB' },
  quota: { perDay: 3, total: 100 },
};
const LINES = Array.from({ length: 4 }, (_, n) => JSON.stringify({ id: `e${n}`, text: `t${n}`, label: 'positive' }));

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
};

describe('HTTP', () => {
  let world: ApiWorld;
  let owner: string;
  const dashboard = builtDashboard();

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_DASHBOARD: dashboard });
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
  });
  afterAll(async () => {
    await world.close();
    rmSync(dashboard, { recursive: true });
  });

  const submit = async (token: string) =>
    (await world.call('POST', '/tasks/sentiment/models', { token, body: { name: 'm', kind: 'container' } })).body
      .id as string;
  const blobs = () =>
    readdirSync(world.home, { recursive: true, withFileTypes: true }).filter(
      (each) => each.isFile() && each.parentPath.includes('blobs'),
    );
  const putDataset = (name: string, body: string, query = '', headers = {}) =>
    world.call('PUT', `/tasks/sentiment/datasets/${name}${query}`, {
      token: owner,
      type: 'application/x-ndjson',
      body,
      headers,
    });

  describe('problem details', () => {
    it.each([
      ['GET', '/nope', {}, 404, 'not_found'],
      ['POST', '/health/live', {}, 404, 'not_found'],
      ['POST', '/tasks', { body: '{"slug":', type: 'application/json' }, 400, 'bad_request'],
      ['POST', '/tasks', { body: `"${'x'.repeat(2 ** 20)}"`, type: 'application/json' }, 413, 'too_large'],
      ['POST', '/tasks', { body: '<task/>', type: 'application/xml' }, 415, 'unsupported_media_type'],
      ['POST', '/tasks', { body: 'a: [', type: 'application/yaml' }, 422, 'bad_yaml'],
      ['POST', '/tasks', { body: [] }, 422, 'validation_failed'],
      ['PATCH', '/tasks/sentiment', { body: { limits: { memory: 'lots' } } }, 422, 'validation_failed'],
      ['PATCH', '/tasks/sentiment', { body: { wieghts: {} } }, 422, 'validation_failed'],
      ['PATCH', '/tasks/sentiment', { body: { performance: 'macro_f1' } }, 422, 'fixed_field'],
      ['PUT', '/tasks/sentiment/datasets/x', { body: 'x', type: 'application/pdf' }, 415, 'unsupported_media_type'],
      ['PUT', '/tasks/sentiment/datasets/A%20B', { body: 'x', type: 'text/csv' }, 422, 'validation_failed'],
      ['POST', '/tasks/sentiment/models', { body: { name: 'a\0b', kind: 'onnx' } }, 422, 'invalid_text'],
      ['GET', '/tasks/sentiment/leaderboard', {}, 404, 'no_board_yet'],
      ['GET', '/tasks/sentiment/leaderboard?asOf=17', {}, 422, 'invalid_as_of'],
      ['GET', '/tasks/sentiment/leaderboard?weights=accuracy', {}, 422, 'validation_failed'],
      ['GET', '/tasks/sentiment/leaderboard?wieghts=a:1', {}, 422, 'validation_failed'],
      ['GET', '/tasks/sentiment/models?limit=0', {}, 422, 'validation_failed'],
      ['POST', '/tasks/sentiment/benchmark-versions', {}, 409, 'nothing_proposed'],
      ['POST', '/tasks/sentiment/benchmark-versions?preview', {}, 409, 'nothing_proposed'],
    ])('refuses %s %s', async (method, path, request, status, code) => {
      const refused = await world.call(method, path, { token: owner, ...request });

      expect([refused.status, refused.body.code]).toEqual([status, code]);
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
      expect(refused.body).toMatchObject({ status, type: expect.any(String), title: expect.any(String) });
    });

    it('answers so outside of the versioned API as well', async () => {
      const response = await fetch(`${world.url}/api/nowhere`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        expect.stringContaining('application/problem+json'),
      ]);
    });

    it('reaches who is still sending', async () => {
      const user = await world.user('sending');
      const large = randomBytes(24 * 2 ** 20);
      const refused = await world.call('PUT', `/models/${await submit(user)}/artifact`, { token: user, body: large });
      expect([refused.status, refused.body.code]).toEqual([413, 'artifact_too_large']);

      const bad = await putDataset('bad', `{"text": 1}\n${`${LINES[0]}\n`.repeat(400_000)}`);
      expect([bad.status, bad.body.code]).toEqual([422, 'bad_line']);
    });
  });

  describe('a request that cannot be read', () => {
    const CLOSE = 'Connection: close';

    it.each([
      ['two Host headers', `GET /api/v1/tasks HTTP/1.1\r\nHost: a\r\nHost: b\r\n${CLOSE}`, 400, 'invalid_host'],
      ['the same Host twice', `GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n${CLOSE}`, 400, 'invalid_host'],
      ['no Host header', `GET /api/v1/tasks HTTP/1.1\r\n${CLOSE}`, 400, 'invalid_host'],
      ['a malformed address', `GET /api/v1/tasks/%zz HTTP/1.1\r\nHost: a\r\n${CLOSE}`, 400, 'bad_request'],
      ['no HTTP', 'nonsense', 400, 'bad_request'],
      ['a wrong Content-Length', 'POST /api/v1/tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 1x', 400, 'bad_request'],
      ['a line break in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\rb', 400, 'bad_request'],
      ['too large headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}`, 431, 'headers_too_large'],
      [
        'invalid JSON',
        `POST /api/v1/tasks HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
        400,
        'bad_request',
      ],
    ])('for %s is refused as any other', async (_what, request, status, code) => {
      const answer = await rawRequest(world.url, `${request}\r\n\r\n`);
      const headers = Object.fromEntries(answer.headers);

      expect([answer.status, headers['content-type']]).toEqual([
        status,
        expect.stringContaining('application/problem+json'),
      ]);
      expect(JSON.parse(answer.body)).toMatchObject({ status, code, requestId: headers['x-request-id'] });
      expect(headers).toMatchObject({ ...SECURITY_HEADERS, 'cache-control': 'no-store' });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    });

    it.each([
      ['HTTP/1.0 without a Host header', 'HTTP/1.0'],
      ['an expectation that is not known', 'HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close'],
    ])('is none with %s', async (_what, head) => {
      const { status, headers } = await rawRequest(world.url, `GET /api/v1/health/live ${head}\r\n\r\n`);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS);
    });
  });

  describe('the dashboard', () => {
    const page = (path: string, accept: string) => fetch(world.url + path, { headers: { accept } });
    const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

    it.each(['/', '/tasks/sentiment', '/tasks/sentiment/leaderboard?weights=accuracy:1', '/me/tokens', '/sign-in'])(
      'is answered at %s',
      async (path) => {
        for (const accept of [BROWSER, '*/*']) {
          const { status, headers } = await page(path, accept);
          expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
        }
      },
    );

    it.each(['/v2/', '/v2/_catalog', '/nowhere', '/tasks', '/tasks/sentiment/nowhere', '/.env', '/wp-login.php'])(
      'is not answered at %s, where a program finds nothing',
      async (path) => {
        for (const method of ['GET', 'HEAD']) {
          const answer = await fetch(world.url + path, { method });
          expect([answer.status, answer.headers.get('content-type')]).toEqual([
            404,
            expect.stringContaining('application/problem+json'),
          ]);
        }
        const posted = await fetch(world.url + path, { method: 'POST' });
        expect([posted.status, ((await posted.json()) as { code: string }).code]).toEqual([404, 'not_found']);
      },
    );

    it('tells a browser that there is no page, with the status that says so', async () => {
      const { status, headers } = await page('/nowhere', BROWSER);
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect((await page('/api/nowhere', BROWSER)).headers.get('content-type')).toContain('application/problem+json');
    });
  });

  describe('uploads', () => {
    it('leaves nothing of one that was cut off, and takes it afterwards', async () => {
      const user = await world.user('cut');
      const id = await submit(user);
      const before = blobs().length;

      const cut = httpRequest(`${world.url}/api/v1/models/${id}/artifact`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${user}`, 'content-type': 'application/x-tar', 'content-length': 500_000 },
      });
      cut.on('error', () => undefined);
      cut.write(randomBytes(200_000));
      await after(200);
      cut.destroy();
      await after(300);

      expect(blobs()).toHaveLength(before);
      expect((await world.call('GET', `/models/${id}`, { token: user })).body.state).toBe('awaiting-artifact');
      const whole = await world.call('PUT', `/models/${id}/artifact`, { token: user, body: randomBytes(500_000) });
      expect(whole.status).toBe(202);
    });

    it('takes one of unknown length, and refuses an empty one', async () => {
      const user = await world.user('chunked');
      const bytes = randomBytes(300_000);
      const id = await submit(user);
      const empty = await world.call('PUT', `/models/${id}/artifact`, { token: user });
      expect([empty.status, empty.body.code]).toEqual([422, 'empty_artifact']);
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': '0' };
      const uploaded = await world.call('POST', `/models/${id}/upload`, { token: user, headers });
      expect([uploaded.status, uploaded.body.code]).toEqual([422, 'empty_artifact']);

      const response = await fetch(`${world.url}/api/v1/models/${id}/artifact`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${user}` },
        body: new Blob([bytes]).stream(),
        duplex: 'half',
      });

      expect(response.status).toBe(202);
      expect((await response.json()) as object).toMatchObject({
        artifact: { digest: createHash('sha256').update(bytes).digest('hex'), size: 300_000 },
      });
    });

    it('takes the same artifact that comes twice at once, once', async () => {
      const user = await world.user('twice');
      const id = await submit(user);
      const body = randomBytes(800_000);
      const both = await Promise.all(
        [1, 2].map(() => world.call('PUT', `/models/${id}/artifact`, { token: user, body })),
      );

      expect(both.map(({ status }) => status).sort()).toEqual([200, 202]);
    });

    it('lets no more through than the quota, however many come at once', async () => {
      const user = await world.user('rush');
      const ids = await Promise.all(Array.from({ length: 6 }, () => submit(user)));
      const all = await Promise.all(
        ids.map((id) => world.call('PUT', `/models/${id}/artifact`, { token: user, body: randomBytes(1000) })),
      );

      expect(all.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429, 429]);
    });

    it('cancels a model without an artifact, which takes none then', async () => {
      const user = await world.user('regret');
      const id = await submit(user);
      expect((await world.call('POST', `/models/${id}/cancel`, { token: user })).body.state).toBe('cancelled');

      const late = await world.call('PUT', `/models/${id}/artifact`, { token: user, body: randomBytes(10) });
      expect([late.status, late.body.code]).toEqual([409, 'model_cancelled']);
    });
  });

  describe('datasets', () => {
    it('shows of a dataset whose inputs are public those and the ids alone', async () => {
      await putDataset('readable', LINES.join('\n'), '?visibility=inputs');

      const { status, body } = await world.call('GET', '/tasks/sentiment/datasets/readable/content');
      expect(status).toBe(200);
      expect(body.split('\n')[0]).toBe('{"id":"e0","text":"t0"}');
      const own = await world.call('GET', '/tasks/sentiment/datasets/readable/content', { token: owner });
      expect(own.body).toContain('"label":"positive"');
    });

    it('keeps what a later version does not name', async () => {
      await putDataset('r1', LINES.join('\n'), '?role=round&round=1&visibility=public');
      const more = await putDataset('r1', `${LINES.join('\n')}\n{"id": "f", "text": "f", "label": "negative"}`);
      expect(more).toMatchObject({ status: 201, body: { version: 2 } });

      const { body } = await world.call('GET', '/tasks/sentiment');
      expect(body.datasets).toContainEqual(
        expect.objectContaining({ name: 'r1', role: 'round', round: 1, visibility: 'public', version: 2 }),
      );
      // refused before a line is read
      expect((await putDataset('r1', 'x', '?role=static')).body.code).toBe('dataset_differs');
      expect((await putDataset('r1', 'x')).status).toBe(422);
      expect((await putDataset('r1', LINES.join('\n'))).body).toMatchObject({ version: 1, status: 'retired' });
      expect((await putDataset('r1', LINES[0]!, '?role=round&round=2')).body.code).toBe('dataset_differs');
    });
  });

  describe('accounts', () => {
    it('signs in with a cookie that scripts cannot read, and out again', async () => {
      await world.user('cookie');
      const login = { email: 'COOKIE@example.org', password: 'cookie-has-a-password' };
      const signedIn = await world.call('POST', '/auth/login', { body: login });
      const header = signedIn.headers.get('set-cookie')!;
      expect(header).toMatch(/HttpOnly/);
      expect(header).toMatch(/SameSite=Strict/);

      const cookie = header.split(';')[0]!;
      expect((await world.call('GET', '/me', { headers: { cookie } })).body.username).toBe('cookie');
      const signedOut = await world.call('POST', '/auth/logout', { headers: { cookie } });
      expect([signedOut.status, signedOut.headers.get('clear-site-data')]).toEqual([204, '"cache"']);
      expect((await world.call('GET', '/me', { headers: { cookie } })).status).toBe(401);
    });

    it.each([
      [{ password: 'short' }, 'password'],
      [{ username: 'a b' }, 'username'],
      [{ email: 'nobody' }, 'email'],
    ])('refuses to register with %j', async (wrong, path) => {
      const body = { username: 'proper', email: 'proper@example.org', password: 'a-long-password', ...wrong };
      const refused = await world.call('POST', '/auth/register', { body });
      expect([refused.status, refused.body.errors]).toEqual([422, [expect.objectContaining({ path })]]);
    });

    it('tells a wrong password and an unknown email apart by nothing', async () => {
      await world.user('secretive');
      const [wrong, unknown] = await Promise.all(
        ['secretive@example.org', 'unknown@example.org'].map((email) =>
          world.call('POST', '/auth/login', { body: { email, password: 'not the password' } }),
        ),
      );
      expect(wrong).toMatchObject({ status: 401, body: { code: 'wrong_credentials' } });
      expect({ ...wrong!.body, requestId: '' }).toEqual({ ...unknown!.body, requestId: '' });
      const taken = await world.call('POST', '/auth/register', {
        body: { username: 'SECRETIVE', email: 'other@example.org', password: 'a-long-password' },
      });
      expect([taken.status, taken.body.code]).toEqual([409, 'account_taken']);
    });

    it('keeps a token when its holder logs out, and ends it when it is revoked', async () => {
      const token = await world.user('tokens');
      await world.call('POST', '/auth/logout', { token });
      const { body } = await world.call('GET', '/tokens', { token });
      expect(body.items).toEqual([expect.objectContaining({ name: 'tests' })]);
      expect(JSON.stringify(body)).not.toContain(token);

      expect((await world.call('DELETE', `/tokens/${body.items[0].id}`, { token: owner })).status).toBe(404);
      expect((await world.call('DELETE', `/tokens/${body.items[0].id}`, { token })).status).toBe(204);
      expect((await world.call('GET', '/me', { token })).body.code).toBe('invalid_token');
    });

    it("keeps the administrator's token to its user, and replaces one that is not known here", async () => {
      const path = join(world.home, 'admin-token');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect((await world.call('GET', '/me', { token: world.admin })).body.role).toBe('administrator');

      writeFileSync(path, 'assay_of-another-database\n');
      await RequestContext.create(world.orm.em, () => world.app.get(AdminToken).ensure());
      expect((await world.call('GET', '/me', { token: world.admin })).status).toBe(200);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    it('lets an administrator manage what others own', async () => {
      const user = await world.user('managed');
      const id = await submit(user);
      expect((await world.call('GET', `/models/${id}`, { token: world.admin })).status).toBe(200);
      expect((await world.call('GET', `/models/${id}`, { token: owner })).status).toBe(200);
      const change = await world.call('PATCH', '/tasks/sentiment', {
        token: world.admin,
        body: { description: 'Said by an administrator' },
      });
      expect([change.status, change.body.limits.artifact]).toEqual([200, 2 ** 20]);
      const merged = await world.call('PATCH', '/tasks/sentiment', { token: owner, body: { limits: { cpus: 2 } } });
      expect(merged.body.limits).toMatchObject({ cpus: 2, artifact: 2 ** 20 });
    });

    it('slows down who tries too often', async () => {
      const statuses: number[] = [];
      for (let n = 0; n < 70; n++) {
        statuses.push((await world.call('POST', '/auth/login', { body: { email: 'x', password: 'y' } })).status);
      }
      const last = await world.call('POST', '/auth/login', { body: { email: 'x', password: 'y' } });

      expect(statuses[0]).toBe(422);
      expect([last.status, last.body.code]).toEqual([429, 'too_many_attempts']);
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(last.headers.get('ratelimit-policy')).toBe('"sign-ins";q=60;w=60');
      expect(last.headers.get('ratelimit')).toMatch(/^"sign-ins";r=0;t=\d+$/);
      expect((await world.call('GET', '/tasks')).status).toBe(200);
    });
  });

  describe('every answer', () => {
    it.each([
      ['of a list', 'GET', '/api/v1/tasks', 200],
      ['of what nothing is', 'GET', '/api/v1/nothing', 404],
      ['to a user who has not signed in', 'GET', '/api/v1/me', 401],
      ['to what cannot be read', 'GET', '/api/v1/search?q=%00', 422],
      ['to another site', 'POST', '/api/v1/auth/logout', 403],
      ['to an upload by tus', 'OPTIONS', '/api/v1/models/00000000-0000-7000-8000-000000000000/upload', 401],
      ['for Prometheus', 'GET', '/metrics', 200],
      ['of the page of the API', 'GET', '/api/docs', 200],
      ['to a method that no route has', 'PROPFIND', '/api/v1/tasks', 404],
    ])('%s says what a browser may make of it', async (_what, method, path, status) => {
      const site = status === 403 ? 'cross-site' : 'same-origin';
      const answer = await fetch(world.url + path, { method, headers: { 'sec-fetch-site': site } });
      expect(answer.status).toBe(status);
      const { headers } = answer;
      expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS);
      const policy = headers.get('content-security-policy')!;
      for (const part of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
      // no response of the API is a page with styles
      if (path !== '/api/docs') expect(policy).not.toMatch(/unsafe-inline|'self'/);
      for (const name of ['server', 'x-powered-by', 'access-control-allow-origin'])
        expect(headers.has(name)).toBe(false);
    });

    it('that is somebody’s own is kept nowhere', async () => {
      for (const path of [
        '/me',
        '/me/storage',
        '/tokens',
        '/me/models',
        '/me/export',
        '/me/sessions',
        '/models/none',
      ]) {
        const { headers } = await world.call('GET', path, { token: owner });
        expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
      }
    });

    it('to a parameter that comes twice is a refusal', async () => {
      const { status, body } = await world.call('GET', '/tasks/sentiment/models?limit=1&limit=2');
      expect([status, body.errors[0].path]).toEqual([422, 'limit']);
    });

    it('to TRACE repeats nothing of it', async () => {
      const text = await new Promise<string>((resolve, reject) => {
        const asked = httpRequest(`${world.url}/api/v1/tasks`, { method: 'TRACE', headers: { 'x-secret': 'told' } });
        asked.on('error', reject).on('response', (response) => {
          let body = String(response.statusCode);
          response.on('data', (chunk: Buffer) => (body += chunk.toString())).on('end', () => resolve(body));
        });
        asked.end();
      });
      expect(text).toMatch(/^40[45]/);
      expect(text).not.toContain('told');
    });
  });

  describe('the API document', () => {
    it('tells of every operation how it refuses', async () => {
      const { body } = await world.call('GET', '/openapi.json');

      expect(body.openapi).toBe('3.1.0');
      const operations = Object.values(body.paths as Record<string, Record<string, { responses: object }>>).flatMap(
        (item) => Object.values(item),
      );
      expect(operations.length).toBeGreaterThan(25);
      for (const { responses } of operations) expect(responses).toHaveProperty('default');
      expect(body.components.schemas.Problem.properties).toHaveProperty('code');
    });

    it.each(['/api/v1/openapi.json', '/api/v1/openapi.yaml', '/api/docs', '/api/docs/swagger-ui-init.js'])(
      'is not sent again from %s to whoever has it',
      async (path) => {
        const first = await fetch(world.url + path);
        const etag = first.headers.get('etag')!;
        const again = await fetch(world.url + path, { headers: { 'if-none-match': etag } });
        expect([first.status, again.status, await again.text()]).toEqual([200, 304, '']);
        expect(again.headers.get('etag')).toBe(etag);
      },
    );

    it('says the same in YAML', async () => {
      const read = async (extension: string) => (await fetch(`${world.url}/api/v1/openapi.${extension}`)).text();
      expect(parse(await read('yaml'))).toEqual(JSON.parse(await read('json')));
    });

    it('has a page that needs nothing from elsewhere', async () => {
      const page = await (await fetch(`${world.url}/api/docs`)).text();
      const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);

      expect(sources.length).toBeGreaterThan(3);
      for (const source of sources) {
        const response = await fetch(new URL(source, `${world.url}/api/docs`));
        expect([source, response.url.startsWith(world.url), response.status]).toEqual([source, true, 200]);
      }
    });

    it.each([
      ['/', 'attributes'],
      // the page of the OpenAPI document brings its own styles
      ['/api/docs', 'all'],
      ['/api/v1/crowd/none', 'none'],
      ['/api/v1/auth/provider/callback', 'none'],
      ['/api/v1/tasks', 'none'],
    ] as const)('lets %s run no script of its own text, and have of styles in it at most %s', (path, inlineStyles) =>
      expectGuardedPage(world.url + path, { inlineStyles }),
    );

    it('counts requests for Prometheus, and says that it is well', async () => {
      expect(await (await fetch(`${world.url}/metrics`)).text()).toContain('assay_');
      expect((await world.call('GET', '/health/live')).body).toEqual({ status: 'ok' });
      expect((await world.call('GET', '/health/ready?of=api')).body).toMatchObject({ status: 'ok' });
    });
  });
});
