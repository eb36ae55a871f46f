import type { Annotation, Collection, FooledRule, Loop, TaskOutput } from '@assay/api-client/angular';
import type { Problem } from '../session/problem.js';

type Asked = Pick<Annotation, 'answers' | 'fooled' | 'label' | 'choices'>;

/** The parts of a task on which the result of an example, and the questions after it, depend. */
export interface AnnotatedTask {
  readonly output: TaskOutput;
  readonly collection?: Partial<
    Pick<Collection, 'contentWarning' | 'distractors' | 'explanations' | 'fields' | 'fooled'>
  >;
}

/** Formats an answer. For outputs of type `labels` the answer is a JSON list. */
export function answerInWords(answer: string, output: Pick<TaskOutput, 'type'>): string {
  if (output.type !== 'labels') return answer;
  try {
    const labels: unknown = JSON.parse(answer);
    if (Array.isArray(labels)) return labels.length > 0 ? labels.join(', ') : $localize`no label`;
  } catch {
    // not JSON: show the answer unchanged
  }
  return answer;
}

/** Formats the label of an example: every acceptable answer. */
export const labelInWords = (label: readonly string[], output: Pick<TaskOutput, 'type'>): string =>
  label.map((answer) => answerInWords(answer, output)).join(', ');

/** The result of an example in one line. Not celebrated if the task has a content warning. */
export function verdictInWords({ answers, fooled }: Asked, { collection }: AnnotatedTask): string {
  if (answers.length === 0) return $localize`Your example is sent`;
  if (fooled === null) return $localize`The model has answered`;
  const isOne = answers.length === 1;
  if (!fooled) return isOne ? $localize`The model was not fooled` : $localize`The models were not fooled`;
  if (collection?.contentWarning !== undefined) {
    return isOne ? $localize`The model was wrong` : $localize`The models were wrong`;
  }
  return isOne ? $localize`You fooled the model` : $localize`You fooled the models`;
}

/** Explains the result by the task's rule. */
export function ruleInWords({ answers, fooled, label, choices }: Asked, { collection, output }: AnnotatedTask): string {
  if (answers.length === 0) return $localize`You see no model here. Others say whether your example is right.`;
  if (choices) {
    return fooled
      ? $localize`Among the choices its answer is nearest to a wrong one.`
      : $localize`Among the choices its answer is nearest to the right one.`;
  }
  const rule = fooledRuleOf({ collection, output });
  if (rule === 'ask') {
    return fooled === null
      ? $localize`Say whether its answer is wrong. Validators look at it too.`
      : $localize`So you said. Validators look at it too.`;
  }
  const yours = labelInWords(label, output);
  if (rule === 'label-differs') {
    return fooled
      ? $localize`You say it is ${yours}:label:. Validators decide whether you are right.`
      : $localize`It says ${yours}:label:, as you do. The example still counts as data.`;
  }
  if ('f1-below' in rule) {
    return fooled
      ? $localize`Its answer shares too few words with yours. Validators decide whether you are right.`
      : $localize`Its answer shares enough words with yours.`;
  }
  return fooled
    ? $localize`It was less sure than this task asks for.`
    : $localize`It was as sure as this task asks for.`;
}

/** The rule by which a model counts as fooled: the task's, otherwise the default of its output. */
export function fooledRuleOf({ collection, output }: AnnotatedTask): FooledRule {
  if (collection?.fooled !== undefined) return collection.fooled;
  if (output.type === 'span') return { 'f1-below': 0.4 };
  return output.type === 'text' ? 'ask' : 'label-differs';
}

/**
 * The whole result as a screen reader announces it.
 * @param percent formats a probability
 */
export function answersSpoken(annotation: Asked, task: AnnotatedTask, percent: (ratio: number) => string): string {
  const said = annotation.answers.map(({ answer, probabilities }) => {
    const words = answerInWords(answer, task.output);
    const probability = probabilities?.[answer];
    return probability === undefined
      ? $localize`It answered: ${words}:answer:.`
      : $localize`It answered: ${words}:answer:, ${percent(probability)}:percent: percent sure.`;
  });
  return [`${verdictInWords(annotation, task)}.`, ...said, ruleInWords(annotation, task)].join(' ');
}

/** Explains why no target model can answer now. Empty if one can, or if none has a deployment. */
export function modelsNotReady({ models }: Loop): string {
  const serving = models.flatMap((model) => model.serving ?? []);
  if (serving.length === 0 || serving.some(({ state, paused }) => state === 'ready' && !paused)) return '';
  if (serving.some(({ state, paused }) => state === 'ready' && paused)) {
    return $localize`The models pause while costs are measured on their host. Your example is stored and will be answered afterwards.`;
  }
  const why = serving[0]?.progress?.message ?? serving[0]?.failure?.message ?? '';
  return $localize`No model is ready yet. ${why}:why: You can write meanwhile.`;
}

/**
 * Explains why a saved example has no answer yet.
 * @param problem of the last attempt; null if there was none yet
 */
export function waitInWords(problem: Problem | null): string {
  const saved = $localize`Your example will be answered automatically.`;
  return problem ? `${problem.detail} ${saved}` : saved;
}
