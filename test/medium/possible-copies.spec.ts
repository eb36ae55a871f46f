import { join } from 'node:path';
import type { Leaderboard } from '@assay/api-client/fetch';
import { seededRng } from '@assay/kernel';
import { BoardResamples } from '@assay/leaderboard/boards';
import { drawNormal } from '@assay/scoring';
import { LocalBlobStore } from '@assay/storage';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaderboardText } from '../../apps/cli/src/format/leaderboard-text.js';
import { publishBoard } from '../factories/models/published-board.js';
import { scoredModel } from '../factories/models/scored-models.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';

const EXAMPLES = 200;
const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  loop: { size: 0 },
};
const LINES = Array.from({ length: EXAMPLES }, (_, index) =>
  JSON.stringify({ id: String(index), text: `text ${index}`, label: index % 2 === 0 ? 'positive' : 'negative' }),
).join('\n');
const OWNERS = ['ada', 'bea', 'cleo', 'dora', 'eve', 'fay'];

/** The wrong answers of a model of each owner. Some examples are hard for all. */
function drawWrong(): ReadonlyMap<string, ReadonlySet<number>> {
  const rng = seededRng('possible copies');
  const difficulty = Array.from({ length: EXAMPLES }, () => drawNormal(rng));
  return new Map(
    OWNERS.map((owner) => {
      const wrong = difficulty.flatMap((each, index) => (each + drawNormal(rng) > 0.8 ? [index] : []));
      return [owner, new Set(wrong)];
    }),
  );
}

describe('possible copies', () => {
  let world: ApiWorld;
  let board: Leaderboard;
  const get = (query = '') => fetch(`${world.url}/api/v1/tasks/tone/leaderboard?${query}`);

  beforeAll(async () => {
    world = await apiWorld();
    const token = await world.user('host');
    expect((await world.call('POST', '/tasks', { token, body: TASK })).status).toBe(201);
    const put = { token, type: 'application/x-ndjson', body: LINES };
    expect((await world.call('PUT', '/tasks/tone/datasets/all?visibility=public', put)).status).toBe(201);
    const wrong = drawWrong();
    for (const owner of [...OWNERS, 'copier']) {
      await scoredModel(world, {
        slug: 'tone',
        name: `of ${owner}`,
        token: await world.user(owner),
        answer: (_, { index, gold }) => {
          const isWrong = wrong.get(owner === 'copier' ? 'cleo' : owner)!.has(index);
          return { text: isWrong ? (gold[0] === 'positive' ? 'negative' : 'positive') : gold[0]! };
        },
      });
    }
    const resamples = new BoardResamples(new LocalBlobStore(join(world.home, 'blobs')));
    expect(await publishBoard(world, 'tone', resamples)).not.toBeNull();
    board = (await (await get()).json()) as Leaderboard;
  }, 300_000);
  afterAll(() => world.close());

  const named = (name: string) => board.rows.find(({ model }) => model.name === name)!;

  it('are named in both rows, and nowhere else', () => {
    const [original, copy] = [named('of cleo'), named('of copier')];
    expect(original.possibleCopyOf).toEqual([copy.model.id]);
    expect(copy.possibleCopyOf).toEqual([original.model.id]);
    expect(board.rows.filter((row) => row.possibleCopyOf)).toHaveLength(2);
    expect(board.rows.filter((row) => row.copies)).toEqual([]);
    expect([original.rank, copy.rank]).toEqual([original.rank, original.rank]);
  });

  it('are in the CSV and in the text of the CLI', async () => {
    const [head, ...lines] = (await (await get('format=csv')).text()).trim().split('\n');
    const column = head!.trim().split(',').indexOf('possible_copy_of');
    const named = lines.map((line) => line.trim().split(',')[column]).filter((ids) => ids);
    expect(named.toSorted()).toEqual(board.rows.flatMap((row) => row.possibleCopyOf ?? []).toSorted());
    expect(leaderboardText(board, 120)).toMatch(
      /possible copy: of (cleo|copier) \(of of (copier|cleo)\); of (cleo|copier) \(of of (copier|cleo)\)\./,
    );
  });
});
