import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlacementClient } from '../../apps/api/src/placements/placement-client.js';
import { PlacementPredictions } from '../../apps/api/src/placements/placement-predictions.js';
import { PlacementDirectory } from '@assay/collection';
import type { Serving, TaskDefinitionInput } from '@assay/contracts';
import type { DomainError } from '@assay/kernel';
import { Notifications } from '@assay/persistence';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import type { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { misbehavingImage } from '../factories/misbehaving-image.js';
import { serviceOrm } from '../factories/service-orm.js';
import { ServiceWorld } from '../factories/service-world.js';

jest.setTimeout(300_000);

const TASK = 'parity';
const WITHIN = 60_000;

const parity: TaskDefinitionInput = {
  slug: TASK,
  name: 'Even or odd',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
  performance: 'accuracy',
  limits: { memory: '160MiB' },
  collection: {},
};

describe('a model in the loop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-live-'));
  const client = new PlacementClient();
  let world: ServiceWorld;
  let orm: MikroORM;
  let notifications: Notifications;
  /** As the API has it. */
  let live: PlacementPredictions;
  let id: string;

  beforeAll(async () => {
    world = await ServiceWorld.start({ ASSAY_LEASE_SECONDS: '20' });
    await world.task(parity);
    const lines = Array.from({ length: 120 }, (_, index) => {
      const text = 'x'.repeat(index + 1);
      return `${JSON.stringify({ id: index, text, label: index % 2 === 0 ? 'odd' : 'even' })}\n`;
    });
    await world.dataset(TASK, 'words', 'role=static&visibility=public', lines.join(''));
    const archive = join(folder, 'image.tar');
    await misbehavingImage(world.instance, archive);
    id = await world.submit(TASK, { name: 'honest', kind: 'container' }, archive);
    await world.untilFinal(id);
    orm = await serviceOrm(world);
    notifications = new Notifications({ url: world.databaseUrl });
    live = new PlacementPredictions(new PlacementDirectory(orm.em, notifications), client);
  });

  afterAll(async () => {
    client.close();
    await notifications?.close();
    await orm?.close(true);
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function answerTo(text: string): Promise<string> {
    const em = orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: TASK });
    const model = await em.findOneOrFail(Model, id);
    const [answered] = await live.predict(task, model, [{ text }]);
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

    const { method, fields } = await live.inspect(task, model, { text: 'one of these' });

    expect(method).toBe('occlusion');
    // 12 characters; without "one " 8, without "of " 9, without "these" 7
    expect(fields['text']!.map(({ token, weight }) => [token, weight])).toEqual([
      ['one', 0],
      ['of', 1],
      ['these', 1],
    ]);
  });

  it('that is cold answers at once how far it is, and is taken again', async () => {
    await world.stopEvaluator();
    expect(await world.residue()).toEqual([]);

    expect(await refusalOf('four')).toMatchObject({
      kind: 'unavailable',
      code: 'model_starting',
      message: expect.stringContaining('waits for an evaluator'),
    });
    expect(await servingOf()).toMatchObject({ state: 'wanted', progress: { step: 'evaluator' } });

    world.startEvaluator();
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

  it('is taken anew after its evaluator was killed, and nothing of the dead is left', async () => {
    await untilReady();
    const before = [...(await containers('model')), ...(await containers('relay'))];
    process.kill(world.evaluator.pid, 'SIGKILL');
    await world.evaluator.ended;
    expect(await refusalOf('four')).toMatchObject({ code: 'model_starting' });

    world.startEvaluator();
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
