import type { Loop } from '../../client/types.gen.js';
import type { Problem } from '../session/problem.js';

/** Why no model of the loop can answer now; empty: one can, or nobody knows of any. */
export function modelsNotReady({ models }: Loop): string {
  const serving = models.flatMap((model) => model.serving ?? []);
  if (serving.length === 0 || serving.some(({ state, paused }) => state === 'ready' && !paused)) return '';
  if (serving.some(({ state, paused }) => state === 'ready' && paused)) {
    return $localize`The models pause while costs are measured on their host. Your example is stored and will be answered afterwards.`;
  }
  const why = serving[0]?.progress?.message ?? serving[0]?.failure?.message ?? '';
  return $localize`No model is ready yet. ${why}:why: You can write meanwhile.`;
}

/** Why an example that is saved has no answer yet. @param problem of the last attempt; null: none was made yet */
export function waitInWords(problem: Problem | null): string {
  const saved = $localize`Your example will be answered automatically.`;
  return problem ? `${problem.detail} ${saved}` : saved;
}
