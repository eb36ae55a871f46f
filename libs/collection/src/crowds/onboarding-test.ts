import type { GivenLabel } from '@assay/contracts/annotating';
import type { Onboarding } from '@assay/contracts/rounds';
import { DomainError } from '@assay/kernel';
import { type Task } from '@assay/tasks';
import { readExample } from '@assay/tasks/examples';

/**
 * Returns whether the answers pass the onboarding test.
 * @throws DomainError `wrong_number_of_answers`
 */
export function passes(task: Task, { questions, pass }: Onboarding, answers: readonly GivenLabel[]): boolean {
  if (answers.length !== questions.length) {
    throw new DomainError(
      'invalid',
      'wrong_number_of_answers',
      `The test has ${questions.length} questions. Answer each of them.`,
    );
  }
  const right = questions.filter(({ input, label }, index) => {
    const expected = goldOf(task, input, label);
    return goldOf(task, input, answers[index]!).some((answer) => expected.includes(answer));
  }).length;
  return right / questions.length >= pass;
}

/**
 * Returns the acceptable answers, trimmed and in lower case. Empty if the label is not valid for
 * the task.
 */
function goldOf({ definition }: Task, input: Readonly<Record<string, unknown>>, label: GivenLabel): string[] {
  const read = readExample(definition, { ...input, [definition.output.name]: label }, 0);
  return read.ok ? read.example.gold.map((each) => each.trim().toLowerCase()) : [];
}
