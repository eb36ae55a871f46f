import type { OverviewView } from '@assay/contracts/annotating';
import { BoardSummary } from '@assay/leaderboard/summaries';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plantedTask } from '../../factories/models/planted-task.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const SLUGS = ['tone', 'first', 'second', 'third', 'fourth'];

describe('the overview', () => {
  let world: ApiWorld;

  beforeAll(async () => {
    world = await apiWorld();
    const { owner } = await plantedTask(world);
    for (const slug of SLUGS.slice(1)) {
      const body = {
        slug,
        name: slug,
        inputs: [{ name: 'text', type: 'text' }],
        output: { name: 'label', type: 'label', labels: ['no', 'yes'] },
        performance: 'accuracy',
      };
      expect((await world.call('POST', '/tasks', { token: owner, body })).status).toBe(201);
    }
  }, 300_000);
  afterAll(() => world.close());

  async function read(query = ''): Promise<OverviewView> {
    const { status, body } = await world.call('GET', `/overview${query}`);
    expect(status).toBe(200);
    return body as OverviewView;
  }

  it('has pages of tasks, the oldest first', async () => {
    const whole = await read();
    const pages: OverviewView[] = [await read('?limit=2')];
    for (let page = pages[0]!; page.nextCursor !== undefined; pages.push(page)) {
      page = await read(`?limit=2&cursor=${page.nextCursor}`);
    }

    expect(whole.nextCursor).toBeUndefined();
    expect(whole.items.map(({ task }) => task)).toEqual(SLUGS);
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
  });

  it.each(['?limit=0', '?limit=201', '?cursor=7'])('refuses the query %s', async (query) => {
    expect((await world.call('GET', `/overview${query}`)).status).toBe(422);
  });

  it('summarises a board that was published before summaries existed, once', async () => {
    const summaries = () => world.orm.em.fork().find(BoardSummary, {});
    const [before] = await summaries();
    const expected = await read();
    expect(expected.items[0]).toMatchObject({ models: 3, leaders: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
    await world.orm.em.fork().nativeDelete(BoardSummary, {});

    const [one, other] = await Promise.all([read(), read()]);

    expect([one, other]).toEqual([expected, expected]);
    expect(await summaries()).toMatchObject([{ revision: before!.revision, disclosed: before!.disclosed }]);
  });

  it('follows each publication', async () => {
    const [{ leaders }] = (await read('?limit=1')).items as [OverviewView['items'][number]];
    const token = world.admin;
    const path = `/models/${leaders[0]!.model.id}/withdraw`;
    expect((await world.call('POST', path, { token })).status).toBeLessThan(300);

    expect(await publishBoard(world, 'tone')).not.toBeNull();

    const [after] = (await read('?limit=1')).items;
    expect(after!.models).toBe(2);
    expect(after!.leaders.map(({ model }) => model.id)).toEqual(leaders.slice(1).map(({ model }) => model.id));
  });
});
