import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';

const LINES = Array.from({ length: 120 }, (_, id) => JSON.stringify({ id, text: `t${id}`, label: id % 2 ? 'a' : 'b' }));

describe('GET /tasks/{slug}/leaderboard as a table', () => {
  let world: ApiWorld;
  const get = (query: string, headers?: Record<string, string>) =>
    world.call('GET', `/tasks/letters/leaderboard${query}`, headers ? { headers } : {});

  beforeAll(async () => {
    world = await apiWorld();
    const token = await world.user('owner');
    await world.call('POST', '/tasks', {
      token,
      body: {
        slug: 'letters',
        name: 'Letters',
        inputs: [{ name: 'text', type: 'text' }],
        output: { name: 'label', type: 'label', labels: ['a', 'b'] },
        performance: 'accuracy',
        weights: { accuracy: 1 },
      },
    });
    const body = LINES.join('\n');
    await world.call('PUT', '/tasks/letters/datasets/one', { token, type: 'application/x-ndjson', body });
    for (const [name, wrong] of [
      ['@good', 10],
      ['poor', 30],
    ] as const) {
      await scoredModel(world, {
        slug: 'letters',
        name,
        token,
        answer: (_, { index, gold }) => ({ text: index < wrong ? (gold[0] === 'a' ? 'b' : 'a') : gold[0]! }),
      });
    }
    await publishBoard(world, 'letters');
  }, 300_000);
  afterAll(() => world.close());

  it('is CSV where the header Accept prefers it, or the query asks, with the rows of the JSON', async () => {
    const { body: board } = await get('');
    for (const answer of [
      await get('', { accept: 'text/csv' }),
      await get('?format=csv', { accept: 'application/json' }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const rows: Record<string, string>[] = parse(answer.body as string, { columns: true });
      expect(
        rows.filter(({ row }) => row === 'ranked').map(({ model, rank, accuracy }) => [model, rank, accuracy]),
      ).toEqual([
        ["'@good", '1', String(board.rows[0].metrics.accuracy.value)],
        ['poor', '2', String(board.rows[1].metrics.accuracy.value)],
      ]);
      expect(rows[0]).toMatchObject({ benchmark_version: 'v1', revision: 'r1', weights: 'official: accuracy 1' });
    }
  });

  it('is LaTeX where it is asked for, and JSON by default', async () => {
    const { headers, body } = await get('?format=latex');
    expect(headers.get('content-type')).toBe('application/x-latex; charset=utf-8');
    expect(body).toContain('\\caption{letters, benchmark version 1, revision 1 of ');
    expect(body).toContain(' & @good & ');
    expect((await get('', { accept: '*/*' })).body.rows).toHaveLength(2);
    expect((await get('?format=pdf')).status).toBe(422);
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get('?format=csv');
    const again = await get('?format=csv', { 'if-none-match': headers.get('etag')! });
    expect(again.status).toBe(304);
  });
});
