import { describe, expect, it } from '@jest/globals';
import { SlowAnswers } from './slow-answers.js';

describe('SlowAnswers', () => {
  it('computes an answer once for each version of its data', async () => {
    const answers = new SlowAnswers<readonly string[]>(10, () => 1);
    let version = 'a';
    let made = 0;
    const get = (key: string) =>
      answers.get(
        key,
        () => Promise.resolve(version),
        () => Promise.resolve([`${key} ${version} ${++made}`]),
      );

    expect([await get('one'), await get('one'), await get('two')]).toEqual([['one a 1'], ['one a 1'], ['two a 2']]);
    version = 'b';
    expect([await get('one'), await get('one')]).toEqual([['one b 3'], ['one b 3']]);
  });

  it('shares a computation between equal requests, and repeats one that failed', async () => {
    const answers = new SlowAnswers<readonly string[]>(10, () => 1);
    let versions = 0;
    let fails = true;
    const get = () =>
      answers.get(
        'key',
        () => Promise.resolve(`${++versions}`),
        () => (fails ? Promise.reject(new Error('away')) : Promise.resolve(['here'])),
      );

    const failed = await Promise.allSettled([get(), get()]);
    expect([failed.map(({ status }) => status), versions]).toEqual([['rejected', 'rejected'], 1]);
    fails = false;
    expect(await Promise.all([get(), get(), get()])).toEqual([['here'], ['here'], ['here']]);
    expect(versions).toBe(2);
  });
});
