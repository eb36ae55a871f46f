import { type Annotation, fooledRuleOf } from '@assay/collection/annotating';
import { collectionOf } from '@assay/collection/people';
import { type Judged, ASSIGNED_MILLISECONDS, sameLabel } from '@assay/collection/validating';
import type { DecisionView, ValidationItem, ValidationView } from '@assay/contracts/collection';

/**
 * Presents an example to a validator: without its author, the models that it was written against,
 * and the label that is held to be correct.
 */
export function validationItem(judged: Judged): ValidationItem {
  const { task, round, annotation, validation } = judged;
  const { validationInstructions, contentWarning, validationFields } = collectionOf(task);
  return {
    id: annotation.id,
    round: round.number,
    input: annotation.input,
    output: task.definition.output,
    // in alphabetical order: their own order reveals the correct one
    choices: annotation.choices ? [...annotation.choices.texts].sort() : null,
    instructions: validationInstructions,
    contentWarning: contentWarning ?? null,
    fields: validationFields,
    until: new Date(validation.createdAt.getTime() + ASSIGNED_MILLISECONDS).toISOString(),
    validation: validation.label ? validationView(judged) : null,
  };
}

/**
 * Presents the answer of a validator, with what the validator may see of the example since then.
 */
export function validationView({ task, annotation, validation }: Judged): ValidationView {
  const { output } = task.definition;
  const { authorLabel, explanations, answers } = annotation;
  const isAsked = fooledRuleOf(output, collectionOf(task)) === 'ask';
  return {
    id: validation.id,
    annotation: annotation.id,
    label: copy(validation.label),
    agrees: validation.label ? sameLabel(task.definition, validation.label, authorLabel) : null,
    author: {
      label: [...authorLabel],
      explanations,
      ...(isAsked && answers.length > 0 && { answers: answers.map(({ answer }) => answer) }),
    },
    verdict: validation.verdict ?? null,
    rightLabel: copy(validation.rightLabel),
    reason: validation.reason ?? null,
    modelWrong: validation.modelWrong ?? null,
    extra: validation.extra,
    outcome: annotation.outcome,
  };
}

export const decisionView = (annotation: Annotation): DecisionView => ({
  annotation: annotation.id,
  outcome: annotation.outcome,
  label: [...annotation.label],
  fooled: annotation.fooled ?? null,
  decidedByOwner: annotation.decidedByOwner,
  decidedAt: annotation.decidedAt?.toISOString() ?? null,
});

const copy = (label: readonly string[] | null | undefined): string[] | null => (label ? [...label] : null);
