import { type HumanFigures, taskMetrics } from '@assay/contracts';
import { type AnsweredExample, leaveOneOut } from '@assay/scoring';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * How well people do on what was collected in a round: one validator left out against the consensus of the others, by what they answered before
 * they saw the author's label. Over all submitted examples, rejected ones included; checks, retracted ones, flags and an owner's own decisions
 * are no part of it. Null where no example has three answers that make a consensus.
 * @param round its task is loaded
 * @param which of a dataset of fooling examples alone: over the submitted ones that fooled
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

/** Contexts are what examples hang together by. */
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
