import type { ErasedUser } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { removeTexts } from './removed-texts.js';

/** The numbers of a person's examples and validations that stay without a link to them. */
export interface UnlinkedWork {
  readonly annotations: number;
  readonly validations: number;
  /** The number of those examples that are part of a dataset. */
  readonly frozen: number;
}

/** Unlinks the examples and validations of a user, in the transaction of `em`. */
export async function unlinkWork(em: EntityManager, { id, text, at }: ErasedUser): Promise<UnlinkedWork> {
  const frozen = await frozenExamples(em, id);
  if (text === 'remove') await removeTexts(em, id, at);
  // unanswered assignments become available to other validators
  await em.execute('delete from validation where validator_id = ? and label is null and verdict is null', [id]);
  const annotations = await unlinked(em, 'annotation', 'annotator_id', id);
  const validations = await unlinked(em, 'validation', 'validator_id', id);
  return { annotations, validations, frozen };
}

async function frozenExamples(em: EntityManager, annotator: string): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(
    'select count(*)::int as count from annotation where annotator_id = ? and split is not null',
    [annotator],
  );
  return row?.count ?? 0;
}

async function unlinked(
  em: EntityManager,
  table: 'annotation' | 'validation',
  column: string,
  userId: string,
): Promise<number> {
  const rows = await em.execute<unknown[]>(`update ${table} set ${column} = null where ${column} = ? returning id`, [
    userId,
  ]);
  return rows.length;
}
