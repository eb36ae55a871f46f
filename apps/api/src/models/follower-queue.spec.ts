import { describe, expect, it } from '@jest/globals';
import { FollowerQueue, MOST_WAITING } from './follower-queue.js';

const contentOf = (queue: FollowerQueue<string>): string[] => {
  const all: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) all.push(item);
  return all;
};

describe('FollowerQueue', () => {
  it('returns items in the order in which they were added', () => {
    const queue = new FollowerQueue<string>();
    for (const item of ['one', 'two', 'three']) queue.push(item, null);
    expect(contentOf(queue)).toEqual(['one', 'two', 'three']);
  });

  it('keeps the latest item of a key, at the place where it was added', () => {
    const queue = new FollowerQueue<string>();
    queue.push('10%', 'dev');
    queue.push('40%', 'test');
    queue.push('scored', null);
    queue.push('20%', 'dev');
    expect(contentOf(queue)).toEqual(['40%', 'scored', '20%']);
  });

  it('refuses more than the limit, but not an item that replaces another one', () => {
    const queue = new FollowerQueue<string>();
    queue.push('0%', 'dev');
    for (let index = 1; index < MOST_WAITING; index++) expect(queue.push(`score ${index}`, null)).toBe(true);
    expect(queue.push('one more', null)).toBe(false);
    expect(queue.push('50%', 'dev')).toBe(true);
    const content = contentOf(queue);
    expect(content).toHaveLength(MOST_WAITING);
    expect(content.at(-1)).toBe('50%');
  });
});
