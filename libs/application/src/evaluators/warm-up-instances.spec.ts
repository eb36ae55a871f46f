import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { instancesOfContexts } from './warm-up-instances.js';

const inputs = [
  { name: 'context', type: 'text' as const },
  { name: 'hypothesis', type: 'text' as const },
  { name: 'year', type: 'number' as const },
];
const parsed = (contexts: readonly string[]): Record<string, unknown>[] =>
  instancesOfContexts(
    { inputs },
    contexts.map((context) => ({ content: { context, prompt: 'Write about it.' } })),
    seededRng('contexts'),
  ).map((instance) => JSON.parse(instance));

describe('instances made from contexts', () => {
  it('have sentences of contexts where people would write', () => {
    const contexts = ['The river rose. Boats were moved.', 'A train left at nine.'];
    const instances = parsed(contexts);
    expect(instances.map(({ context }) => context)).toEqual(contexts);
    for (const { hypothesis, year } of instances) {
      expect(['The river rose.', 'Boats were moved.', 'A train left at nine.', 'Write about it.']).toContain(
        hypothesis,
      );
      expect(year).toBe(0);
    }
  });

  it('are one instance of placeholders without contexts', () => {
    expect(parsed([])).toEqual([{ context: 'This is a short text.', hypothesis: 'This is a short text.', year: 0 }]);
  });
});
