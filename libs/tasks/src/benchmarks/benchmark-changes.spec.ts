import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { benchmarkChanges, type BenchmarkContent } from './benchmark-changes.js';

const content = (
  given: Partial<TaskDefinitionInput> = {},
  datasets: BenchmarkContent['datasets'] = [{ name: 'one', version: 1, digest: 'a' }],
  metricVersions: BenchmarkContent['metricVersions'] = { accuracy: 1, mcc: 1 },
): BenchmarkContent => {
  const definition = TaskDefinition.parse({
    slug: 'nli',
    name: 'NLI',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: ['yes', 'no'] },
    performance: 'accuracy',
    ...given,
  });
  return { definition, datasets, metricVersions };
};

describe('what changed between two benchmark versions', () => {
  it('is nothing where nothing did', () => {
    expect(benchmarkChanges(content(), content())).toEqual([]);
  });

  it('names datasets that are new, replaced or gone', () => {
    const before = content({}, [
      { name: 'one', version: 1, digest: 'a' },
      { name: 'two', version: 1, digest: 'b' },
      { name: 'three', version: 1, digest: 'c' },
    ]);
    const after = content({}, [
      { name: 'one', version: 2, digest: 'd' },
      { name: 'three', version: 1, digest: 'c' },
      { name: 'four', version: 1, digest: 'e' },
    ]);

    expect(benchmarkChanges(before, after)).toEqual([
      {
        kind: 'dataset-replaced',
        name: 'one',
        before: 1,
        after: 2,
        text: 'Version 2 of the dataset "one" replaces version 1.',
      },
      { kind: 'dataset-added', name: 'four', after: 1, text: 'The dataset "four" was added.' },
      { kind: 'dataset-removed', name: 'two', before: 1, text: 'The dataset "two" was removed.' },
    ]);
  });

  it('gives each part of the definition before and after', () => {
    const after = content({ weights: { accuracy: 1 }, aggregate: { recency: 0.5 }, metrics: ['mcc'] });

    expect(benchmarkChanges(content(), after)).toMatchObject([
      { kind: 'metrics', after: ['mcc'] },
      { kind: 'weights', after: { accuracy: 1 } },
      { kind: 'aggregate', before: { recency: 0.8 }, after: { recency: 0.5 } },
    ]);
  });

  it('names a new version of intervals, and of perturbation metrics that both have', () => {
    const perturbed = content({ perturbations: { robustness: ['case'] } });
    const versions = { intervals: 2, robustness: 2, robustness_stability: 3, fairness: 2 };
    const change = (before: BenchmarkContent, after: BenchmarkContent) =>
      benchmarkChanges(before, { ...after, metricVersions: versions }).filter(({ kind }) => kind === 'metric-version');

    const intervals = {
      ...{ kind: 'metric-version', name: 'intervals', before: 1, after: 2 },
      text: 'Intervals are now computed by definition 2.',
    };
    expect(change(content(), content())).toEqual([intervals]);
    expect(change(content(), perturbed)).toEqual([intervals]);
    expect(change(perturbed, perturbed)).toMatchObject([
      { name: 'robustness', before: 1, after: 2, text: 'robustness is now computed by its version 2.' },
      { name: 'robustness_stability', before: 1, after: 3 },
      intervals,
    ]);
  });

  it('names new rules of the board', () => {
    const after = { ...content(), metricVersions: { board: 2 } };

    expect(benchmarkChanges({ ...content(), metricVersions: {} }, after)).toEqual([
      {
        ...{ kind: 'metric-version', name: 'board', before: 1, after: 2 },
        text: 'The board is now computed by version 2 of its rules.',
      },
    ]);
  });

  it('tells of another version of a metric that both have', () => {
    const before = content({ metrics: ['mcc'] });
    const after = content({ metrics: ['mcc'] }, before.datasets, { accuracy: 1, mcc: 2, auroc: 1 });

    expect(benchmarkChanges(before, after)).toEqual([
      { kind: 'metric-version', name: 'mcc', before: 1, after: 2, text: 'mcc is now computed by its version 2.' },
    ]);
  });

  it('says that scores use fixed exchange rates, without naming each rate', () => {
    const rates = { exchangeRates: { memory: 1 }, referenceCosts: { memory: 1 } };
    const { exchange: _exchange, ...before } = content().definition;
    const changes = benchmarkChanges({ ...content(), definition: before }, content(rates));
    expect(changes).toEqual([{ kind: 'exchange', after: 'fixed', text: 'Scores use fixed exchange rates.' }]);

    const other = benchmarkChanges(content(rates), content({ ...rates, exchangeRates: { memory: 2 } }));
    expect(other.map(({ text }) => text)).toEqual(['The exchange rates of costs changed.']);
    const [published] = benchmarkChanges(content(rates), content({ exchange: 'amrs' }));
    expect(published!.text).toContain('published Dynascore');
  });
});
