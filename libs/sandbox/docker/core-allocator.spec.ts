import { describe, expect, it } from '@jest/globals';
import { sharedCores, shareOfCores } from './core-allocator.js';

describe('shareOfCores', () => {
  it('gives a model whole cores while one is left for everything else', () => {
    expect(shareOfCores(4, 2, new Set())).toEqual({ cores: [2, 3], others: [0, 1], quota: null });
    expect(shareOfCores(2, 1, new Set())).toEqual({ cores: [1], others: [0], quota: null });
  });

  it('leaves the cores of other models alone', () => {
    expect(shareOfCores(4, 1, new Set([3]))).toEqual({ cores: [2], others: [0, 1], quota: null });
    expect(shareOfCores(2, 1, new Set([1]))).toEqual({ cores: [0], others: [0], quota: 1 });
  });

  it('gives a quota where no core is to spare, and for parts of a core', () => {
    expect(shareOfCores(1, 1, new Set())).toEqual({ cores: [0], others: [0], quota: 1 });
    expect(shareOfCores(4, 0.5, new Set())).toEqual({ cores: [0, 1, 2, 3], others: [0, 1, 2, 3], quota: 0.5 });
    expect(shareOfCores(2, 8, new Set())).toEqual({ cores: [0, 1], others: [0, 1], quota: 2 });
    expect(shareOfCores(2, 1, new Set([0, 1]))).toEqual({ cores: [0, 1], others: [0, 1], quota: 1 });
  });
});

describe('sharedCores', () => {
  it('gives a quota of the cores that nobody has to themselves', () => {
    expect(sharedCores(4, 1, new Set())).toEqual({ cores: [0, 1, 2, 3], others: [0, 1, 2, 3], quota: 1 });
    expect(sharedCores(4, 2, new Set([3]))).toEqual({ cores: [0, 1, 2], others: [0, 1, 2], quota: 2 });
    expect(sharedCores(2, 1, new Set([0, 1]))).toEqual({ cores: [0, 1], others: [0, 1], quota: 1 });
  });
});
