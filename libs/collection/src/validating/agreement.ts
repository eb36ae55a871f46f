import type { AnnotationOutcome, Verdict } from '@assay/contracts/collection';
import type { ComparedTask } from '../annotating/fooled-rule.js';
import { sameLabel } from './judged-labels.js';

type Label = readonly string[];

/** The values of an annotation that a validation is compared with. */
export interface Decided {
  readonly isCheck: boolean;
  readonly outcome: AnnotationOutcome;
  readonly label: Label;
  readonly authorLabel: Label;
}

/** The answers of a validator to an example. */
export interface Answered {
  readonly label?: Label | null | undefined;
  readonly verdict?: Verdict | null | undefined;
  readonly rightLabel?: Label | null | undefined;
}

/**
 * Returns whether a verdict agrees with the decision on the example, or for a gold check, whether the
 * validator's label is the known one.
 * @returns null without an answer or a decision
 */
export function agreesWith(task: ComparedTask, decided: Decided, given: Answered): boolean | null {
  const { label = null, verdict = null, rightLabel = null } = given;
  if (decided.isCheck) {
    if (label === null) return verdict === null ? null : false;
    return sameLabel(task, label, decided.label);
  }
  if (verdict === null) return null;
  switch (decided.outcome) {
    case 'flagged':
      return verdict === 'flagged';
    case 'rejected':
      return verdict === 'incorrect';
    case 'validated':
      if (sameLabel(task, decided.label, decided.authorLabel)) return verdict === 'correct';
      return verdict === 'incorrect' && rightLabel !== null && sameLabel(task, rightLabel, decided.label);
    case 'pending':
    case 'undecided':
      return null;
  }
}
