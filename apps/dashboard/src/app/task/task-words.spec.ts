import type { Task } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { inputWords, outputWords, taskWeights, weightShares } from './task-words.js';

describe('a task in words', () => {
  it('names what models are given', () =>
    expect(
      inputWords([
        { name: 'question', type: 'text' },
        { name: 'picture', type: 'image' },
      ]),
    ).toBe('question (text), picture (image)'));

  it.each([
    [{ name: 'label', type: 'label', labels: ['yes', 'no'] } as const, 'one of yes, no'],
    [{ name: 'tags', type: 'labels', labels: ['a', 'b'] } as const, 'any of a, b'],
    [{ name: 'answer', type: 'span', of: 'context' } as const, 'a part of context'],
    [{ name: 'grade', type: 'number' } as const, 'a number'],
  ])('says what they answer: %j', (output, words) =>
    expect(outputWords('labels' in output ? { ...output, labels: [...output.labels] } : output)).toBe(words),
  );

  it('knows the weights of a task that sets none', () => {
    expect(taskWeights({ performance: 'accuracy' })).toEqual({ accuracy: 4, cpu_time: 1, memory: 1 });
    expect(taskWeights({ performance: 'accuracy', weights: { accuracy: 1 } })).toEqual({ accuracy: 1 });
    const perturbations: Task['perturbations'] = { robustness: ['typos'], sample: 100 };
    expect(taskWeights({ performance: 'accuracy', perturbations })).toEqual({
      accuracy: 4,
      cpu_time: 1,
      memory: 1,
      robustness_mean: 1,
    });
  });

  it('gives weights as shares, the heaviest first, without those that count nothing', () =>
    expect(weightShares({ memory: 1, accuracy: 4, fairness: 0, throughput: 3 })).toEqual([
      { metric: 'accuracy', share: 0.5 },
      { metric: 'throughput', share: 0.375 },
      { metric: 'memory', share: 0.125 },
    ]));
});
