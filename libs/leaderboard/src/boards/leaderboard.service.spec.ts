import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { boardContent } from '../../../../test/factories/models/board-content.js';
import type { BoardContent } from './board-content.js';
import type { BoardResamples } from './board-resamples.js';
import { LeaderboardService } from './leaderboard.service.js';

const models = Object.fromEntries(
  ['a', 'b', 'c'].map((id, place) => [
    id,
    { accuracy: 0.5 + place / 10, known: { resamples: { one: [`${id}-digest`] } } },
  ]),
);

/** Revisions as a database would give them: of a task the newest, and each by its number. */
function databaseOf(contents: readonly BoardContent[]): EntityManager {
  const revision = (number: number) => ({
    id: `r${number}`,
    number,
    benchmarkVersion: 1,
    publishedAt: new Date(0),
    content: contents[number - 1],
  });
  const em = {
    fork: () => em,
    execute: (_sql: string, [, number]: [string, number?]) =>
      Promise.resolve([{ id: revision(number ?? contents.length).id }]),
    findOneOrFail: (_entity: unknown, id: string) => Promise.resolve(revision(Number(id.slice(1)))),
  };
  return em as unknown as EntityManager;
}

/** Resamples that come when they are let: none. Whoever asks after the first gets no more than an error, at once. */
function heldResamples() {
  let release = (): void => undefined;
  let reached = (): void => undefined;
  const asked = new Promise<void>((resolve) => (reached = resolve));
  const gate = new Promise<void>((resolve) => (release = resolve));
  let calls = 0;
  const load = async () => {
    if (++calls > 1) throw new Error('the first alone has resamples');
    reached();
    await gate;
    return () => undefined;
  };
  return { resamples: { load } as unknown as BoardResamples, asked, release: () => release() };
}

describe('boards in memory', () => {
  const small = boardContent(models);
  const task = { slug: 'sentiment' };

  it('answers who waits for a board while more weighings are asked for than are kept', async () => {
    const { resamples, asked, release } = heldResamples();
    const boards = new LeaderboardService(databaseOf([small]), resamples);
    const waiting = boards.body(task, { amrs: 'official' });
    await asked;

    const others = Array.from({ length: 210 }, (_, weight) =>
      boards.board(task, { amrs: 'official', weights: { accuracy: weight + 1 } }),
    );
    // a rejection that nobody has looked at yet would end the test
    const settled = Promise.allSettled(others);
    release();

    expect((await waiting).bytes.length).toBeGreaterThan(100);
    await settled;
  });

  it('keeps the revisions that were asked for last, and not all that there were', async () => {
    const database = databaseOf(Array.from({ length: 40 }, () => small));
    const read = jest.spyOn(database, 'findOneOrFail');
    const boards = new LeaderboardService(database);
    for (let number = 1; number <= 40; number++) await boards.revision(task, `r${number}`);
    expect(read).toHaveBeenCalledTimes(40);

    await boards.revision(task, 'r40');
    expect(read).toHaveBeenCalledTimes(40);
    await boards.revision(task, 'r1');
    expect(read).toHaveBeenCalledTimes(41);
  });

  it('lets go of the answers of a revision, not of those of other tasks, when a newer one is asked for', async () => {
    const other = { ...small, task: 'other' };
    const boards = new LeaderboardService(databaseOf([other, small, small]));
    const asked = { amrs: 'official', intervals: false } as const;
    const [elsewhere, before] = [
      await boards.body(task, { ...asked, asOf: 'r1' }),
      await boards.body(task, { ...asked, asOf: 'r2' }),
    ];
    expect(await boards.body(task, { ...asked, asOf: 'r2' })).toBe(before);

    const now = await boards.body(task, asked);

    expect(await boards.body(task, { ...asked, asOf: 'r2' })).not.toBe(before);
    expect(await boards.body(task, asked)).toBe(now);
    expect(await boards.body(task, { ...asked, asOf: 'r1' })).toBe(elsewhere);
  });

  it('lets go of its weighings too', async () => {
    const load = jest.fn<() => Promise<() => undefined>>().mockResolvedValue(() => undefined);
    const boards = new LeaderboardService(databaseOf([small, small]), { load } as unknown as BoardResamples);
    const before = () => boards.board(task, { amrs: 'official', asOf: 'r1' });
    await before();
    await before();
    expect(load).toHaveBeenCalledTimes(1);

    await boards.board(task, { amrs: 'official' });
    await before();

    expect(load).toHaveBeenCalledTimes(3);
  });

  it('keeps a weighing with intervals while many without them are asked for', async () => {
    const load = jest.fn<() => Promise<() => undefined>>().mockResolvedValue(() => undefined);
    const boards = new LeaderboardService(databaseOf([small]), { load } as unknown as BoardResamples);
    const first = await boards.body(task, { amrs: 'official' });

    for (let weight = 1; weight <= 210; weight++) {
      await boards.body(task, { amrs: 'official', intervals: false, weights: { accuracy: weight } });
    }

    expect(await boards.body(task, { amrs: 'official' })).toBe(first);
    await boards.board(task, { amrs: 'official' });
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('holds the resamples of one weighing at a time', async () => {
    let held = 0;
    let most = 0;
    const load = async () => {
      most = Math.max(most, ++held);
      await setTimeout(5);
      held--;
      return () => undefined;
    };
    const boards = new LeaderboardService(databaseOf([small]), { load } as unknown as BoardResamples);

    const asked = [1, 2, 3].map((weight) => boards.board(task, { amrs: 'official', weights: { accuracy: weight } }));

    expect(await Promise.all(asked)).toHaveLength(3);
    expect(most).toBe(1);
  });

  it('continues after a weighing whose resamples could not be read', async () => {
    const load = jest
      .fn<() => Promise<() => undefined>>()
      .mockRejectedValueOnce(new Error('the disk is slow'))
      .mockResolvedValue(() => undefined);
    const boards = new LeaderboardService(databaseOf([small]), { load } as unknown as BoardResamples);

    await expect(boards.board(task, { amrs: 'official' })).rejects.toThrow('the disk is slow');

    expect((await boards.board(task, { amrs: 'official' })).rows).toHaveLength(3);
  });
});
