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

/** Scores of the probabilities. */
function calibrated(examples: readonly Line[], predictions: readonly Line[]): AccumulatedScores {
  const labels = ['entailment', 'neutral', 'contradiction'];
  const answers = new Map(predictions.map((line) => [line['uid'], line]));
  const metrics = ['auroc', 'brier', 'log_loss', 'ece'];
  const accumulator = new MetricAccumulator({ metrics, seed: 'real', output: 'label', labels });
  for (const example of examples) {
    const answer = answers.get(example['uid'])!;
    const given = answer['prob'] as unknown as Readonly<Record<string, number>>;
    accumulator.add({
      gold: list(example['label']),
      predicted: String(answer['label']),
      probabilities: labels.map((label) => given[label]!),
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

  // scikit-learn's figures: golden/real-probabilities.py
  it.each([
    [
      'anli-bart-large',
      {
        auroc: [0.87562, 0.718853, 0.68187],
        brier: [0.495135, 0.911137, 0.93431],
        log_loss: [1.963303, 3.640874, 3.700783],
        ece: [0.241854, 0.448288, 0.458996],
      },
    ],
    [
      'anli-roberta-large',
      {
        auroc: [0.874331, 0.695111, 0.652646],
        brier: [0.476844, 0.913819, 0.980306],
        log_loss: [1.464459, 2.796976, 2.942425],
        ece: [0.229979, 0.440184, 0.469887],
      },
    ],
    [
      'bert-r1',
      {
        auroc: [0.339729, 0.464595, 0.523309],
        brier: [1.53143, 1.242198, 1.13654],
        log_loss: [3.527672, 3.325199, 2.828611],
        ece: [0.830085, 0.588196, 0.534054],
      },
    ],
    [
      'roberta-from-r2',
      {
        auroc: [0.817774, 0.440949, 0.468083],
        brier: [0.611806, 1.500539, 1.250787],
        log_loss: [1.948238, 4.574713, 2.943736],
        ece: [0.294478, 0.742285, 0.612442],
      },
    ],
    [
      'roberta-from-r3',
      {
        auroc: [0.862808, 0.63041, 0.454204],
        brier: [0.537273, 1.054778, 1.299729],
        log_loss: [2.006874, 3.990077, 3.36367],
        ece: [0.264307, 0.511456, 0.640246],
      },
    ],
  ])('the probabilities of %s on the three ANLI rounds', (model, expected) => {
    const predictions = lines(`nli/predictions/${model}.jsonl`);
    const scores = [1, 2, 3].map((round) => calibrated(lines(`nli/anli-r${round}.dev.jsonl`), predictions));

    for (const [name, values] of Object.entries(expected)) {
      for (const [index, value] of values.entries()) {
        expect(scores[index]!.metrics[name]!.value).toBeCloseTo(value, 5);
      }
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
