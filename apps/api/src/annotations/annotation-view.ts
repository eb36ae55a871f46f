import {
  type Annotation,
  type AssignedContext,
  fooledRuleOf,
  missingOf,
  type ModelNames,
  type PreparedExample,
  promptOf,
  type Trial,
} from '@assay/collection/annotating';
import { collectionOf } from '@assay/collection/people';
import { writtenInputs } from '@assay/collection/rounds';
import type { AnnotationView, NextContext, TrialView } from '@assay/contracts/annotating';
import type { LiveAnswer } from '@assay/contracts/collection';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Task } from '@assay/tasks';

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

/** Presents an assigned context with the task's rules for writing. */
export function nextView(task: Task, handed: AssignedContext): NextContext {
  const { assignment, arm, round, contrast } = handed;
  const { context } = assignment;
  const prompt = contrast ? null : promptOf(task, context, arm);
  const content = Object.fromEntries(Object.entries(context.content).filter(([name]) => name !== 'prompt'));
  return {
    round: round.number,
    context: { id: context.id, content, tags: [...context.tags], ...(prompt !== null && { prompt }) },
    condition: arm.condition,
    goal: assignment.goal ?? null,
    models: handed.models,
    ...(contrast && { contrast: { id: contrast.id, input: contrast.input, label: [...contrast.label] } }),
    rules: rulesView(task),
    left: handed.left,
    reservedUntil: assignment.expiresAt.toISOString(),
  };
}

function rulesView(task: Task): NextContext['rules'] {
  const collection = collectionOf(task);
  const { output } = task.definition;
  return {
    written: [...writtenInputs(task.definition)],
    ...('labels' in output && { labels: output.labels }),
    ...(output.type === 'span' && { span: output.of }),
    fooled: fooledRuleOf(output, collection),
    facing: collection.facing,
    prompt: collection.prompt,
    length: collection.length,
    explanations: collection.explanations,
    fields: collection.fields,
    instructions: collection.instructions,
  };
}
