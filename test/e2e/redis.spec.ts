import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Serving } from '@assay/contracts/serving';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import type { DomainError } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Redis } from 'ioredis';
import { LiveCaller } from '../factories/services/live-caller.js';
import { misbehavingImage } from '../factories/hostile/misbehaving-image.js';
import { PARITY_TASK } from '../factories/models/parity-task.js';
import { SecretHunt } from '../factories/secret-hunt.js';
import { serviceOrm } from '../factories/worlds/service-orm.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import { startRedis, type TestRedis } from '../factories/worlds/test-services.js';
import { TraceCollector } from '../factories/services/trace-collector.js';

jest.setTimeout(300_000);

const WATCHED = 'watched';
const TASK = 'parity';
const WITHIN = 60_000;
const TUS = { 'tus-resumable': '1.0.0' };
const secret = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;

const parity = (slug: string): TaskDefinitionInput => ({
  slug,
  ...PARITY_TASK,
  limits: { memory: '160MiB' },
});

describe('a service with its queue in Redis', () => {
  let redis: TestRedis;
  let world: ServiceWorld;
  const password = secret('redis');
  const header = secret('collector');
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
      ASSAY_LEASE_SECONDS: '20',
    });
    hunt = await SecretHunt.begin(world, url.href);
  });
  afterAll(async () => {
    hunt?.end();
    await world?.close();
    await collector?.close();
    await redis.stop();
  });

  describe('that is watched', () => {
    const texts = secret('text');
    const examples = Array.from({ length: 120 }, (_, id) => ({
      id: String(id),
      text: `${texts}${'x'.repeat(id)}`,
      label: 'even',
    }));

    /**
     * Uploads predictions by the tus protocol, as the CLI does, and waits for the scores and the
     * board.
     */
    async function scoredByTus(request: string): Promise<void> {
      const lines = examples.map(({ id, label }) => JSON.stringify({ dataset: 'lengths', id, prediction: label }));
      const bytes = Buffer.from(lines.join('\n'));
      const id = await world.announce(WATCHED, { name: request, kind: 'predictions' });
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
      await world.board(WATCHED, ({ rows }) => rows.length === 1);
    }

    it('has one connected trace from a resumable upload to the board', async () => {
      await world.task({ ...parity(WATCHED), weights: { accuracy: 1 } });
      await world.dataset(
        WATCHED,
        'lengths',
        'visibility=public',
        examples.map((row) => JSON.stringify(row)).join('\n'),
      );
      await scoredByTus('upload-in-pieces');

      const steps = [
        'outbox run.requested',
        'queue predictions',
        'admission',
        'job predictions',
        'score',
        'job publish',
      ];
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
      await world.until(async () => (await world.call('GET', '/health/ready')).status === 200, 60_000);
      const places: Record<string, string> = { ...(await hunt.everything()), traces: collector.received };
      for (const [place, text] of Object.entries(places)) expect([place, text.length > 100]).toEqual([place, true]);
      expect(places['jobs']).toContain('predictions');
      const found = Object.entries(places).flatMap(([place, text]) =>
        Object.entries(secrets).flatMap(([name, value]) => (text.includes(value) ? [`${name} in ${place}`] : [])),
      );
      expect(found).toEqual([]);
    });
  });

  describe('and a model in the loop, which', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-live-'));
    let orm: MikroORM;
    let caller: LiveCaller;
    let id: string;

    beforeAll(async () => {
      await world.task({ ...parity(TASK), collection: {} });
      const lines = Array.from({ length: 120 }, (_, index) => {
        const text = 'x'.repeat(index + 1);
        return `${JSON.stringify({ id: index, text, label: index % 2 === 0 ? 'odd' : 'even' })}\n`;
      });
      await world.dataset(TASK, 'words', 'role=static&visibility=public', lines.join(''));
      const archive = join(folder, 'image.tar.zst');
      await misbehavingImage(world.instance, archive);
      id = await world.submit(TASK, { name: 'honest', kind: 'container' }, archive);
      await world.untilFinal(id);
      orm = await serviceOrm(world);
      caller = new LiveCaller(orm.em, world.databaseUrl);
    });

    afterAll(async () => {
      await caller?.close();
      await orm?.close(true);
      rmSync(folder, { recursive: true, force: true });
    });

    async function answerTo(text: string): Promise<string> {
      const em = orm.em.fork();
      const task = await em.findOneOrFail(Task, { slug: TASK });
      const model = await em.findOneOrFail(Model, id);
      const [answered] = await caller.predictions.predict(task, model, [{ text }]);
      return answered!.answer;
    }

    const refusalOf = (text: string): Promise<DomainError | null> =>
      answerTo(text).then(
        () => null,
        (error: unknown) => error as DomainError,
      );

    async function servingOf(): Promise<Serving | undefined> {
      const { body } = await world.call('GET', `/tasks/${TASK}/loop`);
      return body.models[0]?.serving as Serving | undefined;
    }

    const untilReady = (): Promise<void> => world.until(async () => (await servingOf())?.state === 'ready', WITHIN);

    async function containers(role: string): Promise<string[]> {
      const listed = await world.engine.list([`assay.instance=${world.instance}`, `assay.role=${role}`]);
      return listed.map(({ Id }) => Id);
    }

    it('is served before any round is open, and answers', async () => {
      await untilReady();

      expect(await answerTo('four')).toBe('even');
      expect(await answerTo('three')).toBe('odd');
      expect(await containers('model')).toHaveLength(1);
    });

    it('is inspected by leaving words out, where it explains nothing itself', async () => {
      const em = orm.em.fork();
      const task = await em.findOneOrFail(Task, { slug: TASK });
      const model = await em.findOneOrFail(Model, id);

      const { method, fields } = await caller.predictions.inspect(task, model, { text: 'one of these' });

      expect(method).toBe('occlusion');
      // 12 characters; 8 without "one ", 9 without "of ", 7 without "these"
      expect(fields['text']!.map(({ token, weight }) => [token, weight])).toEqual([
        ['one', 0],
        ['of', 1],
        ['these', 1],
      ]);
    });

    it('while it is cold answers at once how far it is, and is taken again', async () => {
      await world.stopEvaluator();
      expect(await world.residue()).toEqual([]);

      expect(await refusalOf('four')).toMatchObject({
        kind: 'unavailable',
        code: 'model_starting',
        message: expect.stringContaining('waits for an evaluator'),
      });
      expect(await servingOf()).toMatchObject({ state: 'wanted', progress: { step: 'evaluator' } });

      await world.startEvaluator();
      await world.until(async () => (await refusalOf('four')) === null, WITHIN);
      expect(await answerTo('four')).toBe('even');
    });

    it('is started again when its container is killed', async () => {
      await untilReady();
      const [killed] = await containers('model');
      await world.engine.docker.getContainer(killed!).kill();

      await world.until(async () => {
        const now = await containers('model');
        return now.length === 1 && now[0] !== killed && (await refusalOf('four')) === null;
      }, WITHIN);

      expect(await answerTo('four')).toBe('even');
      expect(await containers('relay')).toHaveLength(1);
    });

    it('is taken again after its evaluator was killed, and nothing of the dead is left', async () => {
      await untilReady();
      const before = [...(await containers('model')), ...(await containers('relay'))];
      process.kill(world.evaluator.pid, 'SIGKILL');
      await world.evaluator.ended;
      expect(await refusalOf('four')).toMatchObject({ code: 'model_starting' });

      await world.startEvaluator();
      await world.until(async () => (await refusalOf('four')) === null, WITHIN);

      const after = [...(await containers('model')), ...(await containers('relay'))];
      expect(after).toHaveLength(2);
      expect(after.filter((container) => before.includes(container))).toEqual([]);
    });

    it('is served by the round that names it, and stopped when it is out of the loop', async () => {
      await untilReady();
      await world.expect(201, 'POST', `/tasks/${TASK}/rounds`, { token: world.admin, body: { models: [id] } });
      expect(await answerTo('four')).toBe('even');

      await world.rows('update round_model set until = now(), "left" = $1', ['taken out by hand']);
      await world.rows('update promotion set until = now()');
      await world.rows(`insert into outbox_event (type, payload) values ('loop.changed', '{}')`);

      await world.until(async () => (await world.residue()).length === 0, WITHIN);
      expect(await refusalOf('four')).toMatchObject({ code: 'model_unavailable' });
      expect(await world.rows(`select state from placement where state not in ('stopped')`)).toEqual([]);
    });
  });
});
