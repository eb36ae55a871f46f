import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../../annotating/annotation.js';
import { AnnotationRepository } from '../../annotating/annotation.repository.js';
import { outputValue } from '../../release/exported-annotation.js';
import { writtenInputs } from '../inputs.js';
import type { Split, SplittableExample } from './split-examples.js';

/** The number of examples that are read from the database together. */
const BATCH = 500;

/**
 * An example that becomes data: validated, not retracted, its text not removed, and not a gold
 * check.
 */
export interface ValidatedExample extends SplittableExample {
  readonly fooled: boolean | null;
}

/** Returns all validated examples of a round, in the order in which they were written. */
export async function validatedExamples(em: EntityManager, round: Round): Promise<ValidatedExample[]> {
  const rows = await new AnnotationRepository(em).validated(round.id, writtenInputs(round.task.definition));
  return rows.map(({ id, fooled, ...shared }) => ({
    id,
    fooled,
    marks: Object.entries(shared).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])),
  }));
}

/** Yields the examples as lines of a dataset, in the order of `ids`, which must be sorted. */
export async function* exampleLines(
  em: EntityManager,
  round: Round,
  ids: readonly string[],
  splitOf: (id: string) => Split | null,
): AsyncGenerator<string> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = await em.find(
      Annotation,
      { id: { $in: ids.slice(start, start + BATCH) } },
      { populate: ['context', 'target'], orderBy: { id: 'asc' }, disableIdentityMap: true },
    );
    for (const annotation of batch) {
      yield `${JSON.stringify(frozenExample(round.task.definition, annotation, splitOf(annotation.id)))}\n`;
    }
  }
}

/**
 * Returns an annotation as a line of a dataset. Its metadata become fields, so that they can be
 * slices.
 */
function frozenExample(task: TaskDefinition, annotation: Annotation, split: Split | null): object {
  const { context, target } = annotation;
  return {
    fooled: annotation.fooled ?? null,
    condition: annotation.condition ?? null,
    target: target?.name ?? null,
    target_id: target?.id ?? null,
    annotator: annotation.pseudonym,
    context_id: context?.externalId ?? null,
    tags: context ? [...context.tags] : [],
    attested: annotation.source === 'attested',
    ...(split && { split }),
    // on a name clash, the task's own fields win
    ...annotation.input,
    [task.output.name]: outputValue(task.output, annotation.label),
    id: annotation.id,
  };
}
