import { readFileSync } from 'node:fs';
import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeWithRealData, sharedLines } from '../../../../test/factories/worlds/shared-folder.js';
import { Z95 } from '../estimate.js';
import { drawNormal } from '../random-draws.js';
import { aggregate, type CellEstimate } from './aggregation.js';
import { fitOwnCells } from './own-cells.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';

interface OwnCase {
  readonly name: string;
  readonly values: readonly (readonly (number | null)[])[];
  readonly own: readonly (readonly number[])[];
  readonly weights: readonly number[];
  readonly fitted: readonly (readonly (number | null)[])[];
}

const { ownCells } = JSON.parse(readFileSync(new URL('../../golden/board.json', import.meta.url), 'utf8')) as {
  ownCells: OwnCase[];
};
const flat = (rows: readonly (readonly (number | null)[])[]): Float64Array =>
  Float64Array.from(rows.flat(), (value) => value ?? NaN);

describe('fitOwnCells', () => {
  it.each(ownCells)('equals least squares over indicators: $name', ({ values, own, weights, fitted }) => {
    const found = fitOwnCells(flat(values), Uint8Array.from(own.flat()), Float64Array.from(weights)).values;

    expect(found).toHaveLength(values.flat().length);
    for (const [cell, expected] of flat(fitted).entries()) {
      if (Number.isNaN(expected)) expect(found[cell]).toBeNaN();
      else expect(found[cell]).toBeCloseTo(expected, 10);
    }
  });

  const levels = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 8 });

  it('finds what was hidden where models differ by the same on every dataset, whatever stood in the own cells', () => {
    const garbage = fc.double({ min: -9, max: 9 });
    fc.assert(
      fc.property(levels, levels, garbage, fc.nat(), (models, datasets, wrong, pick) => {
        const truth = Float64Array.from(models.flatMap((model) => datasets.map((dataset) => model + dataset)));
        const hidden = pick % truth.length;
        const values = truth.with(hidden, wrong);
        const own = new Uint8Array(truth.length).with(hidden, 1);
        const weights = Float64Array.from(datasets, (_, dataset) => 1 + dataset);

        expect(fitOwnCells(values, own, weights).values[hidden]).toBeCloseTo(truth[hidden]!, 9);
      }),
    );
  });

  it('does not change with the scale of the weights or the order of the models', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ownCells), fc.double({ min: 0.01, max: 100, noNaN: true }), (example, scale) => {
        const own = Uint8Array.from(example.own.flat());
        const weights = Float64Array.from(example.weights);
        const before = fitOwnCells(flat(example.values), own, weights);
        const turned = Uint8Array.from(example.own.toReversed().flat());
        const after = fitOwnCells(
          flat(example.values.toReversed()),
          turned,
          weights.map((weight) => weight * scale),
        );
        for (const [one, other] of [
          [before.values, after.values],
          [before.errors(), after.errors()],
        ] as const) {
          for (const [cell, value] of one.entries()) {
            const [model, dataset] = [Math.floor(cell / weights.length), cell % weights.length];
            const again = other[(example.values.length - 1 - model) * weights.length + dataset]!;
            if (Number.isNaN(value)) expect(again).toBeNaN();
            else expect(again).toBeCloseTo(value, 9);
          }
        }
      }),
    );
  });

  const anli = ownCells[0]!;

  /** Root of the mean squared difference between cells and what is fitted without them, in points. */
  function leaveOneOutError({ values, own, weights }: OwnCase): number {
    const table = flat(values);
    const known = Array.from(own.flat().entries()).flatMap(([cell, isOwn]) => (isOwn === 0 ? [cell] : []));
    const squares = known.map((cell) => {
      const without = Uint8Array.from(own.flat()).with(cell, 1);
      return (fitOwnCells(table, without, Float64Array.from(weights)).values[cell]! - table[cell]!) ** 2;
    });
    return 100 * Math.sqrt(squares.reduce((sum, each) => sum + each) / squares.length);
  }

  it('has the standard error of least squares over indicators, with the interaction variance', () => {
    const errors = fitOwnCells(
      flat(anli.values),
      Uint8Array.from(anli.own.flat()),
      Float64Array.from(anli.weights),
    ).errors();

    // σ = 0.056992 with 4 degrees of freedom; leverages of 0.9332, 0.9299 and 0.9685, by NumPy
    expect(errors[0]).toBeCloseTo(0.0792419275, 9);
    expect(errors[4]).toBeCloseTo(0.0791748821, 9);
    expect(errors[8]).toBeCloseTo(0.0799622077, 9);
    expect(errors.filter((error) => !Number.isNaN(error))).toHaveLength(3);
  });

  it('covers a leave-one-out error of 8.7 points, which the error of the other cells alone does not', () => {
    const values = flat(anli.values);
    const fit = fitOwnCells(values, Uint8Array.from(anli.own.flat()), Float64Array.from(anli.weights));
    const errors = fit.errors();
    const model = 2;
    const cells = Object.fromEntries(
      anli.weights.map((_, dataset) => {
        const cell = model * 3 + dataset;
        const fitted = { value: fit.values[cell]!, standardError: errors[cell]!, estimated: true };
        const measured = { value: values[cell]!, standardError: 0.0135 };
        return [dataset, anli.own[model]![dataset] === 1 ? fitted : measured];
      }),
    );
    const weights = Object.fromEntries(anli.weights.entries());
    const { estimate } = aggregate(cells, weights);
    const share = 1 / 2.44;

    expect(leaveOneOutError(anli)).toBeGreaterThan(8.7);
    expect(Z95 * 100 * errors[8]!).toBeGreaterThan(leaveOneOutError(anli));
    expect(100 * (estimate!.high! - estimate!.value)).toBeGreaterThan(share * 8.7);
    // without the fit, the half width was 1.96 · √((0.64 · 0.0135)² + (0.8 · 0.0135)²) / 1.44, about 1.9 points
    expect(Z95 * ((100 * 0.0135 * Math.hypot(0.64, 0.8)) / 1.44)).toBeLessThan(share * 8.7);
  });

  it('has errors of the true size where models and datasets interact', () => {
    const rng = seededRng('interaction');
    const weights = Float64Array.of(1, 1, 1, 1);
    let [count, squares] = [0, 0];
    for (let board = 0; board < 2000; board++) {
      const truth = Float64Array.from({ length: 48 }, (_, cell) => (cell % 4) * 0.1 + 0.05 * drawNormal(rng));
      const own = new Uint8Array(48).with(board % 48, 1);
      const fit = fitOwnCells(truth, own, weights);
      const [values, errors] = [fit.values, fit.errors()];
      squares += ((values[board % 48]! - truth[board % 48]!) / errors[board % 48]!) ** 2;
      count++;
    }

    expect(squares / count).toBeGreaterThan(0.95);
    expect(squares / count).toBeLessThan(1.2);
  });

  it('has no error without degrees of freedom', () => {
    // two models and two datasets, of which one cell is own: three cells determine three effects
    const fit = fitOwnCells(Float64Array.of(0.5, 0.7, 0, 0.6), Uint8Array.of(0, 0, 1, 0), Float64Array.of(1, 1));

    expect(fit.values[2]).toBeCloseTo(0.4, 12);
    expect(fit.errors()[2]).toBeNaN();
  });

  it('counts the components of the other cells as free', () => {
    // models 0 to 2 have datasets 0 and 1, models 3 to 5 datasets 2 and 3: 12 − 6 − 4 + 2 = 4 without the own cell
    const values = Float64Array.from({ length: 24 }, (_, cell) =>
      Math.floor(cell / 12) === Math.floor((cell % 4) / 2) ? 0.1 * ((cell * 7) % 5) : NaN,
    );
    const connected = (rows: readonly number[], datasets: readonly number[]): number[] =>
      rows.flatMap((row) => datasets.map((dataset) => values[row * 4 + dataset]!));
    const own = new Uint8Array(24).with(0, 1);
    const fit = fitOwnCells(values, own, Float64Array.of(1, 1, 1, 1));
    const [fitted, errors] = [fit.values, fit.errors()];
    const [first, second] = [connected([0, 1, 2], [0, 1]), connected([3, 4, 5], [2, 3])];
    // both components have sums of squares of their own: that of the interaction is their sum
    const interaction = (cells: readonly number[]): number => {
      const differences = cells.flatMap((cell, index) => (index % 2 === 0 ? [cell - cells[index + 1]!] : []));
      const mean = differences.reduce((sum, each) => sum + each) / differences.length;
      return differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 2;
    };
    const variance = (interaction(first.slice(2)) + interaction(second)) / 3;

    expect(fitted[0]).not.toBeNaN();
    // the value of a model's only cell, plus the difference of two datasets over two models: 1 + 1/2 + 1/2
    expect(errors[0]).toBeCloseTo(Math.sqrt(variance * 3), 9);
  });

  it('fits 10,000 models × 20 datasets in well under a second', () => {
    const rng = seededRng('many');
    const values = Float64Array.from({ length: 200_000 }, () => (rng.next() < 0.2 ? NaN : rng.next()));
    const own = Uint8Array.from(values, () => (rng.next() < 0.05 ? 1 : 0));
    const weights = Float64Array.from({ length: 20 }, () => rng.next());

    let fitted: Float64Array = new Float64Array();
    const fit = () => {
      fitted = fitOwnCells(values, own, weights).values;
    };
    expect(processorMilliseconds(fit, 500)).toBeLessThan(500);
    expect(fitted.filter((value) => !Number.isNaN(value)).length).toBeGreaterThan(9_000);
  });
});

