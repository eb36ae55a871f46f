import { fooledRuleOf, type AssignedContext, promptOf } from '@assay/collection/annotating';
import { collectionOf } from '@assay/collection/people';
import { writtenInputs } from '@assay/collection/rounds';
import type { NextContext } from '@assay/contracts/annotating';
import type { Task } from '@assay/tasks';

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
