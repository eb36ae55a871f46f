import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ItemKind, type KindCounts, nextKind } from './item-kind.js';

/** Everything that one validator is handed until nothing is left. */
function session(left: KindCounts, nonFooling: number, seed: string): ItemKind[] {
  const rng = seededRng(seed);
  const seen = { fooling: 0, other: 0, check: 0 };
  const rest = { ...left };
  const kinds: ItemKind[] = [];
  for (;;) {
    const kind = nextKind({ seen, left: rest, nonFooling }, seed, rng);
    if (kind === null) return kinds;
    seen[kind]++;
    rest[kind]--;
    kinds.push(kind);
  }
}

const count = (kinds: readonly ItemKind[], kind: ItemKind) => kinds.filter((each) => each === kind).length;

describe('nextKind', () => {
  const counts = fc.record({ fooling: fc.nat(80), other: fc.nat(80), check: fc.nat(10) });

  it('keeps the share of examples that fooled nobody at every point, while there are any', () => {
    fc.assert(
      fc.property(counts, fc.double({ min: 0, max: 1, noNaN: true }), fc.string(), (left, nonFooling, seed) => {
        const kinds = session(left, nonFooling, seed);
        for (let place = 1; place <= kinds.length; place++) {
          const others = count(kinds.slice(0, place), 'other');
          const examples = others + count(kinds.slice(0, place), 'fooling');
          expect(others === left.other || others >= nonFooling * examples).toBe(true);
        }
      }),
    );
  });

  it('hands out every example once, and what there is not never', () => {
    fc.assert(
      fc.property(counts, fc.string(), (left, seed) => {
        const kinds = session(left, 0.3, seed);
        expect(count(kinds, 'fooling')).toBe(left.fooling);
        expect(count(kinds, 'other')).toBe(left.other);
        expect(count(kinds, 'check')).toBeLessThanOrEqual(left.check);
      }),
    );
  });

  it('mixes one check in ten examples in, the first within ten', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const kinds = session({ fooling: 60, other: 40, check: 50 }, 0.3, seed);
        expect(kinds.indexOf('check')).toBeLessThan(10);
        expect(kinds.indexOf('check')).toBeGreaterThan(-1);
        expect(count(kinds, 'check')).toBeGreaterThanOrEqual(10);
        expect(count(kinds, 'check')).toBeLessThanOrEqual(12);
      }),
    );
  });

  it('gives who runs out of examples one check, and nobody a check alone', () => {
    const alone = { fooling: 0, other: 0, check: 3 };
    expect(session(alone, 0.3, 'anybody')).toEqual([]);
    expect(count(session({ fooling: 1, other: 0, check: 3 }, 0.3, 'anybody'), 'check')).toBe(1);
  });

  it('draws what is left with the same probability, beyond the share', () => {
    const rng = seededRng('draws');
    const draws = Array.from({ length: 10_000 }, () =>
      nextKind(
        { seen: { fooling: 0, other: 10, check: 1 }, left: { fooling: 30, other: 10, check: 0 }, nonFooling: 0.3 },
        'somebody',
        rng,
      ),
    );
    expect(count(draws as ItemKind[], 'fooling') / draws.length).toBeCloseTo(0.75, 1);
  });
});
