import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type KnownName, LayerNames } from './layer-names.js';

const known: fc.Arbitrary<KnownName> = fc.record({
  kind: fc.constantFrom('file', 'directory', 'symlink', 'whiteout', 'hidden'),
  ordinal: fc.integer({ min: 0, max: 500_000 }),
  linked: fc.boolean(),
});

describe('the names of a layer', () => {
  it('are what a map of them would be', () => {
    const name = fc.constantFrom('', 'a', 'a/b', 'b', 'c'.repeat(300), 'ä', '\u{1f600}');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.option(known))), (steps) => {
        const names = new LayerNames('key');
        const map = new Map<string, KnownName>();
        for (const [name, value] of steps) {
          if (value) names.set(name, value);
          else names.delete(name);
          if (value) map.set(name, value);
          else map.delete(name);
        }
        for (const [name] of steps) expect(names.get(name)).toEqual(map.get(name));
      }),
    );
  });

  it('keep each of many apart, while they take up more room', () => {
    const names = new LayerNames('key');
    const of = (count: number): KnownName => ({ kind: 'file', ordinal: count, linked: count % 3 === 0 });
    for (let count = 0; count < 20_000; count++) names.set(`name-${count}`, of(count));
    for (let count = 0; count < 20_000; count += 2) names.delete(`name-${count}`);

    for (let count = 0; count < 20_000; count++)
      expect(names.get(`name-${count}`)).toEqual(count % 2 === 0 ? undefined : of(count));
    expect(names.get('name-20000')).toBeUndefined();
  });

  it('lie elsewhere under another key, so that nobody can choose names that meet', () => {
    const order = (key: string): unknown => {
      const names = new LayerNames(key);
      for (let count = 0; count < 50; count++)
        names.set(String(count), { kind: 'file', ordinal: count, linked: false });
      return (names as unknown as { readonly slots: Uint32Array }).slots.filter((word) => word !== 0);
    };

    expect(order('one')).not.toEqual(order('other'));
  });
});
