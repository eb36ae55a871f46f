import { describe, expect, it } from '@jest/globals';
import { boardContent, boardDataset } from '../../../../test/factories/models/board-content.js';
import { isBetter, references } from './reference-boards.js';
import { OFFICIAL, weigh } from './weighed-board.js';

describe('the row of people', () => {
  const human = { accuracy: { n: 90, value: 0.9, low: 0.8, high: 0.95 } };
  const rowOf = (...datasets: ReturnType<typeof boardDataset>[]) =>
    references(weigh(boardContent({ a: { accuracy: 0.7 } }, { datasets }), OFFICIAL)).find(
      ({ name }) => name === 'human',
    );

  it('has what is known on each dataset, and their mean as the models have it', () => {
    const row = rowOf(
      boardDataset('one', { human }),
      boardDataset('two', { human: { accuracy: { ...human.accuracy, value: 0.8 } } }),
    )!;

    expect(row.datasets['one']).toEqual({ accuracy: { value: 0.9, low: 0.8, high: 0.95 } });
    expect(row.metrics['accuracy']!.value).toBeCloseTo(0.85, 12);
    expect(row.metrics['accuracy']!.high).toBeLessThan(1);
  });

  it('has no mean where nobody knows how people do on a dataset that weighs, and is not there where nobody knows at all', () => {
    expect(rowOf(boardDataset('one', { human }), boardDataset('two'))).toMatchObject({
      metrics: {},
      datasets: { one: { accuracy: { value: 0.9 } } },
    });
    expect(rowOf(boardDataset('one'))).toBeUndefined();
  });
});

describe('isBetter', () => {
  it('asks the whole interval to be better, in the direction of the metric', () => {
    const estimate = { value: 0.5, low: 0.4, high: 0.6 };

    expect([0.39, 0.41].map((majority) => isBetter('accuracy', estimate, majority))).toEqual([true, false]);
    expect([0.61, 0.59].map((majority) => isBetter('brier', estimate, majority))).toEqual([true, false]);
  });

  it('asks the value alone where there is no interval', () => {
    const estimate = { value: 0.5, low: null, high: null };

    expect(isBetter('macro_f1', estimate, 0.49)).toBe(true);
    expect(isBetter('log_loss', estimate, 0.49)).toBe(false);
  });
});
