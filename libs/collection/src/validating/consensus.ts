import type { AnnotationOutcome, Verdict } from '@assay/contracts/collection';

/** One validator's verdict on an example. */
export interface Judgement {
  readonly verdict: Verdict;
  /**
   * With the verdict `incorrect`: the right label, in the form of `Example.gold`. Otherwise null.
   */
  readonly rightLabel: readonly string[] | null;
  /**
   * True if the target models answered incorrectly, for tasks that ask people; null: not answered.
   */
  readonly modelWrong: boolean | null;
}

export interface ConsensusRule {
  /** The number of validators that must agree. */
  readonly validations: number;
  /**
   * The number of verdicts after which an example is undecided. A value below `validations` counts
   * as `validations`.
   */
  readonly mostValidations: number;
}

/** The decision on an example. */
export interface Decision {
  readonly outcome: Exclude<AnnotationOutcome, 'pending'>;
  /**
   * The label that the validators agreed on instead of the author's; null: the author's label
   * holds.
   */
  readonly label: readonly string[] | null;
  /**
   * The majority opinion, among those who found the label correct, on whether the target models
   * answered incorrectly. Null if nobody answered, or on a draw.
   */
  readonly modelWrong: boolean | null;
}

/**
 * Decides the outcome of an example from its verdicts: the first of `correct`, `flagged` and
 * `incorrect` that at least `rule.validations` validators share. Callers call this after every
 * verdict, so at most one verdict reaches the number at a time.
 *
 * With `incorrect`, the example is validated with another label if enough validators agree on that
 * label; otherwise it is rejected. Without any agreement the example is undecided after
 * `rule.mostValidations` verdicts.
 * @param judgements in the order they were given
 * @param isSame returns whether two labels mean the same
 * @returns null if more verdicts are needed
 */
export function consensus(
  judgements: readonly Judgement[],
  rule: ConsensusRule,
  isSame: (one: readonly string[], other: readonly string[]) => boolean,
): Decision | null {
  const { validations } = rule;
  const of = (verdict: Verdict) => judgements.filter((each) => each.verdict === verdict);
  const correct = of('correct');
  if (correct.length >= validations) return decided('validated', { modelWrong: majority(correct) });
  if (of('flagged').length >= validations) return decided('flagged');

  const incorrect = of('incorrect');
  if (incorrect.length >= validations) {
    const label = agreedLabel(incorrect, validations, isSame);
    return label ? decided('validated', { label }) : decided('rejected');
  }
  return judgements.length >= Math.max(validations, rule.mostValidations) ? decided('undecided') : null;
}

/**
 * Returns the label that at least `size` validators agree on, or null. A group is all labels that
 * equal one of them by `isSame`; the first group in the order of `incorrect` that is large enough
 * wins. Returns the distinct texts of that group.
 */
function agreedLabel(
  incorrect: readonly Judgement[],
  size: number,
  isSame: (one: readonly string[], other: readonly string[]) => boolean,
): readonly string[] | null {
  const labels = incorrect.flatMap(({ rightLabel }) => (rightLabel ? [rightLabel] : []));
  for (const centre of labels) {
    const group = labels.filter((label) => isSame(centre, label));
    if (group.length >= size) return [...new Set(group.flat())];
  }
  return null;
}

function majority(judgements: readonly Judgement[]): boolean | null {
  const said = judgements.filter(({ modelWrong }) => modelWrong !== null);
  const wrong = said.filter(({ modelWrong }) => modelWrong).length;
  return 2 * wrong === said.length ? null : 2 * wrong > said.length;
}

const decided = (outcome: Decision['outcome'], more: Partial<Decision> = {}): Decision => ({
  outcome,
  label: null,
  modelWrong: null,
  ...more,
});
