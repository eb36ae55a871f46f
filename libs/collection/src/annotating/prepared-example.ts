import type { WriteAnnotation } from '@assay/contracts/annotating';
import type { CheckFinding } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { distance } from 'fastest-levenshtein';
import { collectionOf } from '../people/eligibility.js';
import { Context } from '../rounds/context.js';
import type { EnrolledIn } from '../rounds/participation.js';
import { Annotation } from './annotation.js';
import { Assignment } from './assignment.js';
import { checkExample } from './checks/check-example.js';
import { fooledRuleOf } from './fooled-rule.js';
import { checkExtraFields } from '../extra-fields.js';
import { readWritten, type WrittenExample } from './written-example.js';
import { writtenText } from '../rounds/inputs.js';

/**
 * An example that passed every check on its content. Only checks on the round and the assignment
 * remain.
 */
export interface PreparedExample {
  readonly context: Context;
  readonly written: WrittenExample;
  readonly contrastTo: Annotation | null;
  readonly findings: readonly CheckFinding[];
  readonly editDistance: number | null;
}

/**
 * Returns a context of the round.
 * @throws DomainError `wrong_context`
 */
export async function contextOf(em: EntityManager, round: Round, id: string): Promise<Context> {
  const message = `This context does not belong to round ${round.number}. Request the next one, and write for that.`;
  const failHandler = (): DomainError => new DomainError('invalid', 'wrong_context', message);
  return em.findOneOrFail(Context, { id, round }, { failHandler });
}

/**
 * Reads and checks an example that somebody sends or tries out.
 * @throws DomainError `wrong_context`, `wrong_contrast`, `label_not_flipped`, `contrast_unchanged`,
 *   `unknown_field`, `invalid_field`, `fooled_not_asked`, and the errors of `readWritten`
 */
export async function prepareExample(
  em: EntityManager,
  { task, round, userId, arm }: { task: Task; round: Round; userId: string; arm: EnrolledIn },
  body: WriteAnnotation,
): Promise<PreparedExample> {
  const collection = collectionOf(task);
  const context = await contextOf(em, round, body.context);
  const written = readWritten(task.definition, collection, context, body);
  checkExtraFields(collection.fields, body.extra ?? {}, 'invalid_field');
  if (body.fooled !== undefined) requireAsked(task);
  const contrastTo = await readContrast(em, { task, context, userId, written }, body.contrastTo);
  const findings = await checkExample(em, { task, collection, context, written, contrastTo: contrastTo?.id ?? null });
  return {
    context,
    written,
    contrastTo,
    findings,
    editDistance: editDistance(task, context, written, arm, contrastTo),
  };
}

/**
 * @throws DomainError `fooled_not_asked` if the task's rule decides whether the models are wrong
 */
export function requireAsked(task: Task): void {
  const collection = collectionOf(task);
  const isAsked = fooledRuleOf(task.definition.output, collection) === 'ask' && collection.distractors === undefined;
  if (isAsked) return;
  throw new DomainError(
    'invalid',
    'fooled_not_asked',
    'In this task, the label determines whether the models are wrong. Omit "fooled".',
  );
}

async function readContrast(
  em: EntityManager,
  { task, context, userId, written }: { task: Task; context: Context; userId: string; written: WrittenExample },
  given: string | undefined,
): Promise<Annotation | null> {
  const open = await em.findOne(
    Assignment,
    { context, user: userId, state: 'open', contrastTo: { $ne: null } },
    { populate: ['contrastTo'] },
  );
  const id = given ?? open?.contrastTo?.id;
  if (id === undefined) return null;
  const original = await em.findOne(Annotation, { id, context, retractedAt: null });
  const isKnown = original?.annotator?.id === userId || (await wasShown(em, id, userId));
  if (!original || !isKnown) {
    throw new DomainError(
      'invalid',
      'wrong_contrast',
      'The original of this contrast is not an example of this context that you were shown.',
    );
  }
  if (original.label.some((label) => written.gold.includes(label))) {
    throw new DomainError(
      'invalid',
      'label_not_flipped',
      `The label is still "${original.label[0] ?? ''}". Change the example so that another label is correct.`,
    );
  }
  if (writtenText(task.definition, original.input) === written.text) {
    throw new DomainError(
      'invalid',
      'contrast_unchanged',
      'The text is unchanged. Edit the example so that its label changes.',
    );
  }
  return original;
}

const wasShown = async (em: EntityManager, id: string, userId: string): Promise<boolean> =>
  (await em.count(Assignment, { contrastTo: id, user: userId })) > 0;

/**
 * Returns the Levenshtein distance, in UTF-16 code units, between the written text and the text
 * that the author started from: the earlier example, or the prompt if one is shown. Null if there
 * is none.
 */
function editDistance(
  task: Task,
  context: Context,
  { text }: WrittenExample,
  arm: EnrolledIn,
  contrastTo: Annotation | null,
): number | null {
  const from = contrastTo ? writtenText(task.definition, contrastTo.input) : promptOf(task, context, arm);
  return from === null ? null : distance(from, text);
}

/** Returns the prompt that an annotator in this arm starts from; null if there is none. */
export function promptOf(task: Task, { content }: Pick<Context, 'content'>, arm: EnrolledIn): string | null {
  const { prompt } = content;
  const isShown = collectionOf(task).prompt !== 'none' && arm.prompt;
  return isShown && typeof prompt === 'string' ? prompt : null;
}
