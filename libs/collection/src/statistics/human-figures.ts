import { type HumanFigures } from '@assay/contracts/annotating';
import { taskMetrics } from '@assay/contracts/tasks';
import { leaveOneOut } from '@assay/scoring';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ValidationRepository } from '../validating/validation.repository.js';

/**
 * Estimates human performance on the examples of a round: each validator in turn is scored against
 * the consensus of the others, by the labels that they gave blind. Covers all submitted examples,
 * including rejected ones. Excludes gold checks, retracted examples, flags and owners' decisions.
 * @param round with its task loaded
 * @param which `fooling`: only the examples that fooled the target models, for a dataset of those
 * @returns null if no example has three answers that give a consensus
 */
export async function humanFigures(
  em: EntityManager,
  round: Round,
  which: 'all' | 'fooling' = 'all',
): Promise<HumanFigures | null> {
  const { definition } = round.task;
  const { language, normalise } = definition;
  const scores = leaveOneOut(await new ValidationRepository(em).answered(round.id, which), {
    output: definition.output.type,
    ...('labels' in definition.output && { labels: definition.output.labels }),
    language,
    normalise,
    metrics: taskMetrics(definition),
    seed: `people ${round.id}`,
  });
  if (!scores) return null;
  return Object.fromEntries(
    Object.entries(scores.metrics).map(([name, { value, low, high }]) => [name, { n: scores.n, value, low, high }]),
  );
}
