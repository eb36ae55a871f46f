import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { withLogFields } from '@assay/observability';
import { Outbox, OutboxEvent } from '@assay/persistence/outbox';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { captureLog } from '../../factories/captured-log.js';
import { SlowClient } from '../../factories/worlds/slow-client.js';
import { TraceCollector } from '../../factories/services/trace-collector.js';

const TOKEN = 'a-token-for-prometheus';
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('what can be seen of requests', () => {
  let world: ApiWorld;
  let collector: TraceCollector;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    world = await apiWorld({ ASSAY_METRICS_TOKEN: TOKEN, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  });
  afterAll(async () => {
    await world.close();
    await collector.close();
  });

  const metrics = async () => {
    const answer = await fetch(`${world.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const idOf = async (headers: Record<string, string>) => {
    const { headers: answered, body } = await world.call('GET', '/tasks/none', { headers });
    expect(body.requestId).toBe(answered.get('x-request-id'));
    return body.requestId as string;
  };

  it('names each by an id, in its answer and in its problem', async () => {
    expect(await idOf({})).toMatch(UUID);
    expect(await idOf({})).not.toBe(await idOf({}));
    expect(await idOf({ 'x-request-id': 'from-the-proxy-1' })).toBe('from-the-proxy-1');
  });

  it.each(['short', 'x'.repeat(65), 'with space in it', 'a"quoted"one', '../../etc/passwd', 'ünïcödé-ids'])(
    'takes no id that could be anything: %s',
    async (id) => {
      expect(await idOf({ 'x-request-id': Buffer.from(id).toString('latin1') })).toMatch(UUID);
    },
  );

  it('tells in the log who signed in, and who was refused what, without a secret or an address', async () => {
    const log = captureLog();
    try {
      const body = { email: 'seen@example.org', password: 'not the password of seen' };
      await world.user('seen');
      await world.call('POST', '/auth/login', { body });
      const signedIn = await world.call('POST', '/auth/login', { body: { ...body, password: 'seen-has-a-password' } });
      const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
      await world.call('GET', '/admin/users', { headers: { cookie } });
      await world.call('GET', '/me', { token: 'assay_of-nobody' });
      await world.call('POST', '/auth/logout', { headers: { cookie } });
    } finally {
      log.end();
    }
    const { id } = await world.orm.em.fork().findOneOrFail(User, { username: 'seen' });
    const base = { context: 'Security', network: '127.0.0.0/24', request: expect.stringMatching(UUID) };
    expect(log.lines.filter(({ context }) => context === 'Security')).toEqual(
      [
        { message: 'signed in', method: 'password', user: id },
        { message: 'refused', code: 'wrong_credentials', status: 401, method: 'POST', route: '/api/v1/auth/login' },
        { message: 'signed in', method: 'password', user: id },
        { message: 'refused', code: 'administrators_only', status: 403, user: id, route: '/api/v1/admin/users' },
        { message: 'refused', code: 'invalid_token', status: 401, method: 'GET', route: '/api/v1/me' },
        { message: 'signed out', user: id },
      ].map((line) => expect.objectContaining({ ...base, ...line })),
    );
    expect(JSON.stringify(log.lines)).not.toMatch(
      /127\.0\.0\.1|has-a-password|not the password|assay_of-nobody|seen@example/,
    );
  });

  it('hands the id on to what a request asks for', async () => {
    const em = world.orm.em.fork();
    withLogFields({ request: 'from-a-test' }, () => Outbox.add(em, 'annotation.retracted', { annotationId: newId() }));
    Outbox.add(em, 'annotation.retracted', { annotationId: newId() });
    await em.flush();
    const events = await world.orm.em.fork().find(OutboxEvent, {}, { orderBy: { id: 'asc' } });
    expect(events.slice(-2).map(({ origin }) => origin)).toEqual([{ request: 'from-a-test' }, null]);
  });

  it('keeps the id over the reading of a body', async () => {
    const { headers } = await world.call('POST', '/tasks', {
      token: world.admin,
      headers: { 'x-request-id': 'makes-a-task' },
      body: {
        slug: 'seen',
        name: 'Seen',
        inputs: [{ name: 'text', type: 'text' }],
        output: { name: 'label', type: 'label', labels: ['kind', 'rude'] },
        performance: 'accuracy',
      },
    });
    expect(headers.get('x-request-id')).toBe('makes-a-task');
    await world.call('PUT', '/tasks/seen/datasets/open?visibility=public', {
      token: world.admin,
      headers: { 'x-request-id': 'puts-a-dataset' },
      type: 'application/x-ndjson',
      body: JSON.stringify({ id: '1', text: 'one', label: 'kind' }),
    });
    const origins = await world.orm.em
      .fork()
      .execute<{ request: string }[]>(`select distinct origin ->> 'request' as request from outbox_event order by 1`);
    expect(origins.map(({ request }) => request)).toContain('puts-a-dataset');
  });

  it('asks for its token before it shows metrics', async () => {
    for (const authorization of [undefined, 'Bearer wrong', TOKEN, `Bearer ${world.admin}`]) {
      const answer = await fetch(`${world.url}/metrics`, { headers: { ...(authorization && { authorization }) } });
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'metrics_token']);
    }
    expect(await metrics()).toContain('assay_database_up 1');
  });

  it('counts the bytes of uploads, and none that are no upload', async () => {
    const counted = async () =>
      Number(/assay_upload_bytes_total\{kind="dataset"\} (\d+)/.exec(await metrics())?.[1] ?? 0);
    const before = await counted();
    const body = JSON.stringify({ id: '2', text: 'two', label: 'rude' });
    const sent = { token: world.admin, type: 'application/x-ndjson', body };
    expect((await world.call('PUT', '/tasks/seen/datasets/more?visibility=public', sent)).status).toBe(201);
    await world.call('PATCH', '/tasks/seen', { token: world.admin, body: { name: 'Seen again' } });

    expect((await counted()) - before).toBe(body.length);
    const text = await metrics();
    expect(text).toContain('assay_uploads_under_way{kind="dataset"} 0');
    expect(text).toContain('assay_upload_duration_seconds_count{kind="dataset",status="201"} 2');
  });

  describe('that are cut off', () => {
    const uploads = /assay_uploads_under_way\{kind="artifact"\} (\d+)/;
    const authorization = () => ({ authorization: `Bearer ${world.admin}` });
    /** Creates a model of the task `seen` that waits for its artifact. */
    const model = async () => {
      const body = { name: 'Cut', kind: 'container' };
      return (await world.call('POST', '/tasks/seen/models', { token: world.admin, body })).body.id as string;
    };
    const shown = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const text = await metrics();
        if (pattern.test(text)) return text;
        await pause(20);
      }
    };
    const spansOf = (id: string) =>
      collector.received.split('"spanId"').filter((span) => span.includes(`"stringValue":"${id}"`));

    it.each([
      ['a plain body', 'PUT', 'artifact', {}],
      [
        'tus',
        'PATCH',
        'upload',
        { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      ],
    ])('while they upload by %s are counted as 499, told, and under way no more', async (_, method, route, headers) => {
      const id = await model();
      const request = `cut-${method}-request`;
      const log = captureLog();
      const client = await SlowClient.open(world.url);
      client.ask(method, `/api/v1/models/${id}/${route}`, {
        ...authorization(),
        ...headers,
        'x-request-id': request,
        'content-length': '1000',
      });
      client.send('half of it');
      expect(uploads.exec(await shown(/assay_uploads_under_way\{kind="artifact"\} [1-9]/))?.[1]).toBe('1');
      client.leave();

      const text = await shown(/assay_uploads_under_way\{kind="artifact"\} 0/);
      log.end();
      const counted = new RegExp(
        `request_duration_seconds_count{method="${method}",route="[^"]*${route}",status="499"} 1`,
      );
      expect(text).toMatch(counted);
      expect(text).toMatch(/assay_upload_duration_seconds_count\{kind="artifact",status="499"\} \d/);
      expect(log.lines).toContainEqual(expect.objectContaining({ message: 'answered', request, status: 499 }));
      while (spansOf(request).length === 0) await pause(20);
      expect(spansOf(request)[0]).toContain('{"key":"http.response.status_code","value":{"intValue":499}}');
    });

    it('while they follow a model are counted, whatever was answered so far', async () => {
      const client = await SlowClient.open(world.url);
      client.ask('GET', `/api/v1/models/${await model()}/events`, authorization());
      await client.answered(/event: state/);
      client.leave();
      await shown(
        /request_duration_seconds_count\{method="GET",route="\/api\/v1\/models\/:id\/events",status="499"\} 1/,
      );
    });
  });

  it('shows that no upload was refused for want of room as none, not as nothing', async () => {
    const text = await metrics();
    for (const kind of ['artifact', 'dataset', 'round']) {
      expect(text).toContain(`assay_upload_duration_seconds_count{kind="${kind}",status="507"} 0`);
    }
  });

  it('labels by the pattern of a route, never by its path', async () => {
    await world.call('GET', '/tasks/a-name-that-nobody-knows');
    await world.call('GET', '/crowd/a-secret-in-a-path');
    const text = await metrics();
    expect(text).toContain('route="/api/v1/tasks/:slug"');
    expect(text).not.toMatch(/a-name-that-nobody-knows|a-secret-in-a-path/);
  });

  it('tells the rest where the database keeps one figure waiting, and reads once for all who ask', async () => {
    const other = new Client({ connectionString: world.ownerUrl });
    await other.connect();
    const waiting = async () => {
      const sql = `select count(*)::int as count from pg_locks where not granted and relation = 'annotation'::regclass`;
      return (await other.query<{ count: number }>(sql)).rows[0]!.count;
    };
    try {
      await other.query('begin');
      await other.query('lock table annotation in access exclusive mode');
      const asked = Array.from({ length: 20 }, () => metrics());
      while ((await waiting()) === 0) await setImmediate();
      expect(await waiting()).toBe(1);
      for (const text of await Promise.all(asked)) {
        expect(text).toContain('assay_database_up 1');
        expect(text).toContain('assay_rounds');
        expect(text).not.toMatch(/^assay_annotations\{/m);
      }
    } finally {
      await other.end();
    }
  });

  it('has base units in every name', async () => {
    const names = [...(await metrics()).matchAll(/^# TYPE (\w+) (\w+)/gm)].map(([, name, type]) => `${type} ${name}`);
    expect(names.length).toBeGreaterThan(30);
    const odd = names.filter((name) => /milli|_ms\b|minutes|kilo|mega|percent/.test(name));
    expect(odd).toEqual([]);
    expect(names.filter((name) => name.startsWith('counter ') && !name.endsWith('_total'))).toEqual([]);
    expect(names.filter((name) => name.startsWith('histogram ') && !name.endsWith('_seconds'))).toEqual([]);
  });
});
