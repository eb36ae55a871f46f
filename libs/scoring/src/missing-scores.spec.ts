import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Calibration } from './board/dynascore.js';
import type { BoardMetric } from './board/utility.js';
import { rank, type BoardRow } from '../../../test/factories/models/ranked-rows.js';

const METRICS: readonly BoardMetric[] = [
  { name: 'accuracy', unit: 'ratio', direction: 'higher' },
  { name: 'latency_p95', unit: 'ms', direction: 'lower' },
  { name: 'memory', unit: 'GiB', direction: 'lower', limit: 4 },
  {
    name: 'throughput',
    unit: 'examples/s',
    direction: 'higher',
    curve: [
      [0, 0],
      [1000, 50],
    ],
  },
];
const NAMES = METRICS.map(({ name }) => name);
/** Every metric trades one for one. */
const EVEN: Calibration = {
  rule: 'median',
  amrs: Object.fromEntries(NAMES.map((name) => [name, 1])),
  pairs: [],
  medianPairs: {},
  withinSpread: {},
  models: 10,
  degenerate: null,
};

const missing = fc.constantFrom(null, undefined, Number.NaN, Infinity, 'absent' as const);
const cell = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000) }, missing);
const row = fc.tuple(...NAMES.map(() => cell));
const boards = fc
  .array(row, { minLength: 1, maxLength: 25 })
  .map((cells) => cells.map((values, index): BoardRow => ({ id: `m${index}`, metrics: metricsOf(values) })));
const weights = fc
  .tuple(...NAMES.map(() => fc.integer({ min: 0, max: 3 })))
  .filter((given) => given.some((weight) => weight > 0))
  .map((given) => Object.fromEntries(NAMES.map((name, index) => [name, given[index]!])));

type Cell = number | null | undefined | 'absent';

function metricsOf(values: readonly Cell[]): BoardRow['metrics'] {
  const given = NAMES.map((name, index) => [name, values[index]] as const).filter(([, value]) => value !== 'absent');
  return Object.fromEntries(given) as BoardRow['metrics'];
}

const has = ({ metrics }: BoardRow, name: string): boolean => Number.isFinite(metrics[name]);

describe('a missing score', () => {
  it('leaves a model without a rank and changes nothing for the others, whichever way is better', () => {
    fc.assert(
      fc.property(boards, weights, fc.constantFrom('median' as const, 'live' as const), (rows, given, amrs) => {
        const options = { metrics: METRICS, performance: 'accuracy', weights: given, amrs };
        const needed = NAMES.filter((name) => given[name]! > 0 || name === 'accuracy');
        const whole = rows.filter((each) => needed.every((name) => has(each, name)));

        const { rows: ranked, incomplete } = rank(rows, options);

        expect(ranked).toEqual(rank(whole, options).rows);
        expect(ranked.map(({ id }) => id).sort()).toEqual(whole.map(({ id }) => id).sort());
        expect(incomplete).toEqual(
          rows
            .filter((each) => !whole.includes(each))
            .map((each) => ({ id: each.id, missing: needed.filter((name) => !has(each, name)) })),
        );
        expect(ranked.every(({ dynascore }) => Number.isFinite(dynascore))).toBe(true);
      }),
    );
  });

  it.each([
    ['accuracy', -1],
    ['throughput', -1],
    ['latency_p95', 1],
    ['memory', 1],
  ] as const)('comes after the worst of those that are there, where %s alone decides', (name, sign) => {
    fc.assert(
      fc.property(boards, (rows) => {
        const options = { metrics: METRICS, performance: 'accuracy', weights: { [name]: 1 }, amrs: EVEN };
        const { rows: ranked, incomplete } = rank(rows, options);
        const order = [...ranked, ...incomplete].map(({ id }) => rows.find((each) => each.id === id)!);
        const values = order.map(({ metrics }) => metrics[name]);

        const there = values.slice(0, ranked.length) as number[];
        expect(there).toEqual(there.toSorted((one, other) => sign * (one - other)));
        const after = order.slice(ranked.length);
        expect(after.every((each) => !has(each, name) || !has(each, 'accuracy'))).toBe(true);
      }),
    );
  });
});
