import { describe, expect, it } from '@jest/globals';
import { sharedCores, shareOfCores, type CoresInUse } from './core-allocator.js';

const use = (total: number, more: Partial<CoresInUse> = {}): CoresInUse => ({
  total,
  taken: new Set(),
  shared: new Set(),
  random: () => 0.99,
  ...more,
});

describe('shareOfCores', () => {
  it('gives a model whole cores while one is left for everything else', () => {
    expect(shareOfCores(2, use(4))).toEqual({ cores: [2, 3], others: [0, 1], own: true, quota: null });
    expect(shareOfCores(1, use(2))).toEqual({ cores: [1], others: [0], own: true, quota: null });
    expect(shareOfCores(1, use(2, { random: () => 0 }))).toEqual({ cores: [0], others: [1], own: true, quota: null });
  });

  it('leaves the cores of other models alone, and those on which models share where there are others', () => {
    expect(shareOfCores(1, use(4, { taken: new Set([3]) }))).toMatchObject({ cores: [2], others: [0, 1], own: true });
    expect(shareOfCores(1, use(2, { shared: new Set([1]) }))).toMatchObject({ cores: [0], others: [1], own: true });
    expect(shareOfCores(1, use(2, { shared: new Set([0, 1]) }))).toMatchObject({ cores: [1], own: true });
  });

  it('shares where no core is to spare, and gives a quota of parts of a core', () => {
    expect(shareOfCores(1, use(2, { taken: new Set([1]) }))).toMatchObject({ cores: [0], own: false, quota: null });
    expect(shareOfCores(1, use(1))).toMatchObject({ cores: [0], others: [0], own: false, quota: 1 });
    expect(shareOfCores(0.5, use(4))).toMatchObject({ cores: [0, 1, 2, 3], own: false, quota: 0.5 });
    expect(shareOfCores(8, use(2))).toMatchObject({ cores: [0, 1], own: false, quota: 2 });
    expect(shareOfCores(1, use(2, { taken: new Set([0, 1]) }))).toMatchObject({ cores: [1], own: false, quota: null });
  });
});

describe('sharedCores', () => {
  it('gives none of the cores that others have to themselves', () => {
    expect(sharedCores(2, use(4, { taken: new Set([3]) }))).toMatchObject({ cores: [1, 2], others: [0, 1, 2] });
    expect(sharedCores(1, use(2, { taken: new Set([0, 1]) }))).toMatchObject({ cores: [1], others: [0, 1] });
  });

  it.each([
    [1, 2],
    [2, 4],
    [3, 4],
    [1, 1],
    [0.5, 4],
    [8, 2],
  ])('of %d of %d cores looks to the model as those that it would have to itself', (cpus, total) => {
    const seen = ({ cores, quota }: ReturnType<typeof sharedCores>) => [cores.length, quota];

    expect(seen(sharedCores(cpus, use(total)))).toEqual(seen(shareOfCores(cpus, use(total))));
  });

  it('may be any cores, as those that a model has to itself may', () => {
    for (const share of [sharedCores, shareOfCores]) {
      const cores = [0, 0.3, 0.6, 0.9].flatMap((drawn) => share(1, use(4, { random: () => drawn })).cores);
      expect(cores).toEqual([0, 1, 2, 3]);
    }
  });
});
