import type { Loop } from '@assay/api-client/angular';
import type { Problem } from '../session/problem.js';

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
