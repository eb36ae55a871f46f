import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { weighsCosts } from './weighs-costs.js';

const task = (given: Partial<TaskDefinitionInput> = {}): TaskDefinition =>
  TaskDefinition.parse({
    slug: 'sentiment',
    name: 'Sentiment',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: ['positive', 'negative'] },
    performance: 'accuracy',
    ...given,
  });

describe('weighsCosts', () => {
  it.each<[string, Partial<TaskDefinitionInput>, boolean]>([
    ['not by default', {}, false],
    ['by a weight of a cost', { weights: { accuracy: 1, latency_p50: 0.1 } }, true],
    ['by a bound of the loop', { weights: { accuracy: 1 }, loop: { maximum: { latency_p99: 2 } } }, true],
    ['not without', { weights: { accuracy: 1 }, loop: { minimum: { accuracy: 0.5 } } }, false],
    ['not by a weight of 0', { weights: { accuracy: 1, throughput: 0 } }, false],
    [
      'not by CPU time and memory',
      { weights: { accuracy: 1, cpu_time: 1, memory: 1 }, loop: { maximum: { memory: 2 } } },
      false,
    ],
  ])('says whether timed costs are weighed: %s', (_, given, weighed) => {
    expect(weighsCosts(task(given))).toBe(weighed);
  });
});
