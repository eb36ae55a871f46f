import { readFileSync } from 'node:fs';
import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeWithRealData, sharedLines } from '../../../../test/factories/worlds/shared-folder.js';
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
    const found = fitOwnCells(flat(values), Uint8Array.from(own.flat()), Float64Array.from(weights));

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

        expect(fitOwnCells(values, own, weights)[hidden]).toBeCloseTo(truth[hidden]!, 9);
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
        for (const [cell, value] of before.entries()) {
          const [model, dataset] = [Math.floor(cell / weights.length), cell % weights.length];
          const again = after[(example.values.length - 1 - model) * weights.length + dataset]!;
          if (Number.isNaN(value)) expect(again).toBeNaN();
          else expect(again).toBeCloseTo(value, 9);
        }
      }),
    );
  });

  it('fits 10,000 models × 20 datasets in well under a second', () => {
    const rng = seededRng('many');
    const values = Float64Array.from({ length: 200_000 }, () => (rng.next() < 0.2 ? NaN : rng.next()));
    const own = Uint8Array.from(values, () => (rng.next() < 0.05 ? 1 : 0));
    const weights = Float64Array.from({ length: 20 }, () => rng.next());

    let fitted: Float64Array = new Float64Array();
    const fit = () => {
      fitted = fitOwnCells(values, own, weights);
    };
    expect(processorMilliseconds(fit)).toBeLessThan(500);
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
    const fitted = fitOwnCells(values, own, Float64Array.of(0.64, 0.8, 1));
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
