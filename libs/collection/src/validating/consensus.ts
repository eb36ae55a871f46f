import type { AnnotationOutcome, Verdict } from '@assay/contracts';

/** What one validator says of an example. */
export interface Judgement {
  readonly verdict: Verdict;
  /** With `incorrect`: what is right, in the form of `Example.gold`. */
  readonly rightLabel: readonly string[] | null;
  /** Whether the models are wrong, where people are asked; null: not said. */
  readonly modelWrong: boolean | null;
}

export interface ConsensusRule {
  /** That must agree. */
  readonly validations: number;
  /** After which an example is undecided; never fewer than must agree. */
  readonly mostValidations: number;
}

/** What becomes of an example. */
export interface Decision {
  readonly outcome: Exclude<AnnotationOutcome, 'pending'>;
  /** The label on which they agreed against the author; null: the author's stands. */
  readonly label: readonly string[] | null;
  /** What most who found the label right say of the models; null: they don't say, or not alike. */
  readonly modelWrong: boolean | null;
}

/**
 * What judgements come to, in the order they came: the first verdict that enough of them share. Enough `incorrect` on one other label make that
 * the label; on several, the example is rejected. Null: more are needed.
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

/** Verdicts on an example so far. */
export interface Tally {
  readonly correct: number;
  readonly incorrect: number;
  readonly flagged: number;
}

/** How many more verdicts an undecided example needs at least; no more are asked for at a time, so that nobody's work is in vain. */
export function stillNeeded({ correct, incorrect, flagged }: Tally, rule: ConsensusRule): number {
  const most = Math.max(rule.validations, rule.mostValidations);
  const toAgree = rule.validations - Math.max(correct, incorrect, flagged);
  return Math.max(1, Math.min(toAgree, most - (correct + incorrect + flagged)));
}

/** The texts of the first group of that size that all agree with one of it, each once. */
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
