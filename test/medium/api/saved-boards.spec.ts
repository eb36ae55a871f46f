import type { LeaderboardView } from '@assay/contracts/boards';
import type { Estimate } from '@assay/contracts/metrics';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { publishBoard } from '../../factories/models/published-board.js';

const TASK = {
  slug: 'sentiment',
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  metrics: ['macro_f1'],
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 1 },
  quota: { perDay: 50 },
};
const LINES = ['positive', 'negative', 'positive', 'negative']
  .map((label, id) => JSON.stringify({ id, text: `t${id}`, label }))
  .join('\n');
const estimate = (value: number): Estimate => ({ value, low: value - 0.1, high: value + 0.1, standardError: 0.05 });

describe('boards under a name', () => {
  let world: ApiWorld;
  let owner: string;
  let reader: string;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    reader = await world.user('reader');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('PUT', '/tasks/sentiment/datasets/first?visibility=public', {
      token: owner,
      type: 'application/x-ndjson',
      body: LINES,
    });
    await scored('right', { accuracy: 0.9, macro_f1: 0.5 });
    await scored('balanced', { accuracy: 0.8, macro_f1: 0.7 });
  });
  afterAll(() => world.close());

  async function scored(name: string, metrics: Readonly<Record<string, number>>): Promise<void> {
    const { body } = await world.call('POST', '/tasks/sentiment/models', {
      token: owner,
      body: { name, kind: 'container' },
    });
    await world.call('PUT', `/models/${body.id}/artifact`, { token: owner, body: name });
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, body.id as string);
    for (const cell of await em.find(Evaluation, { specification: specification!.id })) {
      const estimates = Object.fromEntries(Object.entries(metrics).map(([metric, value]) => [metric, estimate(value)]));
      Object.assign(cell, { state: 'scored', metrics: estimates });
    }
    await em.flush();
    await publishBoard(world, 'sentiment');
  }

  const names = (board: LeaderboardView) => board.rows.map(({ model }) => model.name);
  const save = (what: 'forks' | 'snapshots', body: object, token: string | undefined = reader) =>
    world.call('POST', `/tasks/sentiment/${what}`, { ...(token && { token }), body });
  const get = (path: string) => world.call('GET', `/tasks/sentiment/${path}`);

  it('are forks, whose weights are kept and whose data go on', async () => {
    const weights = { accuracy: 0, macro_f1: 1 };
    const made = await save('forks', { name: 'by-f1', description: 'Rare labels count', weights });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        name: 'by-f1',
        owner: 'reader',
        weighing: { weights, datasets: {}, amrs: 'official' },
      }),
    ]);

    const before = (await get('forks/by-f1')).body;
    expect(names(before.board)).toEqual(['balanced', 'right']);
    expect(before.board.official).toBe(false);
    expect(before.board.rows.map(({ officialRank }: { officialRank: number }) => officialRank)).toEqual([2, 1]);

    await scored('newest', { accuracy: 0.7, macro_f1: 0.9 });
    expect(names((await get('forks/by-f1')).body.board)).toEqual(['newest', 'balanced', 'right']);
    expect((await get('forks')).body.items.map(({ name }: { name: string }) => name)).toEqual(['by-f1']);
  });

  it('are snapshots, whose address and bytes stay', async () => {
    const made = await save('snapshots', { name: 'paper', fork: 'by-f1' });
    expect(made.status).toBe(201);
    expect(made.body.address).toMatch(/\/api\/v1\/tasks\/sentiment\/snapshots\/paper$/);
    const text = async () => (await fetch(`${world.url}/api/v1/tasks/sentiment/snapshots/paper`)).text();
    const before = await text();
    expect(names((JSON.parse(before) as { board: LeaderboardView }).board)[0]).toBe('newest');

    await scored('later', { accuracy: 1, macro_f1: 1 });

    expect(await text()).toBe(before);
    expect(names((await get('forks/by-f1')).body.board)[0]).toBe('later');
    expect((await get('snapshots')).body.items).toEqual([
      expect.objectContaining({ name: 'paper', revision: expect.any(Number) }),
    ]);
  });

  it('take a weight of 0 by a name that every object has as one of any other', async () => {
    for (const name of ['nothing', 'constructor', 'hasOwnProperty']) {
      const made = await save('snapshots', { name: `of-${name.toLowerCase()}`, weights: { accuracy: 1, [name]: 0 } });
      expect([name, made.status]).toEqual([name, 201]);
    }
  });

  it('may be kept by anybody who was given one for ever, and not what says that there is none', async () => {
    const cacheControl = async (name: string) =>
      (await fetch(`${world.url}/api/v1/tasks/sentiment/snapshots/${name}`)).headers.get('cache-control');
    expect(await cacheControl('paper')).toContain('immutable');
    expect(await cacheControl('to-come')).toBe('no-store');
  });

  it.each(['forks/by-f1', 'snapshots/paper'])(
    'are tables too, which say that they are not official: %s',
    async (path) => {
      const table = async (format: string) =>
        (await fetch(`${world.url}/api/v1/tasks/sentiment/${path}?format=${format}`)).text();

      expect(await table('csv')).toMatch(/official/i);
      expect(await table('latex')).toContain('Not the official board');
      expect((await get(`${path}?format=xml`)).body.code).toBe('unknown_format');
    },
  );

  it('freeze a board of the past on request', async () => {
    await save('snapshots', { name: 'first-revision', asOf: 'r1' });
    const { body } = await get('snapshots/first-revision');
    expect([body.revision, body.board.revision, names(body.board)]).toEqual([1, 1, ['right']]);
  });

  it.each([
    ['forks', { name: 'by-f1' }, 409, 'name_taken'],
    ['snapshots', { name: 'paper' }, 409, 'name_taken'],
    ['forks', { name: 'a', weights: { speed: 1 } }, 422, 'unknown_metric'],
    ['forks', { name: 'a', datasets: { nowhere: 1 } }, 422, 'unknown_dataset'],
    ['forks', { name: 'a', weights: { accuracy: 0 } }, 422, 'all_weights_zero'],
    ['forks', { name: 'a', weights: { accuracy: -1 } }, 422, 'invalid_weight'],
    ['forks', { name: 'Not a slug' }, 422, 'validation_failed'],
    ['snapshots', { name: 'a', fork: 'nowhere' }, 404, 'unknown_fork'],
  ] as const)('refuse %s %j', async (what, body, status, code) => {
    const answer = await save(what, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('are made by a user who has signed in, and removed by a user who made them', async () => {
    expect((await world.call('POST', '/tasks/sentiment/forks', { body: { name: 'a' } })).status).toBe(401);
    const remove = (token: string) => world.call('DELETE', '/tasks/sentiment/forks/by-f1', { token });
    expect((await remove(owner)).body.code).toBe('not_the_owner');
    expect((await remove(reader)).status).toBe(204);
    expect((await get('forks/by-f1')).status).toBe(404);
    expect((await get('snapshots/paper')).status).toBe(200);
  });

  it('are listed in pages', async () => {
    for (const kind of ['forks', 'snapshots']) {
      const list = async (query: string) => (await world.call('GET', `/tasks/sentiment/${kind}${query}`)).body;
      const names = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name);
      for (const name of ['page-1', 'page-2', 'page-3']) {
        const body = { name, weights: { accuracy: 1 } };
        expect((await world.call('POST', `/tasks/sentiment/${kind}`, { token: reader, body })).status).toBe(201);
      }
      const listed: string[] = [];
      let cursor = '';
      do {
        const part = await list(`?limit=2${cursor}`);
        expect(part.items.length).toBeLessThanOrEqual(2);
        listed.push(...names(part));
        cursor = part.nextCursor === undefined ? '' : `&cursor=${part.nextCursor}`;
      } while (cursor !== '');
      expect(listed.slice(-3)).toEqual(['page-1', 'page-2', 'page-3']);
      expect(listed).toEqual(names(await list('')));
      expect((await list('?cursor=x')).code).toBe('unknown_cursor');
    }
  });
});
