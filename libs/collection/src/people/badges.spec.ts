import { describe, expect, it } from '@jest/globals';
import { BADGE_COUNTS, BADGES } from './badges.js';

describe('badges', () => {
  it('have codes of their own, and count something for people to read', () => {
    expect(new Set(BADGES.map(({ code }) => code)).size).toBe(BADGES.length);
    expect(new Set(BADGES.map(({ name }) => name)).size).toBe(BADGES.length);
    for (const { counts, description } of BADGES) {
      expect(BADGE_COUNTS[counts]).toBeTruthy();
      expect(description).toBeTruthy();
    }
  });

  it('say how many they take, and no two take the same', () => {
    const steps = (counts: string) => BADGES.filter((badge) => badge.counts === counts).map(({ needed }) => needed);
    expect(Object.fromEntries(Object.keys(BADGE_COUNTS).map((counts) => [counts, steps(counts)]))).toEqual({
      fooling: [1, 10, 50, 100, 500, 1000],
      streak: [3, 7, 30],
      validations: [10, 100, 1000],
      models: [1, 10],
      loop: [1],
    });
    for (const { needed, description } of BADGES.filter(({ needed }) => needed > 1)) {
      expect(description).toContain(String(needed));
    }
  });
});
