import { describe, expect, it } from '@jest/globals';
import { metricsFor } from '../metrics/registry.js';
import { score } from '../score.js';
import { labelSetReferences } from './label-set-references.js';

const LABELS = ['a', 'b', 'c', 'd'];
const METRICS = metricsFor('labels').map(({ name }) => name);

/** Returns the metrics of answers as scoring computes them. */
function scored(pairs: readonly (readonly [gold: string, answer: string])[]): Readonly<Record<string, number>> {
  const { metrics } = score(
    { gold: pairs.map(([gold]) => [gold]), predicted: pairs.map(([, answer]) => answer) },
    { output: 'labels', labels: LABELS, metrics: METRICS, seed: 'references' },
  );
  return Object.fromEntries(METRICS.map((name) => [name, metrics[name]!.value]));
}

const listOf = (goldSets: Readonly<Record<string, number>>): string[] =>
  Object.entries(goldSets).flatMap(([set, count]) => Array.from({ length: count }, () => set));

describe('the reference rows of several labels', () => {
  it.each<[string, Record<string, number>]>([
    ['several sets', { '["a"]': 4, '["a","b"]': 3, '["c"]': 2, '["b","c","d"]': 1 }],
    ['some examples without a label', { '[]': 3, '["a"]': 2, '["a","d"]': 2 }],
    ['most examples without a label', { '[]': 5, '["a"]': 1 }],
    ['one set', { '["a","b"]': 2 }],
    ['no label at all', { '[]': 3 }],
  ])('have the metrics that scoring gives such answers: %s', (_, goldSets) => {
    const gold = listOf(goldSets);
    const [majority, random] = labelSetReferences(goldSets, METRICS);
    const expected = {
      majority: scored(gold.map((each) => [each, majority!.label!])),
      // each answer as often as it is drawn, for every example
      random: scored(gold.flatMap((each) => gold.map((answer) => [each, answer] as const))),
    };
    for (const name of METRICS) {
      expect(majority!.metrics[name]).toBeCloseTo(expected.majority[name]!, 12);
      expect(random!.metrics[name]).toBeCloseTo(expected.random[name]!, 12);
    }
  });

  it('answer the most frequent set, of equally frequent ones the first', () => {
    expect(labelSetReferences({ '["b"]': 2, '["a"]': 2, '["c"]': 1 }, [])[0]!.label).toBe('["a"]');
  });

  it('are none without examples', () => {
    expect(labelSetReferences({}, METRICS)).toEqual([]);
  });

  it('leave out other metrics', () => {
    expect(labelSetReferences({ '["a"]': 1 }, ['squad_f1'])[0]!.metrics).toEqual({});
  });
});
