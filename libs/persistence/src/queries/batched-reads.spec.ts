import { describe, expect, it } from '@jest/globals';
import { batchedReads } from './batched-reads.js';

describe('batchedReads', () => {
  it('asks once for what many ask for together, and for each key once', async () => {
    const asked: string[][] = [];
    const load = batchedReads((keys) => {
      asked.push([...keys]);
      return Promise.resolve(new Map(keys.filter((key) => key !== 'none').map((key) => [key, { key }])));
    });

    const [a, b, again, none] = await Promise.all([load('a'), load('b'), load('a'), load('none')]);

    expect(asked).toEqual([['a', 'b', 'none']]);
    expect([a, b, none]).toEqual([{ key: 'a' }, { key: 'b' }, null]);
    expect(again).toBe(a);
  });

  it('caches nothing: a caller after an answer, or while it is read, receives what is true then', async () => {
    let now = 1;
    let begun = 0;
    const load = batchedReads(async () => {
      begun++;
      const seen = now;
      await new Promise((resolve) => setImmediate(resolve));
      return new Map([['a', seen]]);
    });

    const first = load('a');
    while (begun === 0) await new Promise((resolve) => setImmediate(resolve));
    now = 2;
    const second = load('a');

    expect([await first, await second]).toEqual([1, 2]);
    now = 3;
    expect(await load('a')).toBe(3);
  });

  it('tells all who asked of an error, and asks again', async () => {
    let isAway = true;
    const load = batchedReads((keys) =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Map(keys.map((key) => [key, key]))),
    );

    const answers = await Promise.allSettled([load('a'), load('b')]);
    isAway = false;

    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await load('a')).toBe('a');
  });
});
