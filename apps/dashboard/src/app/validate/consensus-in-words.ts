import type { Validation } from '@assay/api-client/angular';

type Concluded = Pick<Validation, 'outcome' | 'verdict'>;

/**
 * Describes the outcome of an example after the user's verdict.
 * @param needed The number of verdicts that must agree.
 */
export const consensusInWords = ({ outcome }: Concluded, needed: number): string =>
  outcome === 'pending' ? $localize`Kept. It is decided once ${needed}:needed: people agree.` : DECIDED[outcome];

const DECIDED: Readonly<Record<Exclude<Concluded['outcome'], 'pending'>, string>> = {
  validated: $localize`Enough people agree: the example is validated.`,
  rejected: $localize`Enough people say that the author's label is not right: the example is rejected.`,
  flagged: $localize`Enough people say that it should not be here: it goes nowhere.`,
  undecided: $localize`The maximum number of people have validated it, and they do not agree: it stays undecided.`,
};

export function verdictInWords({ verdict }: Concluded): string {
  if (verdict === 'correct') return $localize`You say: the author is right`;
  return verdict === 'incorrect' ? $localize`You say: another label is right` : $localize`You flagged it`;
}
