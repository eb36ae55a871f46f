import { describe, expect, it } from '@jest/globals';
import { withDescendants } from './own-artifacts.js';

const model = (id: string, artifact: string | null = `bytes of ${id}`) => ({ id, artifact });
const descent = (child: string, parent: string) => ({ child: model(child), parent: model(parent) });
const artifactsOf = (...args: Parameters<typeof withDescendants>): string[] =>
  [...withDescendants(...args)].filter((each) => each.startsWith('bytes')).sort();

describe('withDescendants', () => {
  it('follows a lineage over several generations', () => {
    const lineage = [descent('b', 'a'), descent('c', 'b'), descent('d', 'other')];

    expect(artifactsOf(['a', 'bytes of a'], lineage)).toEqual(['bytes of a', 'bytes of b', 'bytes of c']);
    expect(artifactsOf(['b', 'bytes of b'], lineage)).toEqual(['bytes of b', 'bytes of c']);
  });

  it('takes models with the same artifact for one', () => {
    const copied = { child: model('c'), parent: model('copy of b', 'bytes of b') };

    expect(artifactsOf(['a'], [descent('b', 'a'), copied])).toEqual(['bytes of a', 'bytes of b', 'bytes of c']);
  });

  it('follows a model whose artifact has not arrived', () => {
    const lineage = [
      { child: model('b', null), parent: model('a') },
      { child: model('c'), parent: model('b', null) },
    ];

    expect(artifactsOf(['a'], lineage)).toEqual(['bytes of a', 'bytes of c']);
  });

  it('ends where a lineage is a cycle', () => {
    expect(artifactsOf(['a'], [descent('b', 'a'), descent('a', 'b')])).toEqual(['bytes of a', 'bytes of b']);
  });
});
