import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MetricAccumulator, type AccumulatedScores } from './metric-accumulator.js';

const data = new URL('../../../../shared/data/', import.meta.url);
const present = existsSync(data);
if (!present) console.warn(`skipped: scores of real models, for want of ${data.pathname}`);

type Line = Record<string, string | number | string[]>;
const lines = (path: string): Line[] =>
  readFileSync(new URL(path, data), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)]);

interface Task {
  readonly metrics: readonly string[];
  readonly key: string;
  readonly gold: string;
  readonly answer: string;
  readonly cluster?: string;
  readonly slices?: readonly string[];
}

/** Scores those examples that were answered. */
function scored(examples: readonly Line[], predictions: readonly Line[], task: Task): AccumulatedScores {
  const answers = new Map(predictions.map((line) => [String(line[task.key]), String(line[task.answer])]));
  const slices = (task.slices ?? []).map((field) => ({ field }));
  const accumulator = new MetricAccumulator({ metrics: task.metrics, seed: 'real', slices });
  for (const example of examples) {
    const predicted = answers.get(String(example[task.key]));
    if (predicted === undefined) continue;
    accumulator.add({
      gold: list(example[task.gold]),
      predicted,
      ...(task.cluster && { cluster: String(example[task.cluster]) }),
      slices: Object.fromEntries((task.slices ?? []).map((field) => [field, list(example[field])])),
    });
  }
  return accumulator.result();
}

const percent = (scores: { metrics: AccumulatedScores['metrics'] }, metric: string): number =>
  Math.round(scores.metrics[metric]!.value * 10_000) / 100;

(present ? describe : describe.skip)('real models', () => {
  const nli: Task = {
    metrics: ['accuracy', 'macro_f1'],
    key: 'uid',
    gold: 'label',
    answer: 'label',
    cluster: 'context',
    slices: ['tags'],
  };

  it.each([
    ['bert-r1', [0, 28.2, 31.89]],
    ['roberta-from-r2', [67.2, 18.5, 22.04]],
    ['roberta-from-r3', [71.7, 44.8, 20.28]],
    ['anli-bart-large', [73.5, 51.8, 50.33]],
    ['anli-roberta-large', [73.8, 50.6, 46.08]],
  ])('%s on the three ANLI rounds', (model, accuracies) => {
    const predictions = lines(`nli/predictions/${model}.jsonl`);
    const scores = [1, 2, 3].map((round) => scored(lines(`nli/anli-r${round}.dev.jsonl`), predictions, nli));

    expect(scores.map((each) => percent(each, 'accuracy'))).toEqual(accuracies);
    for (const { metrics } of scores) {
      const { value, low, high } = metrics['macro_f1']!;
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
    }
  });

  it.each([
    ['bert-davidson2017', 63.17, 55.86, { women: 37.5, 'trans people': 67, 'disabled people': 68.8 }],
    ['bert-founta2018', 60.19, 56.29, { women: 50.7, 'trans people': 65, 'disabled people': 37.6 }],
  ])('%s on HateCheck, by target', (model, accuracy, macroF1, targets) => {
    const task: Task = {
      metrics: ['accuracy', 'macro_f1'],
      key: 'id',
      gold: 'label',
      answer: 'label',
      slices: ['target'],
    };
    const scores = scored(lines('hate/hatecheck.jsonl'), lines(`hate/predictions/${model}.jsonl`), task);

    expect([percent(scores, 'accuracy'), percent(scores, 'macro_f1')]).toEqual([accuracy, macroF1]);
    const slices = scores.slices['target']!;
    expect(Object.values(slices).reduce((sum, slice) => sum + slice.n, 0)).toBe(3728 - 292);
    for (const [target, value] of Object.entries(targets)) {
      expect(Math.round(slices[target]!.metrics['accuracy']!.value * 1000) / 10).toBe(value);
    }
    expect([slices['women']!.n, slices['trans people']!.n, slices['disabled people']!.n]).toEqual([509, 463, 484]);
  });

  it.each([
    ['r-net-plus', 83.41, 72.77],
    ['match-lstm', 72.67, 61.09],
  ])('%s on XQuAD English', (model, f1, exactMatch) => {
    const task: Task = {
      metrics: ['squad_f1', 'exact_match'],
      key: 'id',
      gold: 'answers',
      answer: 'answer',
      cluster: 'context',
    };
    const scores = scored(lines('qa/xquad.en.jsonl'), lines(`qa/predictions/${model}.jsonl`), task);

    expect([percent(scores, 'squad_f1'), percent(scores, 'exact_match')]).toEqual([f1, exactMatch]);
    expect(scores.metrics['squad_f1']!.low).toBeLessThan(scores.metrics['squad_f1']!.value);
  });
});
