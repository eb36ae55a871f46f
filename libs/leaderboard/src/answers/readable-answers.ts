import { type Evaluation, EvaluationRepository, mayReadOutput } from '@assay/evaluation/evaluations';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { mayReadExamples, type Task } from '@assay/tasks';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { namedExamples } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The individual answers of models to the examples of one dataset version. */
interface SingleAnswers {
  readonly task: Task;
  readonly version: DatasetVersion;
  readonly evaluations: readonly Evaluation[];
}

/**
 * Returns why `principal` may not read individual answers: the examples are hidden, or the sandbox
 * that gave the answers had also seen other, hidden data. Null if they may.
 */
export async function whyUnreadable(
  em: EntityManager,
  principal: Principal | null,
  { task, version, evaluations }: SingleAnswers,
): Promise<DomainError | null> {
  const { dataset } = namedExamples(version.dataset);
  if (!mayReadExamples(principal, task, version.dataset)) {
    const text = `The examples of "${dataset}" are hidden. Only the owner of the task may read them.`;
    return new DomainError('forbidden', 'examples_hidden', text);
  }
  const readable = await new EvaluationRepository(em).readable(evaluations);
  if (evaluations.every(({ id }) => mayReadOutput(principal, task, readable.has(id)))) return null;
  const text = `The answers to "${dataset}" are withdrawn, because the sandbox that produced them had also seen hidden data. To make them readable, the owner of the model can run it again (POST /models/{id}/rerun).`;
  return new DomainError('forbidden', 'answers_withdrawn', text);
}

/**
 * Checks that `principal` may read the answers.
 * @throws DomainError `examples_hidden`, `answers_withdrawn`
 */
export async function expectReadable(
  em: EntityManager,
  principal: Principal | null,
  answers: SingleAnswers,
): Promise<void> {
  const why = await whyUnreadable(em, principal, answers);
  if (why) throw why;
}
