import {
  type Annotation,
  missingOf,
  type ModelNames,
  type PreparedExample,
  type Trial,
} from '@assay/collection/annotating';
import { collectionOf } from '@assay/collection/people';
import type { AnnotationView, TrialView } from '@assay/contracts/annotating';
import type { LiveAnswer } from '@assay/contracts/collection';
import type { TaskDefinition } from '@assay/contracts/tasks';

type Answers = AnnotationView['answers'];

/**
 * Presents an annotation to its author or the owner of the task. Requires `round.task` and
 * `context` to be loaded.
 */
export function annotationView(annotation: Annotation, names: ModelNames): AnnotationView {
  const { task } = annotation.round;
  return {
    id: annotation.id,
    key: annotation.key,
    task: task.slug,
    round: annotation.round.number,
    context: annotation.context?.id ?? null,
    condition: annotation.condition ?? null,
    input: annotation.input,
    label: [...annotation.authorLabel],
    goal: annotation.goal ?? null,
    fooled: annotation.answeredAt ? (annotation.fooled ?? null) : null,
    answers: answersView(task.definition, annotation.answers, names),
    choices: choicesView(annotation.choices ?? null),
    findings: [...annotation.findings],
    explanations: annotation.explanations,
    extra: annotation.extra,
    missing: missingOf(collectionOf(task), annotation),
    contrastTo: annotation.contrastTo?.id ?? null,
    editDistance: annotation.editDistance ?? null,
    seconds: annotation.seconds ?? null,
    outcome: annotation.outcome,
    retractedAt: annotation.retractedAt?.toISOString() ?? null,
    createdAt: annotation.createdAt.toISOString(),
    answeredAt: annotation.answeredAt?.toISOString() ?? null,
  };
}

/** Presents the result of a trial. */
export function trialView(task: TaskDefinition, trial: Trial): TrialView {
  const example: PreparedExample = trial.example;
  return {
    trial: true,
    round: trial.round.number,
    context: example.context.id,
    condition: trial.condition,
    input: example.written.input,
    label: [...example.written.gold],
    goal: trial.goal,
    fooled: trial.fooled,
    answers: answersView(task, trial.answers, new Map()),
    choices: choicesView(trial.choices),
    findings: [...example.findings],
  };
}

function answersView({ output }: TaskDefinition, answers: readonly LiveAnswer[], names: ModelNames): Answers {
  const labels = output.type === 'label' ? output.labels : [];
  return answers.map(({ model, answer, probabilities, milliseconds, at }, index) => {
    const name = names.get(model);
    return {
      place: index + 1,
      ...(name !== undefined && { model: { id: model, name } }),
      answer,
      ...(probabilities && {
        probabilities: Object.fromEntries(labels.map((label, place) => [label, probabilities[place] ?? 0])),
      }),
      milliseconds,
      at,
    };
  });
}

const choicesView = (choices: Trial['choices']): AnnotationView['choices'] =>
  choices && { texts: [...choices.texts], right: choices.right, chosen: [...choices.chosen] };
