import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { Model } from '@assay/submissions';
import type { ApiWorld } from '../worlds/api-world.js';

/**
 * Submits a predictions file that is scored on all datasets of the task but one.
 * @returns The ID of the model.
 */
export async function incompletePredictions(
  world: Pick<ApiWorld, 'orm' | 'call'>,
  { slug, token }: { readonly slug: string; readonly token: string },
): Promise<string> {
  const card = { name: 'incomplete', kind: 'predictions' };
  const { body } = await world.call('POST', `/tasks/${slug}/models`, { token, body: card });
  const id = body.id as string;
  const put = await world.call('PUT', `/models/${id}/artifact`, { token, body: `predictions ${id}` });
  if (put.status !== 202) throw new Error(`${put.status} ${JSON.stringify(put.body)}`);

  const em = world.orm.em.fork();
  const model = await em.findOneOrFail(Model, id);
  const specification = model.specification!.id;
  await em.nativeUpdate(Run, { specification }, { state: 'done' });
  const [missing] = await em.find(Evaluation, { specification }, { orderBy: { id: 'desc' }, limit: 1 });
  const finishedAt = new Date();
  await em.nativeUpdate(Evaluation, { specification }, { state: 'scored', metrics: {}, finishedAt });
  await em.nativeUpdate(Evaluation, missing!.id, { state: 'cancelled', metrics: null });
  await em.nativeUpdate(Model, id, { state: 'scored', firstScoredAt: finishedAt });
  return id;
}
