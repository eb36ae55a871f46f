import { expect, it } from '@jest/globals';
import { artefactsText } from './artefacts-text.js';

const NLI = { task: 'nli', dataset: 'round-1', version: 2, examples: 1000, majority: 0.34, inputs: [], words: [] };

it('states what gives labels away, and what is not known', () => {
  const inputs = [
    { input: 'hypothesis', accuracy: { value: 0.5, low: 0.45, high: 0.55 }, aboveMajority: true },
    { input: 'context', accuracy: { value: 0.33, low: 0.3, high: 0.36 }, aboveMajority: false },
    { input: 'note', accuracy: null, aboveMajority: null },
  ];
  const words = [
    { input: 'hypothesis', word: 'nobody', label: 'contradiction', examples: 40, share: 0.9, expected: 0.33, z: 7.66 },
  ];
  const text = artefactsText({ ...NLI, inputs, words });
  expect(text).toContain('round-1 v2, 1,000 examples. The most frequent label has 34.0%.');
  expect(text).toContain(
    'hypothesis alone: 50.0% of the labels guessed (95% interval 45.0% to 55.0%): it gives labels away.',
  );
  expect(text).toContain('context alone: 33.0% of the labels guessed (95% interval 30.0% to 36.0%).');
  expect(text).toContain('note alone: too few examples or labels.');
  expect(text).toMatch(/nobody +hypothesis +contradiction +40 +90\.0 +33\.0 +7\.7/);
});

it('says so if no word goes with a label', () => {
  expect(artefactsText(NLI)).toContain('No word goes with a label more often than by chance.');
});