describeWithRealData('own rounds of ANLI', () => {
  const names = ['bert-r1', 'roberta-from-r2', 'roberta-from-r3', 'anli-bart-large', 'anli-roberta-large'];
  const against = ['bert-r1', 'roberta-from-r2', 'roberta-from-r3'];

  /** Share of right answers, models × rounds. */
  const accuracies = (): Float64Array => {
    interface Answer {
      readonly uid: string;
      readonly label: string;
    }
    const answered = names.map(
      (name) =>
        new Map(sharedLines<Answer>('data/nli/predictions', `${name}.jsonl`).map((line) => [line.uid, line.label])),
    );
    const rounds = [1, 2, 3].map((round) => sharedLines<Answer>('data/nli', `anli-r${round}.dev.jsonl`));
    return Float64Array.from(
      answered.flatMap((labels) =>
        rounds.map((lines) => lines.filter(({ uid, label }) => labels.get(uid) === label).length / lines.length),
      ),
    );
  };

  it('puts the models that the rounds were collected against where their other rounds put them', () => {
    const values = accuracies();
    const own = Uint8Array.from(names.flatMap((name) => against.map((model) => (model === name ? 1 : 0))));
    const fitted = fitOwnCells(values, own, Float64Array.of(0.64, 0.8, 1)).values;
    const aggregates = (cellOf: (cell: number) => CellEstimate): number[] =>
      names.map((_, model) => {
        const cells = { r1: cellOf(model * 3), r2: cellOf(model * 3 + 1), r3: cellOf(model * 3 + 2) };
        return aggregate(cells, { r1: 0.64, r2: 0.8, r3: 1 }).estimate!.value;
      });

    const raw = aggregates((cell) => ({ value: values[cell]! }));
    const adjusted = aggregates((cell) =>
      own[cell] === 1 ? { value: fitted[cell]!, estimated: true } : { value: values[cell]! },
    );
    // the golden case of the same rounds gives 0.4149 on the round collected against it, where it answered 20.28% right
    expect(raw[2]).toBeCloseTo(0.4181, 4);
    expect(adjusted[2]).toBeCloseTo(0.505, 4);
    expect(adjusted[1]! - raw[1]!).toBeCloseTo((0.8 * (0.30426 - 0.185)) / 2.44, 4);
    expect(adjusted[0]! - raw[0]!).toBeCloseTo((0.64 * 0.5985) / 2.44, 4);
    expect(adjusted.slice(3)).toEqual(raw.slice(3));
  });
});
