import { createHash } from 'node:crypto';
import type { Collection, LiveAnswer } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import type { LivePredictions } from '@assay/serving';
import type { Model } from '@assay/submissions';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundModel } from '../rounds/round-model.js';

/**
 * Returns the models that are in the loop of a round now, in the order in which they entered it.
 */
export async function modelsInRound(em: EntityManager, round: Pick<Round, 'id'>): Promise<readonly Model[]> {
  const now = await em.find(
    RoundModel,
    { round: round.id, until: null },
    { orderBy: { since: 'asc', id: 'asc' }, populate: ['model.specification'] },
  );
  return now.map(({ model }) => model);
}

/** Returns the number of models that an example is sent to. */
export const facedBy = (facing: Collection['facing'], models: number): number =>
  facing === 'one' ? Math.min(1, models) : models;

/**
 * Returns the models in the order in which they are tried for `draw`. The same draw gives the same
 * order, even if other models enter or leave the loop (rendezvous hashing, Thaler & Ravishankar
 * 1998). Over random draws, all orders are equally likely.
 */
export function drawnOrder<M extends { readonly id: string }>(models: readonly M[], draw: string): readonly M[] {
  const weight = ({ id }: M): string => createHash('sha256').update(`${draw}\n${id}`).digest('hex');
  return models
    .map((model) => ({ model, weight: weight(model) }))
    .sort((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ model }) => model);
}

/** The models that an input is sent to, and how one of them is selected. */
export interface Asking {
  readonly task: Task;
  readonly facing: Collection['facing'];
  readonly models: readonly Model[];
  /** Seed that decides which model an input is sent to, with `facing: one`. */
  readonly draw: string;
}

/**
 * Returns the answers to an input. With `facing: one`: the answer of the drawn model, or of the
 * next one that can answer. Otherwise: the answers of all models, in their order.
 * @throws DomainError as `LivePredictions.predict`; `model_unavailable` if the loop is empty
 */
export async function askModels(
  live: LivePredictions,
  { task, facing, models, draw }: Asking,
  input: Readonly<Record<string, unknown>>,
): Promise<readonly LiveAnswer[]> {
  if (models.length === 0) throw noModel();
  if (facing !== 'one') return Promise.all(models.map((model) => live.answer(task, model, input)));
  let first: DomainError | undefined;
  for (const model of drawnOrder(models, draw)) {
    try {
      return [await live.answer(task, model, input)];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      first ??= error;
    }
  }
  throw first ?? noModel();
}

const noModel = (): DomainError =>
  new DomainError(
    'unavailable',
    'model_unavailable',
    'No model of this round is available now. Examples that you sent are stored. ' +
      'Send this one again in a moment, with the same key.',
  );
