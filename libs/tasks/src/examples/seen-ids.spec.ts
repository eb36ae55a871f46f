import { describe, expect, it } from '@jest/globals';
import { SeenIds } from './seen-ids.js';

describe('ids that were seen', () => {
  it('are distinguished from others, however many they are', () => {
    const ids = new SeenIds();
    const names = Array.from({ length: 50_000 }, (_, n) => `example ${n}`);
    expect(names.filter((name) => !ids.add(name))).toEqual([]);
    expect(names.filter((name) => ids.add(name) || !ids.has(name))).toEqual([]);
    expect(names.filter((name) => ids.has(`${name}x`))).toEqual([]);
    expect(ids.size).toBe(50_000);
  });

  it('are so many, and no more', () => {
    const ids = new SeenIds(2);
    expect([ids.add('a'), ids.add('b'), ids.add('a')]).toEqual([true, true, false]);
    expect(() => ids.add('c')).toThrow('The dataset has too many examples. The limit is 2.');
  });
});
