import type { BenchmarkChange, DatasetSummary, History } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { activationText, benchmarksText, historyText } from './benchmark-text.js';

const datasets = [{ name: 'r1', version: 2, digest: 'a' }];
const change = { kind: 'dataset-added', name: 'r1', text: 'The dataset r1 came in.' } as const;

describe('benchmark versions', () => {
  const cost = { evaluations: 12, rescored: 1, cannotRun: 0, estimatedSeconds: 720, warnings: [] };

  it('have a cost before they are released', () => {
    expect(activationText('nli', { number: 4, createdAt: null, datasets, ...cost })).toBe(
      'Benchmark version 4 would have r1 v2.\n' +
        '12 evaluations run, about 12 min of running; 1 is scored again from stored predictions.\n' +
        'Release it: assay benchmark activate nli',
    );
  });

  it('say how many evaluations have no run', () => {
    const preview = (cannotRun: number) =>
      activationText('nli', { number: 4, createdAt: null, datasets, ...cost, cannotRun });
    expect(preview(2)).toContain('predictions.\n2 have no run: the models cannot run,');
    expect(preview(1)).toContain('predictions.\n1 has no run: the models cannot run,');
  });

  it('have the warnings about their hidden data', () => {
    const warnings = [{ code: 'no_public_sample' as const, detail: 'The task has no sample.' }];
    expect(activationText('nli', { number: 4, createdAt: null, datasets, ...cost, warnings })).toContain(
      'stored predictions.\nWarning: The task has no sample.\nRelease it:',
    );
  });

  it('say what was released', () => {
    const released = { number: 4, createdAt: '2026-05-01T10:20:30.000Z', datasets, ...cost };
    expect(activationText('nli', { ...released, estimatedSeconds: null })).toMatch(
      /^Benchmark version 4 is released, with r1 v2\.\n12 evaluations run, for an unknown time;/,
    );
    expect(activationText('nli', { ...released, evaluations: 0 })).toContain('0 evaluations run; 1 is');
  });

  it('are listed with what is proposed and what each changed', () => {
    const version = {
      number: 2,
      createdAt: '2026-05-01T10:20:30.000Z',
      datasets,
      metricVersions: {},
      recency: 0.8,
      amrsKept: true,
      changes: [change],
    };
    const proposed = { name: 'r2', version: 1, examples: 1200 } as DatasetSummary;
    const text = benchmarksText('nli', [version], [proposed]);
    expect(text).toContain('  r2 v1, 1,200 examples\nShow the cost: assay benchmark preview nli');
    expect(text).toContain(
      'v2 · 2026-05-01 10:20 UTC · r1 v2\n  exchange rates between metrics are settled\n  The dataset r1 came in.',
    );
    expect(benchmarksText('nli', [], [])).toBe('No datasets are proposed.\n\nNo datasets are active yet.');
  });
});

describe('historyText', () => {
  const version = (benchmarkVersion: number, changes: BenchmarkChange[] = []) => ({
    benchmarkVersion,
    revision: benchmarkVersion * 10,
    publishedAt: '2026-05-01T10:20:30.000Z',
    ranked: 2,
    changes,
  });
  const model = { id: 'a', name: 'albert', owner: 'kim' };
  const point = { benchmarkVersion: 2, rank: 3, dynascore: 61.23, performance: 0.6321 };
  const history: History = {
    task: 'nli',
    performance: 'accuracy',
    versions: [version(1), version(2, [change])],
    models: [{ model, points: [point] }],
  };

  it('has rank, score and performance by version, and nothing where a model was not ranked', () => {
    const text = historyText(history);
    expect(text).toContain('nli: rank, score and accuracy % by benchmark version');
    expect(text).toMatch(/^albert +kim +· +#3 {2}61\.2 {2}63\.2$/m);
    expect(text).toContain('v2 · revision 20 of 2026-05-01 10:20 UTC · 2 ranked\n  The dataset r1 came in.');
  });

  it('has the reasons for the other score of a model under the changes of the version', () => {
    const text = 'accuracy on r1: 60.0 → 63.2 %, because version 2 of the dataset replaces version 1.';
    const changes = [{ metric: 'accuracy', dataset: 'r1', before: 0.6, after: 0.632, text }];
    expect(historyText({ ...history, models: [{ model, points: [{ ...point, changes }] }] })).toContain(
      `  The dataset r1 came in.\n  albert: ${text}`,
    );
  });

  it('says where there is nothing', () => {
    expect(historyText({ ...history, versions: [] })).toBe('nli has no board yet.');
    expect(historyText({ ...history, models: [] })).toContain('No model was ranked.');
  });
});
