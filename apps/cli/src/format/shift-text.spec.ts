import type { DatasetShift } from '@assay/api-client/fetch';
import { expect, it } from '@jest/globals';
import { shiftText } from './shift-text.js';

const LENGTH = { lowerQuartile: 3, median: 4, upperQuartile: 6 };
const SHIFT: DatasetShift = {
  task: 'nli',
  before: { dataset: 'r1-test', version: 1, round: 1, examples: 1200 },
  after: { dataset: 'r2-test', version: 2, round: 2, examples: 900 },
  separability: { value: 0.71, low: 0.66, high: 0.76 },
  differs: true,
  labels: [{ label: 'yes', before: 0.5, after: 0.75, difference: { value: 0.25, low: 0.2, high: 0.3 } }],
  inputs: [
    {
      input: 'text',
      separability: null,
      length: { before: LENGTH, after: null },
      vocabulary: { before: 2000, after: 0 },
      unseen: { before: 0.2, after: null },
    },
  ],
  words: [{ input: 'text', word: 'honestly', dataset: 'after', examples: 40, share: 0.9, expected: 0.43, z: 6 }],
};

it('states how far two datasets differ', () => {
  const text = shiftText(SHIFT);
  expect(text).toContain('From r1-test v1 (1,200 examples) to r2-test v2 (900 examples)');
  expect(text).toContain(
    'Told apart by all inputs: AUC 0.71 (95% interval 0.66 to 0.76; 0.5 is chance): the inputs differ.',
  );
  expect(text).toMatch(/yes +50\.0 +75\.0 +25\.0 +20\.0 to 30\.0/);
  expect(text).toMatch(/text +4\.0 +· +2,000 +0 +· +20\.0 +·/);
  expect(text).toMatch(/honestly +text +r2-test +40 +90\.0 +43\.0 +6\.0/);
});

it('states what is not known', () => {
  const text = shiftText({ ...SHIFT, separability: null, differs: null, labels: [], words: [] });
  expect(text).toContain('Told apart by all inputs: too few examples.');
  expect(text).toContain('No word is more frequent in one of them than by chance.');
  expect(text).not.toContain('label');
});
