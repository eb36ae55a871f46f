import { describe, expect, it } from '@jest/globals';
import { PutDatasetQuery } from '../datasets/dataset.js';
import { readEnvironment } from '../environment.js';
import { LeaderboardQuery } from './leaderboard.js';

describe('LeaderboardQuery', () => {
  it.each([
    ['accuracy:4,memory:1', { accuracy: 4, memory: 1 }],
    [' accuracy : 0.5 , ', { accuracy: 0.5 }],
    // the last colon divides: the name of a metric may hold one
    ['worst:tags:2', { 'worst:tags': 2 }],
    ['a:0', { a: 0 }],
    ['', {}],
  ])('reads the weights %j', (weights, read) => {
    expect(LeaderboardQuery.parse({ weights }).weights).toEqual(read);
  });

  it.each(['accuracy', ':1'])('refuses the weights %j', (weights) => {
    expect(LeaderboardQuery.safeParse({ weights }).success).toBe(false);
  });

  it.each([
    ['a:-1', -1],
    ['a:x', Number.NaN],
    ['a:', Number.NaN],
    ['a:Infinity', Infinity],
  ])('leaves it to the board to refuse %j with the name of the metric', (weights, a) => {
    expect(LeaderboardQuery.parse({ weights }).weights).toEqual({ a });
  });

  it('reads names and flags', () => {
    expect(LeaderboardQuery.parse({ pareto: 'accuracy, memory,accuracy', explain: '' })).toMatchObject({
      pareto: ['accuracy', 'memory'],
      explain: true,
    });
    expect(LeaderboardQuery.parse({ explain: 'false' }).explain).toBe(false);
    expect(LeaderboardQuery.safeParse({ explain: 'yes' }).success).toBe(false);
  });

  it('is official by default, and names what it does not know', () => {
    expect(LeaderboardQuery.parse({})).toEqual({ amrs: 'official' });
    const refused = LeaderboardQuery.safeParse({ asof: 'r1' });
    expect(refused.error?.issues[0]?.message).toContain('asof');
  });
});

describe('PutDatasetQuery', () => {
  it.each([
    { role: 'round' },
    { role: 'static', round: '1' },
    { round: '1' },
    { role: 'round', round: '0' },
    { use: 'x' },
  ])('refuses %j', (query) => expect(PutDatasetQuery.safeParse(query).success).toBe(false));

  it('names nothing that was not named', () => {
    expect(PutDatasetQuery.parse({})).toEqual({});
    expect(PutDatasetQuery.parse({ role: 'round', round: '2' })).toEqual({ role: 'round', round: 2 });
  });
});

describe('the environment', () => {
  const source = { DATABASE_URL: 'postgresql://localhost/assay' };

  it('has its defaults, and a home that is absolute', () => {
    const read = readEnvironment(source);
    expect(read).toMatchObject({ PORT: 8080, ASSAY_DB_CONNECTIONS: 60, LOG_LEVEL: 'log' });
    expect(read.ASSAY_HOME).toMatch(/^\/.*\/\.assay$/);
  });

  it.each([{ DATABASE_URL: '' }, { PORT: '70000' }, { ASSAY_DB_CONNECTIONS: '15' }, { PUBLIC_URL: 'nowhere' }])(
    'refuses %j',
    (change) => expect(() => readEnvironment({ ...source, ...change })).toThrow(Object.keys(change)[0]),
  );
});
