import { describe, expect, it } from '@jest/globals';
import { boardContent, boardDataset, published } from '../../../../test/factories/models/board-content.js';
import type { BoardContent } from './board-content.js';
import { leaderboardView } from './leaderboard-view.js';
import { chooseLoop } from '../promotions/promotion.policy.js';

const view = (content: BoardContent, query: object = {}) =>
  leaderboardView(published(content), { amrs: 'official', ...query });
const ids = (content: BoardContent, query: object = {}) => view(content, query).rows.map((row) => row.model.id);

describe('a dataset that was collected against a model', () => {
  const datasets = [boardDataset('old'), boardDataset('against')];
  const aggregate = { recency: 0.8, static: 0.3, minimumExamples: 100, ownRounds: 'adjust' } as const;
  const models = {
    // every example was kept because this model was wrong about it
    victim: { accuracy: { old: 0.9, against: 0 }, known: { own: ['against'] } },
    // what `against` costs the others: 0.2
    peer: { accuracy: { old: 0.8, against: 0.6 } },
    other: { accuracy: { old: 0.7, against: 0.5 } },
  };
  const content = boardContent(models, { datasets, aggregate, weights: { accuracy: 1 } });

  it('counts with the value that the other models tell, which is marked', () => {
    const [first] = view(content).rows;

    expect(first!.model.id).toBe('victim');
    expect(first!.metrics['accuracy']!.value).toBeCloseTo((0.9 + 0.7) / 2, 12);
    expect(first!.metrics['accuracy']).toMatchObject({ estimated: true });
    expect(first!.own).toEqual(['against']);
    // the cell shows what it is
    expect(first!.datasets['against']!['accuracy']!.value).toBe(0);
    expect(view(content).rows[1]!.metrics['accuracy']).not.toHaveProperty('estimated');
  });

  it('never counts with more than all examples right', () => {
    // what `against` gives the others: 0.3 more, which the best of all can't have
    const easier = { peer: { accuracy: { old: 0.6, against: 0.9 } }, other: { accuracy: { old: 0.5, against: 0.8 } } };
    const [first] = view(
      boardContent({ ...models, ...easier }, { datasets, aggregate, weights: { accuracy: 1 } }),
    ).rows;

    expect(first!.metrics['accuracy']!.value).toBeCloseTo((0.9 + 1) / 2, 12);
  });

  it('counts as it is where that is asked for, which is not the official board', () => {
    const counted = view(content, { ownRounds: 'count' });

    expect(counted.rows.map(({ model }) => model.id)).toEqual(['peer', 'other', 'victim']);
    expect([counted.official, view(content, { ownRounds: 'adjust' }).official]).toEqual([false, true]);
    expect(counted.weighing).toContain('ownRounds=count');
    expect(counted.rows.at(-1)).toMatchObject({ rank: 3, officialRank: 1 });
  });

  it('leaves a model without a rank where nothing else tells of it', () => {
    const alone = boardContent(
      { ...models, victim: { accuracy: { old: null, against: 0 }, known: { own: ['against'] } } },
      { datasets, aggregate, weights: { accuracy: 1 } },
    );
    expect(view(alone, { datasets: { old: 0 } }).incomplete).toEqual([
      expect.objectContaining({
        missing: [
          {
            dataset: 'against',
            why: 'no accuracy: collected against this model, and too few other scores to estimate it from',
          },
        ],
      }),
    ]);
  });

  it('never speaks for promotion, even where the board counts it', () => {
    const counting = boardContent(models, {
      datasets,
      aggregate: { ...aggregate, ownRounds: 'count' },
      weights: { accuracy: 1 },
    });
    expect(ids(counting)[0]).toBe('peer');
    expect(chooseLoop(published(counting), new Set()).map(({ model }) => model.id)).toEqual(['victim']);
  });
});

describe('a fitted cell under the second rules', () => {
  const rules = { schema: 2, rules: 2, exchange: { kind: 'fixed', rates: {}, references: {} } } as const;
  const datasets = [boardDataset('old'), boardDataset('against')];
  const models = {
    victim: { accuracy: { old: 0.83, against: 0 }, known: { own: ['against'] } },
    peer: { accuracy: { old: 0.8, against: 0.63 } },
    other: { accuracy: { old: 0.7, against: 0.5 } },
  };
  const content = boardContent(models, { datasets, weights: { accuracy: 1 }, ...rules });
  // the datasets differ by 0.185; the residuals are ±0.0075 in four cells, with one degree of freedom
  const interaction = 0.015;
  const ofFit = interaction * Math.sqrt(1 + 1 + 1 / 2 + 1 / 2);

  it('is served with the fitted value and its interval, next to what was measured', () => {
    const [victim, peer] = view(content).rows;
    const { accuracy } = victim!.datasets['against']!;

    expect(victim!.model.id).toBe('victim');
    expect(accuracy).toMatchObject({ estimated: true, measured: 0 });
    expect(accuracy!.value).toBeCloseTo(0.645, 12);
    expect(accuracy!.standardError).toBeCloseTo(Math.hypot(ofFit, 0.005), 12);
    expect(accuracy!.high! - accuracy!.value).toBeCloseTo(1.959963984540054 * accuracy!.standardError!, 12);
    expect(victim!.datasets['old']!['accuracy']).not.toHaveProperty('estimated');
    expect(peer!.datasets['against']!['accuracy']).not.toHaveProperty('estimated');
  });

  it('adds the error of the fit to the aggregate and to the ranks', () => {
    const [victim] = view(content).rows;
    const [before] = view({ ...content, rules: undefined } as unknown as BoardContent).rows;

    expect(before!.metrics['accuracy']!.standardError).toBeCloseTo(0.005, 12);
    expect(victim!.metrics['accuracy']!.standardError).toBeCloseTo(Math.hypot(0.005, ofFit / 2), 12);
    expect([before!.rankHigh, victim!.rankHigh]).toEqual([1, 2]);
  });

  it('is not fitted where enough examples were written against others, and names their number', () => {
    const known = { counted: { against: 120 } };
    const rest = boardContent({ ...models, victim: { ...models.victim, known } }, { datasets, ...rules });
    const victim = view(rest).rows.find(({ model }) => model.id === 'victim')!;

    expect(victim).toMatchObject({ counted: { against: 120 } });
    expect(victim.datasets['against']!['accuracy']).not.toHaveProperty('estimated');
  });

  it('is the measured value where the board counts own rounds as they are', () => {
    const victim = view(content, { ownRounds: 'count' }).rows.find(({ model }) => model.id === 'victim')!;

    expect(victim.datasets['against']!['accuracy']).toMatchObject({ value: 0 });
    expect(victim.datasets['against']!['accuracy']).not.toHaveProperty('measured');
  });

  it('has no interval, and its model no rank interval, if too few cells determine the fit', () => {
    const { victim, peer } = models;
    const two = boardContent({ victim, peer }, { datasets, weights: { accuracy: 1, throughput: 1 }, ...rules });
    const [first, second] = view({ ...two, spreads: { throughput: 3 } }).rows;

    expect(first!.datasets['against']!['accuracy']).toMatchObject({ estimated: true, low: null, high: null });
    expect(first!.metrics['accuracy']).toMatchObject({ low: null, standardError: null });
    expect(first).toMatchObject({ rankLow: null, rankHigh: null, couldBeFirst: null });
    expect(second!.metrics['accuracy']!.standardError).not.toBeNull();
  });
});

