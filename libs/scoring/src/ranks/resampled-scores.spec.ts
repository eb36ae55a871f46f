import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { resampledScores, type ResampledCell } from './resampled-scores.js';
import type { BoardMetric } from '../board/utility.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';

const accuracy: BoardMetric = { name: 'accuracy', unit: 'ratio', direction: 'higher' };
const error: BoardMetric = { name: 'wer', unit: 'ratio', direction: 'lower' };
const throughput: BoardMetric = { name: 'throughput', unit: 'examples/s', direction: 'higher' };
const cell = (value: number, ...resamples: number[]): ResampledCell => ({ value, resamples });
const constant = (value: number): ResampledCell => ({ value, resamples: null });

describe('resampledScores', () => {
  it('is the Dynascore of the aggregates of each draw; what was not resampled stands still', () => {
    const [scores] = resampledScores(
      [
        [
          [cell(0.5, 0.4, 0.6), cell(0.8, 0.9, 0.7)],
          [cell(0.1, 0.2, 0.1), constant(0.3)],
          [constant(10), constant(30)],
        ],
      ],
      { metrics: [accuracy, error, throughput], coefficients: [0.5, 0.25, 2], datasetWeights: [3, 1], draws: 2 },
    );

    const dynascore = (a: number[], e: number[]): number =>
      0.5 * 100 * (0.75 * a[0]! + 0.25 * a[1]!) - 0.25 * 100 * (0.75 * e[0]! + 0.25 * e[1]!) + 2 * 15;
    expect(scores![0]).toBeCloseTo(dynascore([0.4, 0.9], [0.2, 0.3]), 12);
    expect(scores![1]).toBeCloseTo(dynascore([0.6, 0.7], [0.1, 0.3]), 12);
  });

  it('goes along the curve that an owner gave', () => {
    const curve = [
      [0.5, 0],
      [0.7, 10],
      [1, 40],
    ] as const;
    const [scores] = resampledScores([[[cell(0.6, 0.2, 0.6, 0.85)]]], {
      metrics: [{ ...accuracy, curve }],
      coefficients: [1],
      datasetWeights: [1],
      draws: 3,
    });

    expect(Array.from(scores!, (score) => Math.round(score * 1e9) / 1e9)).toEqual([0, 5, 25]);
  });

  it('lets a fitted value move with the model’s other cells', () => {
    const fitted = { value: 0.4, resamples: null, estimated: true };
    const options = { metrics: [accuracy], coefficients: [1], datasetWeights: [2, 1, 1], draws: 2 };
    const [scores] = resampledScores([[[cell(0.5, 0.5, 0.6), cell(0.9, 0.9, 0.9), fitted]]], options);

    // its model effect is that of the others, (2 · 0.5 + 0.9) / 3: 0.1 more on the first is 2/3 of it more on the fitted
    expect(scores![0]).toBeCloseTo(100 * ((2 * 0.5 + 0.9 + 0.4) / 4), 12);
    expect(scores![1]).toBeCloseTo(100 * ((2 * 0.6 + 0.9 + 0.4 + (2 * 0.1) / 3) / 4), 12);
  });

  it('adds the errors of a fit to the draws, by the weight of the cell', () => {
    const fitted = { value: 0.4, resamples: null, estimated: true, fitErrors: [0.2, -0.1] };
    const options = { metrics: [accuracy], coefficients: [1], datasetWeights: [3, 1], draws: 2 };
    const [scores] = resampledScores([[[cell(0.5, 0.5, 0.5), fitted]]], options);

    expect(scores![0]).toBeCloseTo(100 * (0.475 + 0.05), 12);
    expect(scores![1]).toBeCloseTo(100 * (0.475 - 0.025), 12);
  });

  it('says nothing of a row that nothing is known of, and looks at nothing that does not count', () => {
    const options = { metrics: [accuracy, throughput], coefficients: [1, 0], datasetWeights: [1, 0], draws: 1 };

    expect(
      resampledScores(
        [
          [[constant(0.5)], []],
          [[cell(0.5, 0.25), null], []],
        ],
        options,
      ),
    ).toEqual([null, Float64Array.of(25)]);
  });

  it('refuses a row that is not whole and draws that are not there', () => {
    const options = { metrics: [accuracy], coefficients: [1], datasetWeights: [1, 1], draws: 2 };

    expect(() => resampledScores([[[cell(0.5, 0.4, 0.6), null]]], options)).toThrow(RangeError);
    expect(() => resampledScores([[[cell(0.5, 0.4), cell(0.5, 0.4, 0.6)]]], options)).toThrow(RangeError);
  });

  it('takes 400 rows × 5 datasets × 3 metrics', () => {
    const rng = seededRng('many');
    const draws = Array.from({ length: 15 }, () => Float32Array.from({ length: 1000 }, () => rng.next()));
    const row = [0, 1, 2].map((metric) =>
      [0, 1, 2, 3, 4].map((set) => ({ value: 0.5, resamples: draws[metric * 5 + set]! })),
    );
    const metrics = [accuracy, error, { ...accuracy, name: 'robustness' }];

    const rows = Array.from({ length: 400 }, () => row);
    const weighing = { metrics, coefficients: [1, 1, 1], datasetWeights: [1, 2, 3, 4, 5] };
    const score = () => expect(resampledScores(rows, weighing)).toHaveLength(400);
    expect(processorMilliseconds(score, 1_000)).toBeLessThan(1_000);
  });
});
