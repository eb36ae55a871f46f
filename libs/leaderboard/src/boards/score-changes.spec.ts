import { describe, expect, it } from '@jest/globals';
import { boardContent, boardDataset } from '../../../../test/factories/models/board-content.js';
import type { BoardContent } from './board-content.js';
import { scoreChanges } from './score-changes.js';
import { OFFICIAL, weigh } from './weighed-board.js';

const board = (content: BoardContent, metricVersions: Readonly<Record<string, number>> = {}) => ({
  weighed: weigh(content, OFFICIAL),
  metricVersions,
});
const weights = { accuracy: 1 };
const before = boardContent({ a: { accuracy: 0.8 }, b: { accuracy: 0.7 } }, { weights });

describe('why a score changed', () => {
  it('is nothing where no figure, weight or rate did', () => {
    expect(scoreChanges(board(before), board(before), 'a')).toEqual([]);
    // another model does not matter
    const after = boardContent({ a: { accuracy: 0.8 }, b: { accuracy: 0.75 } }, { weights });
    expect(scoreChanges(board(before), board(after), 'a')).toEqual([]);
  });

  it('names the dataset version, the metric version, or another scoring', () => {
    const models = { a: { accuracy: 0.9 }, b: { accuracy: 0.7 } };
    const corrected = boardContent(models, { weights, datasets: [boardDataset('one', { version: 2 })] });

    expect(scoreChanges(board(before), board(corrected), 'a')).toEqual([
      {
        ...{ metric: 'accuracy', dataset: 'one', before: 0.8, after: 0.9 },
        text: 'accuracy on one: 80.0 → 90.0 %, because version 2 of the dataset replaces version 1.',
      },
    ]);
    const after = boardContent(models, { weights });
    expect(scoreChanges(board(before), board(after, { accuracy: 2 }), 'a')).toMatchObject([
      { text: 'accuracy on one: 80.0 → 90.0 %, because accuracy is now computed by its version 2.' },
    ]);
    expect(scoreChanges(board(before), board(after), 'a')).toMatchObject([
      { text: 'accuracy on one: 80.0 → 90.0 %, because the answers were scored again.' },
    ]);
  });

  it('names costs that were measured again, once, and where', () => {
    const datasets = [boardDataset('one'), boardDataset('two')];
    const given = {
      datasets,
      weights: { accuracy: 1, throughput: 1 },
      amrs: { accuracy: 1, throughput: 10, memory: 1 },
    };
    const measured = (throughput: number, hardware: string) => {
      const known = { hardware };
      return board(boardContent({ a: { accuracy: 0.8, throughput, known }, b: { accuracy: 0.7, known } }, given));
    };

    expect(scoreChanges(measured(100, 'x'), measured(120, 'x'), 'a')).toEqual([
      {
        ...{ metric: 'throughput', before: 100, after: 120 },
        text: 'throughput: 100 → 120 examples/s, because it was measured again.',
      },
    ]);
    expect(scoreChanges(measured(100, 'x'), measured(120, 'y'), 'a')).toMatchObject([
      { text: 'throughput: 100 → 120 examples/s, because it was measured on other hardware (y).' },
    ]);
  });

  it('names the weights of datasets, and exchange rates that the models decide', () => {
    const models = { a: { accuracy: 0.8, throughput: 10 }, b: { accuracy: 0.7, throughput: 30 } };
    const given = { weights: { accuracy: 1, throughput: 1 } };
    const one = boardContent(models, given);
    const two = boardContent(
      { ...models, c: { accuracy: 0.9, throughput: 5 } },
      { ...given, datasets: [boardDataset('one'), boardDataset('two')] },
    );

    expect(scoreChanges(board(one), board(two), 'a')).toEqual([
      { dataset: 'one', before: 1, after: 0.5, text: 'one counts 50.0% of the datasets, not 100.0% as before.' },
      {
        ...{ metric: 'throughput', before: expect.closeTo(2, 9), after: expect.closeTo(1.25, 9) },
        text: 'The exchange rate of throughput is 1.25, not 2.00, because it depends on the models of a board.',
      },
    ]);
  });

  it('says that a value is estimated since the dataset counts as collected against the model', () => {
    const datasets = [boardDataset('old'), boardDataset('new')];
    const on = (own: readonly string[]) =>
      boardContent(
        {
          a: { accuracy: { old: 0.9, new: 0 }, known: { own } },
          b: { accuracy: { old: 0.6, new: 0.4 } },
          c: { accuracy: { old: 0.5, new: 0.3 } },
        },
        { datasets, weights },
      );
    const changes = scoreChanges(board(on([])), board(on(['new'])), 'a');

    expect(changes).toMatchObject([{ dataset: 'new', before: 0, after: expect.closeTo(0.7, 9) }]);
    expect(changes[0]!.text).toBe(
      'accuracy on new: 0.0 → 70.0 %, because the dataset was collected against this model, so the value is ' +
        'estimated from other models and datasets.',
    );
    expect(scoreChanges(board(on(['new'])), board(on([])), 'a')[0]!.text).toContain('the value is no longer estimated');
  });

  it('leaves out metrics that do not count, and datasets that only one board has', () => {
    const light = boardContent({ a: { accuracy: 0.8, throughput: 7 }, b: { accuracy: 0.7 } }, { weights });
    expect(scoreChanges(board(before), board(light), 'a')).toEqual([]);
    const other = boardContent({ a: { accuracy: 0.1 } }, { weights, datasets: [boardDataset('two')] });
    expect(scoreChanges(board(before), board(other), 'a')).toEqual([]);
  });
});
