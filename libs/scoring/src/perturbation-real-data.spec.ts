import { expect, it } from '@jest/globals';
import { describeWithRealData, sharedLines } from '../../../test/factories/worlds/shared-folder.js';
import { perturbationScores } from './perturbation-scores.js';

interface Case {
  readonly id: number;
  readonly label: string;
  readonly functionality: string;
  /** Id of the case that it varies; empty of the others. */
  readonly reference: string;
}

/**
 * HateCheck's variants of its own cases as pairs of an owner, some with another label than their original, and what two real models answered.
 * The figures were computed by a few lines of Python.
 */
describeWithRealData('perturbation scores of two real models on HateCheck', () => {
  const cases = sharedLines<Case>('data', 'hate', 'hatecheck.jsonl');

  it.each([
    [
      'bert-davidson2017',
      0.26881720430107525,
      0.8201541625936788,
      0.553763440860215,
      0.31280547409579673,
      0.4797687861271676,
    ],
    [
      'bert-founta2018',
      0.2674731182795699,
      0.7639728215333056,
      0.5146627565982405,
      0.26588465298142716,
      0.4393063583815029,
    ],
  ])('%s', (model, right, stability, performance, drop, leet) => {
    const answers = sharedLines<{ id: number; label: string }>('data', 'hate', 'predictions', `${model}.jsonl`);
    const answerOf = new Map(answers.map(({ id, label }) => [id, label]));
    const answered = ({ id, label }: Case) => ({ gold: [label], predicted: answerOf.get(id)!, probabilities: null });
    const variants = cases.filter(({ reference }) => reference !== '');
    const names = [...new Set(variants.map(({ functionality }) => functionality))];

    const { metrics, result } = perturbationScores(
      {
        kind: 'robustness',
        metric: 'accuracy',
        output: 'label',
        labels: ['hateful', 'non-hateful'],
        transforms: names.map((name) => ({ name, validated: 0, kept: 0, ranks: true })),
        seed: 'hatecheck',
      },
      cases.map((each) => ({ id: String(each.id), ...answered(each) })),
      variants.map((each) => ({ original: each.reference, transform: each.functionality, ...answered(each) })),
    );

    expect(result).toMatchObject({ originals: 744, variants: 2046 });
    expect(metrics['robustness']!.value).toBeCloseTo(right, 12);
    expect(metrics['robustness_stability']!.value).toBeCloseTo(stability, 12);
    expect(result.performance).toBeCloseTo(performance, 12);
    expect(result.drop!.value).toBeCloseTo(drop, 12);
    expect(result.transforms['spell_leet_h']!.performance).toBeCloseTo(leet, 12);
  });
});
