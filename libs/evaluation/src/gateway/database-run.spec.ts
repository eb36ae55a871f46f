import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { weighsCosts } from './database-run.js';

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
    ['by default', {}, true],
    ['by a weight of a cost', { weights: { accuracy: 1, latency_p50: 0.1 } }, true],
    ['by a bound of the loop', { weights: { accuracy: 1 }, loop: { maximum: { memory: 2 } } }, true],
    ['not without', { weights: { accuracy: 1 }, loop: { minimum: { accuracy: 0.5 } } }, false],
    ['not by a weight of 0', { weights: { accuracy: 1, throughput: 0, memory: 0 } }, false],
  ])('says whether costs are weighed: %s', (_, given, weighed) => {
    expect(weighsCosts(task(given))).toBe(weighed);
  });
});
