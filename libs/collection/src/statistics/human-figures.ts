import { type HumanFigures, taskMetrics } from '@assay/contracts';
import { type AnsweredExample, leaveOneOut } from '@assay/scoring';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

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
  const scores = leaveOneOut(await answeredExamples(em, round, which), {
    output: definition.output.type,
    ...('labels' in definition.output && { labels: definition.output.labels }),
    metrics: taskMetrics(definition),
    seed: `people ${round.id}`,
  });
  if (!scores) return null;
  return Object.fromEntries(
    Object.entries(scores.metrics).map(([name, { value, low, high }]) => [name, { n: scores.n, value, low, high }]),
  );
}

/** Reads the answers to each example. Examples of the same context form a cluster. */
async function answeredExamples(
  em: EntityManager,
  round: Round,
  which: 'all' | 'fooling',
): Promise<readonly AnsweredExample[]> {
  return em.execute<AnsweredExample[]>(
    `select json_agg(v.label order by v.created_at, v.id) as answers, coalesce(a.context_id, a.id)::text as cluster
     from annotation a join validation v on v.annotation_id = a.id
     where a.round_id = ? and not a.is_check and a.retracted_at is null
       and jsonb_typeof(v.label) = 'array' and not v.by_owner and v.verdict is distinct from 'flagged'
       ${which === 'fooling' ? 'and a.fooled' : ''}
     group by a.id having count(*) > 2 order by a.id`,
    [round.id],
  );
}
