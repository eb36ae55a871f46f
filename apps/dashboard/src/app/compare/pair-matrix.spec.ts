import type { ComparisonMatrix } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { matrixRows, matrixSentence } from './pair-matrix.js';

const matrix = (...pairs: readonly (readonly [string, string, 'a' | 'b' | null])[]): ComparisonMatrix =>
  ({
    models: ['albert', 'bart', 'xlnet'].map((name) => ({ id: name, name, owner: 'ada', kind: 'container' })),
    pairs: pairs.map(([a, b, better]) => ({ a, b, better, difference: { value: 0.1, low: 0, high: 0.2 } })),
  }) as unknown as ComparisonMatrix;

describe('matrixRows', () => {
  it('reads each pair from both of its sides', () => {
    const [albert, , xlnet] = matrixRows(
      matrix(['albert', 'bart', null], ['albert', 'xlnet', 'b'], ['bart', 'xlnet', null]),
    );

    expect(albert!.cells[0]).toBeNull();
    expect(albert!.cells[2]).toMatchObject({ verdict: 'worse', sign: 1 });
    expect(xlnet!.cells[0]).toMatchObject({ a: 'xlnet', b: 'albert', verdict: 'better', sign: -1 });
    expect(xlnet!.cells[1]).toMatchObject({ verdict: 'none' });
  });
});

describe('matrixSentence', () => {
  it.each([
    [
      'albert is better than each of the others; bart than 1.',
      matrix(['albert', 'bart', 'a'], ['albert', 'xlnet', 'a'], ['bart', 'xlnet', 'a']),
    ],
    ['xlnet is better than 1 of the 2 others.', matrix(['albert', 'xlnet', 'b'], ['albert', 'bart', null])],
    ['No significant difference between any two of these 3 models.', matrix(['albert', 'xlnet', null])],
  ])('says "%s"', (sentence, view) => {
    expect(matrixSentence(view)).toBe(sentence);
  });
});
