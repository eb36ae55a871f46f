import { describe, expect, it } from '@jest/globals';
import { metricName, termAnchor } from './terms.js';

describe('names of metrics', () => {
  it.each([
    ['macro_f1', 'macro F1'],
    ['auroc', 'AUROC'],
    ['worst:topic', 'worst by topic'],
    ['gap:topic', 'gap by topic'],
    ['something_new', 'something new'],
    ['toString', 'toString'],
  ])('shows %s as %s', (name, shown) => expect(metricName(name)).toBe(shown));

  it('finds the help of a metric by slices with that of all such', () =>
    expect(termAnchor('worst:topic')).toBe('worst'));

  it('has no help on what nothing is written about', () => expect(termAnchor('something_new')).toBeUndefined());
});
