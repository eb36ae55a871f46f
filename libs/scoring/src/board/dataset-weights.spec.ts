import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { datasetWeights, type WeighedDataset } from './dataset-weights.js';

const settings = { recency: 0.8, static: 0.3, minimumExamples: 100 };
const round = (number: number, name = `r${number}`, examples = 1000): WeighedDataset => ({
  name,
  role: 'round',
  round: number,
  examples,
});
const fixed = (name: string, examples = 1000): WeighedDataset => ({ name, role: 'static', examples });

describe('datasetWeights', () => {
  it('discounts older rounds and shares what is left equally among the static sets', () => {
    const weights = datasetWeights([round(1), round(2), round(3), fixed('s'), fixed('t')], settings);
    const sum = 1 + 0.8 + 0.64;

    expect(weights['r3']).toBeCloseTo(0.7 / sum, 15);
    expect(weights['r2']).toBeCloseTo((0.7 * 0.8) / sum, 15);
    expect(weights['r1']).toBeCloseTo((0.7 * 0.64) / sum, 15);
    expect(weights['s']).toBeCloseTo(0.15, 15);
    expect(weights['t']).toBeCloseTo(0.15, 15);
  });

  it('counts rounds by their number, and the sets of a round share its weight', () => {
    const weights = datasetWeights([round(1), round(3, 'r3a'), round(3, 'r3b')], settings);

    expect(weights['r3a']).toBeCloseTo(0.5 / 1.64, 15);
    expect(weights['r3b']).toBe(weights['r3a']);
    expect(weights['r1']).toBeCloseTo(0.64 / 1.64, 15);
  });

  it('gives all to the kind that is there', () => {
    expect(datasetWeights([fixed('s')], settings)).toEqual({ s: 1 });
    expect(datasetWeights([round(4)], settings)).toEqual({ r4: 1 });
  });

  it('leaves a dataset that is too small out of the ranking', () => {
    expect(datasetWeights([round(1), round(2, 'tiny', 99)], settings)).toEqual({ r1: 1, tiny: 0 });
    expect(datasetWeights([fixed('tiny', 3)], settings)).toEqual({ tiny: 0 });
    expect(datasetWeights([], settings)).toEqual({});
  });

  it('replaces exactly the weights that are named', () => {
    const weights = datasetWeights([round(1), round(2)], settings, { r1: 2 });
    const kept = 1 / 1.8;

    expect(weights['r1']).toBeCloseTo(2 / (2 + kept), 15);
    expect(weights['r2']).toBeCloseTo(kept / (2 + kept), 15);
  });

  it('changes nothing when given its own result, and always sums to 1', () => {
    const sets = fc
      .uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
      .map((numbers) => numbers.map((each) => round(each)));
    fc.assert(
      fc.property(sets, fc.boolean(), fc.double({ min: 0.1, max: 1, noNaN: true }), (rounds, withStatic, recency) => {
        const datasets = withStatic ? [...rounds, fixed('s')] : rounds;
        const once = datasetWeights(datasets, { ...settings, recency });
        const twice = datasetWeights(datasets, { ...settings, recency }, once);
        for (const name of Object.keys(once)) expect(twice[name]).toBeCloseTo(once[name]!, 12);
        expect(Object.values(once).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      }),
    );
  });

  it.each([
    [{ r9: 1 }, 'unknown_dataset'],
    [{ r1: -1 }, 'invalid_weight'],
    [{ r1: NaN }, 'invalid_weight'],
    [{ r1: 0, r2: 0 }, 'all_weights_zero'],
  ])('refuses %j', (overrides, code) => {
    const refused = () => datasetWeights([round(1), round(2)], settings, overrides);

    expect(refused).toThrow(expect.objectContaining({ kind: 'invalid', code }));
  });

  it('refuses settings without sense', () => {
    expect(() => datasetWeights([], { ...settings, recency: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid_settings' }),
    );
    expect(() => datasetWeights([], { ...settings, static: 1.1 })).toThrow(
      expect.objectContaining({ code: 'invalid_settings' }),
    );
  });
});
