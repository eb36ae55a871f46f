import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { misbehavingImage } from '../factories/misbehaving-image.js';
import { SecretHunt } from '../factories/secret-hunt.js';
import { ServiceWorld } from '../factories/service-world.js';
import { startRedis, type TestRedis } from '../factories/test-services.js';
import { TraceCollector } from '../factories/trace-collector.js';

jest.setTimeout(300_000);

const TASK = 'parity';
const TUS = { 'tus-resumable': '1.0.0' };
const secret = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;

describe('a service that is watched, with its queue in Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-operations-'));
  const password = secret('redis');
  const header = secret('collector');
  let redis: TestRedis;
  let world: ServiceWorld;
  let collector: TraceCollector;
  let hunt: SecretHunt;

  beforeAll(async () => {
    redis = await startRedis();
    const url = new URL(redis.url);
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', password);
    client.disconnect();
    url.password = password;
    collector = await TraceCollector.start();
    world = await ServiceWorld.start({
      REDIS_URL: url.href,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${header}`,
      LOG_LEVEL: 'debug',
    });
    await world.task({
      slug: TASK,
      name: 'Even or odd',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
      performance: 'accuracy',
    });
    hunt = await SecretHunt.begin(world, url.href);
  });
  afterAll(async () => {
    hunt?.end();
    await world?.close();
    await collector?.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const texts = secret('text');

  /** Uploads an image by the tus protocol, as the command line does, and waits for its scores. */
  async function scoredByTus(request: string): Promise<void> {
    const image = join(folder, 'image.tar');
    await misbehavingImage(world.instance, image);
    const bytes = readFileSync(image);
    const id = await world.announce(TASK, { name: request, kind: 'container', command: ['honest', 'once'] });
    const token = await world.user('ada');
    const opening = { token, headers: { ...TUS, 'upload-length': String(bytes.length) } };
    const { headers } = await world.expect(201, 'POST', `/models/${id}/upload`, opening);
    const { pathname } = new URL(headers.get('location')!);
    await world.expect(204, 'PATCH', pathname.slice('/api/v1'.length), {
      token,
      type: 'application/offset+octet-stream',
      headers: { ...TUS, 'upload-offset': '0', 'x-request-id': request },
      body: bytes,
    });
    expect((await world.untilFinal(id)).model.state).toBe('scored');
    await world.board(TASK, ({ rows }) => rows.length === 1);
  }

  it('has one connected trace from a resumable upload to the board', async () => {
    const lines = Array.from({ length: 120 }, (_, id) =>
      JSON.stringify({ id, text: `${texts}${'x'.repeat(id)}`, label: 'even' }),
    );
    await world.dataset(TASK, 'lengths', 'visibility=public', lines.join('\n'));
    await scoredByTus('upload-in-pieces');

    const steps = ['outbox run.requested', 'queue admission', 'admission', 'job run', 'score', 'job publish'];
    const isWhole = (): boolean => {
      const names = collector.namesOf('PATCH', 'upload-in-pieces');
      return steps.every((step) => names.includes(step));
    };
    await world.until(() => Promise.resolve(isWhole()), 20_000).catch(() => undefined);
    expect(collector.namesOf('PATCH', 'upload-in-pieces')).toEqual(expect.arrayContaining(steps));
  });

  it('lets no secret into what Redis is asked, nor into logs, events, traces or arguments', async () => {
    const secrets: Record<string, string> = {
      'the password of Redis': password,
      'the header of the collector': header,
      'the password of the database': new URL(world.applicationUrl).password,
      "the administrator's token": world.admin,
      'a token': await world.user('ada'),
      'what a dataset says': texts,
    };
    const places: Record<string, string> = { ...(await hunt.everything()), traces: collector.received };
    for (const [place, text] of Object.entries(places)) expect([place, text.length > 100]).toEqual([place, true]);
    expect(places['jobs']).toContain('admission');
    const found = Object.entries(places).flatMap(([place, text]) =>
      Object.entries(secrets).flatMap(([name, value]) => (text.includes(value) ? [`${name} in ${place}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
