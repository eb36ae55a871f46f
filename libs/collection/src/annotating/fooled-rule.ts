import { type Collection, type FooledRule, type LiveAnswer } from '@assay/contracts/collection';
import { fooledByDefault, type TaskDefinition, type TaskOutput } from '@assay/contracts/tasks';
import { contextOf, exactMatch, squadF1 } from '@assay/scoring/metrics';
import { type TextRules } from '@assay/scoring/language';

/** The parts of a task definition that decide whether two answers are the same. */
export type ComparedTask = Pick<TaskDefinition, 'output'> & TextRules;

/** Returns the fooled rule of a task: its own, or the default for its output. */
export const fooledRuleOf = (output: TaskOutput, { fooled }: Pick<Collection, 'fooled'>): FooledRule =>
  fooled ?? fooledByDefault(output);

/**
 * Returns whether the target models were fooled under the task's rule. With several models,
 * `facing` says whether any, all or a majority of them must be fooled.
 * @param gold every acceptable answer, in the form of `Example.gold`
 * @returns null if only a person can decide: no model answered, the rule is `ask`, or the rule
 *   needs probabilities and a model gave none
 */
export function isFooled(
  rule: FooledRule,
  task: ComparedTask,
  gold: readonly string[],
  answers: readonly LiveAnswer[],
  facing: Collection['facing'],
): boolean | null {
  const each = answers.map((answer) => fools(rule, task, gold, answer));
  if (each.length === 0 || each.includes(null)) return null;
  const fooled = each.filter((one) => one === true).length;
  switch (facing) {
    case 'one':
    case 'any':
      return fooled > 0;
    case 'all':
      return fooled === each.length;
    case 'majority':
      return 2 * fooled > each.length;
  }
}

function fools(
  rule: FooledRule,
  task: ComparedTask,
  gold: readonly string[],
  { answer, probabilities }: LiveAnswer,
): boolean | null {
  if (rule === 'ask') return null;
  if (rule === 'label-differs') return !isAcceptable(task, gold, answer);
  if ('f1-below' in rule) return squadF1.perExample(gold, answer, null, contextOf(task)) < rule['f1-below'];
  return probabilities === undefined ? null : Math.max(...probabilities) < rule['uncertain-below'];
}

/**
 * Returns whether an answer is one of the acceptable ones. Texts and spans are compared as SQuAD
 * exact match compares them in the language of the task.
 */
export function isAcceptable(task: ComparedTask, gold: readonly string[], answer: string): boolean {
  switch (task.output.type) {
    case 'label':
    case 'labels':
      return gold.includes(answer);
    case 'number':
      return gold.some((number) => Number(number) === Number(answer));
    case 'span':
    case 'text':
      return exactMatch.perExample(gold, answer, null, contextOf(task)) === 1;
  }
}
