import { describe, expect, it } from '@jest/globals';
import { TaskDefinition, taskMetrics, taskWeights } from './task.js';

const MINIMAL = {
  slug: 'nli',
  name: 'NLI',
  inputs: [{ name: 'context', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['yes', 'no'] },
  performance: 'accuracy',
};
const problems = (definition: object) => {
  const parsed = TaskDefinition.safeParse(definition);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};

describe('TaskDefinition', () => {
  it('fills in the defaults of the contract', () => {
    const task = TaskDefinition.parse(MINIMAL);

    expect(task).toMatchObject({
      language: 'en',
      exchange: 'fixed',
      slices: [],
      aggregate: { recency: 0.8, static: 0.3, minimumExamples: 100, ownRounds: 'adjust' },
      limits: {
        memory: 4 * 2 ** 30,
        cpus: 1,
        pids: 256,
        startSeconds: 120,
        requestSeconds: 60,
        evaluationSeconds: 3600,
        artifact: 10 * 2 ** 30,
        unpacked: 20 * 2 ** 30,
        tolerance: 0,
      },
      quota: { perDay: 3, total: 100 },
      loop: { size: 1, strategy: 'best', minimum: { accuracy: 'baseline' }, maximum: {}, margin: 0 },
    });
    expect(taskWeights(task)).toEqual({ accuracy: 4, cpu_time: 1, memory: 1 });
    expect(taskMetrics(task)).toEqual(['accuracy']);
  });

  it('requires models in the loop to be above the baseline unless the task says otherwise', () => {
    const minimumOf = (given: object) => TaskDefinition.parse({ ...MINIMAL, ...given }).loop.minimum;
    expect(minimumOf({ loop: { size: 2 } })).toEqual({ accuracy: 'baseline' });
    expect(minimumOf({ loop: { minimum: {} } })).toEqual({});
    expect(minimumOf({ loop: { minimum: { accuracy: 0.5 } } })).toEqual({ accuracy: 0.5 });
    const labels = { output: { ...MINIMAL.output, type: 'labels' }, performance: 'macro_f1' };
    expect(minimumOf(labels)).toEqual({ macro_f1: 'baseline' });
    expect(minimumOf({ output: { name: 'answer', type: 'text' }, performance: 'bleu' })).toEqual({});
  });

  it('names a baseline model only for outputs without labels', () => {
    const baseline = '01890a5d-ac96-774b-bcce-b302099a8057';
    const text = { output: { name: 'answer', type: 'text' }, performance: 'bleu' };
    expect(problems({ ...MINIMAL, ...text, baseline })).toEqual([]);
    expect(problems({ ...MINIMAL, ...text, baseline: 'best' })[0]).toMatch(/^baseline: /);
    expect(problems({ ...MINIMAL, baseline })[0]).toMatch(/^baseline: only for an output of type span, text or number/);
  });

  it('is the same when it is read again', () => {
    const task = TaskDefinition.parse({ ...MINIMAL, limits: { memory: '512MiB' }, metrics: ['macro_f1', 'accuracy'] });
    expect(TaskDefinition.parse(JSON.parse(JSON.stringify(task)))).toEqual(task);
    expect(taskMetrics(task)).toEqual(['accuracy', 'macro_f1']);
  });

  it('computes the metrics of ordered labels where the labels are ordered', () => {
    const output = { ...MINIMAL.output, ordered: true };
    const task = TaskDefinition.parse({ ...MINIMAL, output, weights: { mean_absolute_rank_error: 1 } });
    expect(taskMetrics(task)).toEqual(['accuracy', 'quadratic_kappa', 'mean_absolute_rank_error']);
    expect(TaskDefinition.safeParse({ ...MINIMAL, output: { name: 'a', type: 'text', ordered: true } }).success).toBe(
      false,
    );
  });

  it('weighs fairness and robustness averaged over variants by default', () => {
    const task = TaskDefinition.parse({ ...MINIMAL, perturbations: { robustness: ['case'], fairness: [] } });
    expect(taskWeights(task)).toEqual({ accuracy: 4, cpu_time: 1, memory: 1, fairness_mean: 1, robustness_mean: 1 });
  });

  it.each([
    [{ wieghts: {} }, 'wieghts'],
    [{ limits: { memroy: 1 } }, 'memroy'],
    [{ inputs: [] }, 'inputs'],
    [{ inputs: [MINIMAL.inputs[0], MINIMAL.inputs[0]] }, 'two inputs have the same name'],
    [{ output: { ...MINIMAL.output, name: 'context' } }, 'is already an input name'],
    [{ output: { ...MINIMAL.output, labels: ['a', 'a'] } }, 'a label is listed twice'],
    [{ output: { ...MINIMAL.output, labels: ['a'] } }, 'output.labels'],
    [{ output: { name: 'a', type: 'span', of: 'nothing' }, performance: 'squad_f1' }, 'is not an input of this task'],
    [{ performance: 'squad_f1' }, 'not defined for an output of type label'],
    [
      {
        inputs: [{ name: 'context', type: 'text' }],
        output: { name: 'a', type: 'span', of: 'context' },
        performance: 'span_f1',
      },
      'span_f1 is not defined for every model',
    ],
    [{ performance: 'throughput' }, 'performance'],
    [{ metrics: ['exact_match'] }, 'metrics.0'],
    [{ exchange: 'free' }, 'exchange'],
    [{ exchangeRates: { accuracy: 1 } }, 'exchangeRates.accuracy: accuracy is not a cost'],
    [{ exchangeRates: { memory: 0 } }, 'exchangeRates.memory'],
    [{ exchangeRates: { memory: 1001 } }, 'exchangeRates.memory'],
    [{ referenceCosts: { macro_f1: 1 } }, 'referenceCosts.macro_f1: macro_f1 is not a cost'],
    [{ referenceCosts: { throughput: -1 } }, 'referenceCosts.throughput'],
    [{ weights: { accuracy: 1e308 } }, 'must be a number of at most 1000000, not 1e+308'],
    [{ weights: { macro_f1: 1 } }, 'not among the metrics'],
    [{ weights: { accuracy: 0 } }, 'at least one weight must be above 0'],
    [{ weights: { accuracy: -1 } }, 'weights.accuracy'],
    [{ loop: { minimum: { macro_f1: 0.5 } } }, 'loop.minimum.macro_f1: macro_f1 is not among the metrics'],
    [{ loop: { minimum: { memory: 'baseline' } } }, 'has no baseline'],
    [{ loop: { maximum: { accuracy: 'baseline' } } }, 'loop.maximum.accuracy'],
    [{ aggregate: { recency: 0 } }, 'aggregate.recency'],
    [{ quota: { perDay: 0 } }, 'quota.perDay'],
  ])('refuses %j', (change, why) => {
    expect(problems({ ...MINIMAL, ...change }).join('\n')).toContain(why);
  });
});
