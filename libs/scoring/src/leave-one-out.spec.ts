import { describe, expect, it } from '@jest/globals';
import { leaveOneOut, type LeaveOneOutOptions } from './leave-one-out.js';

const OPTIONS: LeaveOneOutOptions = {
  output: 'label',
  labels: ['yes', 'no', 'maybe'],
  metrics: ['accuracy', 'macro_f1'],
  seed: 'people',
};

/** Each word is what one person answered. */
const answered = (examples: readonly string[]) =>
  examples.map((words, index) => ({ answers: words.split(' ').map((word) => [word]), cluster: String(index) }));

describe('one person left out against the others', () => {
  it('is scored as a model would be, where the others agree', () => {
    // by hand: 3 right of 3; of two against one only the one has others that agree, and is wrong; no two agree: nothing;
    // four yes and a no: each yes has 3 of 4 with it, the no 4 of 4 against it; two and two and one: nobody has more than half
    const scores = leaveOneOut(
      answered(['yes yes yes', 'no no yes', 'yes no maybe', 'yes yes yes yes no', 'yes yes no no maybe']),
      OPTIONS,
    )!;

    expect(scores.n).toBe(3 + 1 + 0 + 5 + 0);
    expect(scores.metrics['accuracy']!.value).toBeCloseTo((3 + 0 + 4) / 9, 12);
    // gold yes: 3 + 4 + 1, of which 7 answered yes and 1 no; gold no: 1, answered yes
    expect(scores.metrics['macro_f1']!.value).toBeCloseTo(((2 * 7) / (8 + 8) + 0) / 2, 12);
    // the answers come from three examples
    expect(scores.metrics['accuracy']).toMatchObject({ low: null, high: null, why: 'too few clusters' });
  });

  it('has a wider interval where the answers hang together', () => {
    const apart = answered(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'yes yes yes' : 'no no yes')));
    // pairs of the same kind
    const together = apart.map((example, n) => ({ ...example, cluster: `${n % 2} ${n >> 2}` }));
    const width = (examples: typeof apart) => {
      const { low, high } = leaveOneOut(examples, OPTIONS)!.metrics['accuracy']!;
      return high! - low!;
    };

    expect(width(together)).toBeGreaterThan(width(apart));
  });

  it('takes each answer of the others for a reference where texts are answered', () => {
    const scores = leaveOneOut(answered(['paris paris Rome', 'bonn bonn bonn']), {
      output: 'span',
      metrics: ['exact_match', 'squad_f1'],
      seed: '',
    })!;

    // each "paris" finds the other one among the references, "Rome" finds none
    expect(scores).toMatchObject({ n: 6, metrics: { exact_match: { value: 5 / 6 }, squad_f1: { value: 5 / 6 } } });
  });

  it('takes the median of the others where a number is answered', () => {
    const scores = leaveOneOut(answered(['1 2 6']), { output: 'number', metrics: ['mae'], seed: '' })!;

    // 1 against 4, 2 against 3.5, 6 against 1.5
    expect(scores.metrics['mae']!.value).toBeCloseTo((3 + 1.5 + 4.5) / 3, 12);
  });

  it('takes any of several labels that more than half of the others hold for right', () => {
    const answers = [['yes', 'maybe'], ['maybe', 'yes'], ['maybe']];
    const scores = leaveOneOut([{ answers, cluster: '' }], { ...OPTIONS, metrics: ['accuracy'] })!;

    // yes, against maybe (2 of 2) alone; maybe, against maybe; maybe, against yes or maybe
    expect(scores).toMatchObject({ n: 3, metrics: { accuracy: { value: 2 / 3 } } });
  });

  it('says nothing where nobody has two others that agree', () => {
    expect(leaveOneOut(answered(['yes', 'yes yes', 'yes no maybe']), OPTIONS)).toBeNull();
  });
});