describe('a metric that a dataset can give nobody', () => {
  const metrics = ['accuracy', 'fairness', 'worst:tags', 'throughput', 'memory'];
  const weights = { accuracy: 1, fairness: 1 };
  const models = {
    a: { accuracy: 0.8, more: { fairness: 0.4 } },
    b: { accuracy: 0.7, more: { fairness: 0.9 } },
  };

  it('is out of the mean there, for all models', () => {
    const datasets = [boardDataset('one'), boardDataset('few', { undefinedMetrics: ['fairness'] })];
    const content = boardContent(models, { datasets, metrics, weights });
    const [first, second] = content.models;
    const few = Object.fromEntries(Object.entries(first!.cells['few']!).filter(([name]) => name !== 'fairness'));
    const lacking = { ...content, models: [{ ...first!, cells: { ...first!.cells, few } }, second!] };

    const board = view(lacking);
    expect(board.incomplete).toEqual([]);
    expect(board.rows.find(({ model }) => model.id === 'a')!.metrics['fairness']!.value).toBeCloseTo(0.4, 12);
  });

  it('weighs nothing where no dataset gives it, and what it weighed is left to the others', () => {
    const datasets = [boardDataset('one', { undefinedMetrics: ['fairness'] })];
    const plain = { a: { accuracy: 0.8 }, b: { accuracy: 0.7 } };
    expect(ids(boardContent(plain, { datasets, metrics, weights }))).toEqual(['a', 'b']);
    const only = view(boardContent(plain, { datasets, metrics, weights: { fairness: 1 } }));
    expect(only.rows.map(({ dynascore }) => dynascore)).toEqual([80, 70]);
  });

  it('is no metric at all where its field is no slicing field, and the refusal names it', () => {
    const content = boardContent(models, { metrics, weights });
    expect(() => view(content, { weights: { 'gap:genre': 1 } })).toThrow(
      expect.objectContaining({
        code: 'unknown_metric',
        message: 'Unknown metric "gap:genre". "genre" is not a slicing field of this task; it slices by tags.',
      }),
    );
  });
});

it.each([-1, Number.NaN, Infinity])('refuses the weight %d, and names the metric or the dataset', (weight) => {
  const content = boardContent({ a: { accuracy: 0.8 } });
  for (const query of [{ weights: { memory: weight } }, { datasets: { one: weight } }]) {
    const name = 'weights' in query ? '"memory"' : '"one"';
    expect(() => view(content, query)).toThrow(expect.objectContaining({ code: 'invalid_weight' }));
    expect(() => view(content, query)).toThrow(name);
  }
});

describe('costs', () => {
  const on = (hardware: string, acceptedAt: string) => ({ hardware, acceptedAt });
  const content = boardContent({
    a: { accuracy: 0.8, known: on('old host', '2026-01-01T00:00:00.000Z') },
    b: { accuracy: 0.7, known: on('old host', '2026-01-02T00:00:00.000Z') },
    c: { accuracy: 0.9, known: on('new host', '2026-01-03T00:00:00.000Z') },
  });

  it('are compared on the hardware class of most models; who was measured on another lacks them', () => {
    const board = view(content);
    expect(board.hardware).toBe('old host');
    expect(board.rows.map(({ model }) => model.id)).toEqual(['a', 'b']);
    expect(board.incomplete[0]!.missing).toEqual([
      {
        dataset: 'one',
        why: 'no throughput, memory: measured on new host, while the board compares costs on old host',
      },
    ]);
  });

  it('keep nobody out where they do not weigh', () => {
    expect(ids(content, { weights: { throughput: 0, memory: 0 } })).toEqual(['c', 'a', 'b']);
  });

  it('are those of the newest class where two have as many models', () => {
    expect(view({ ...content, models: content.models.slice(1) }).hardware).toBe('new host');
  });
});
