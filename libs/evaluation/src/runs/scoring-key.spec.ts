import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { scoringKey } from './scoring-key.js';

const task = (given: Partial<TaskDefinitionInput> = {}) =>
  TaskDefinition.parse({
    slug: 'sentiment',
    name: 'Sentiment',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: ['positive', 'negative'] },
    performance: 'accuracy',
    ...given,
  });
const version = { digest: 'a'.repeat(64), transforms: null };
const key = (given: Partial<TaskDefinitionInput> = {}, of: Parameters<typeof scoringKey>[1] = version) =>
  scoringKey(task(given), of);

describe('the key of a score', () => {
  it('is a sha256', () => {
    expect(key()).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, string, string]>([
    ['another metric', key({ metrics: ['macro_f1'] }), key()],
    [
      'another performance metric',
      key({ performance: 'macro_f1', metrics: ['accuracy'] }),
      key({ metrics: ['macro_f1'] }),
    ],
    ['another slice', key({ slices: ['genre'] }), key()],
    ['a slice that is matched', key({ slices: [{ field: 'genre', match: 'topic' }] }), key({ slices: ['genre'] })],
    ['clusters', key({ cluster: 'topic' }), key()],
    ['other gold', key({}, { ...version, digest: 'b'.repeat(64) }), key()],
    [
      'people who looked at the variants',
      key({}, { ...version, transforms: [{ name: 'typos', version: 1, variants: 9, validated: 9, kept: 8 }] }),
      key({}, { ...version, transforms: [{ name: 'typos', version: 1, variants: 9, validated: 0, kept: 0 }] }),
    ],
  ])('is another with %s', (_, one, other) => {
    expect(one).not.toBe(other);
  });

  it('is another with another language or normalisation of texts', () => {
    const output = { name: 'answer', type: 'text' } as const;
    const text = (given: Partial<TaskDefinitionInput> = {}) => key({ output, performance: 'squad_f1', ...given });
    expect(new Set([text(), text({ language: 'de' }), text({ normalise: ['quotes'] })]).size).toBe(3);
    expect(text({ normalise: ['quotes', 'nfkc'] })).toBe(text({ normalise: ['nfkc', 'quotes'] }));
    expect(text({ language: 'en-GB', normalise: [] })).toBe(text());
    expect(key({ language: 'de', normalise: ['nfkc'] })).toBe(key());
  });

  it('stays with what changes no score: weights, limits, texts, and the order of metrics and slices', () => {
    const one = key({ metrics: ['macro_f1', 'mcc'], slices: ['genre', 'topic'] });
    expect(key({ metrics: ['mcc', 'accuracy', 'macro_f1'], slices: [{ field: 'topic' }, 'genre'] })).toBe(one);
    const described = { description: 'longer', weights: { accuracy: 1 }, limits: { memory: '8GiB' } };
    expect(key({ metrics: ['macro_f1', 'mcc'], slices: ['genre', 'topic'], ...described })).toBe(one);
  });
});
