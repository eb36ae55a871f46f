import { Repository } from '@assay/persistence/queries';

/** The pay of the finished crowd sessions of some rounds in one currency, with the examples that they wrote. */
export interface PaidExamples {
  readonly currency: string;
  readonly paid: number;
  readonly sessions: number;
  readonly examples: number;
  readonly pending: number;
  readonly validated: number;
  readonly validatedFooling: number;
}

/** Counts of examples that rank, for the closed rounds of a task. */
export interface RankingYield {
  /** The number of examples that people wrote in these rounds. */
  readonly written: number;
  /** The number of examples in the datasets that rank. */
  readonly ranking: number;
}

/** SQL for the examples of a session, as in `AnnotationRepository.writtenIn`. */
const WRITTEN_IN = `a.round_id = l.round_id and a.annotator_id = s.user_id and a.source = 'written' and not a.is_check
  and a.retracted_at is null and a.created_at >= s.created_at and a.created_at < s.ended_at`;

/** Reads what rounds have paid and what they yielded. */
export class PaidExamplesRepository extends Repository {
  /** Returns the pay of one round by currency, in alphabetical order. */
  ofRound(round: string): Promise<PaidExamples[]> {
    return this.where('l.round_id = ?', round);
  }

  /** Returns the pay of all rounds of a task by currency, in alphabetical order. */
  ofTask(task: string): Promise<PaidExamples[]> {
    return this.where('l.round_id in (select id from round where task_id = ?)', task);
  }

  /** Counts the examples of the closed rounds of a task whose test part became a dataset. */
  rankingYield(task: string): Promise<RankingYield> {
    return this.row<RankingYield>(
      `select coalesce(sum(n.written), 0)::int as written, coalesce(sum(t.examples), 0)::int as ranking
         from round r join round_release t on t.round_id = r.id and t.part = 'test' and t.dataset is not null
         join (select round_id, sum(answered) as written from annotator_count group by round_id) n on n.round_id = r.id
         where r.task_id = ? and r.state = 'closed'`,
      [task],
    );
  }

  private where(condition: string, value: string): Promise<PaidExamples[]> {
    return this.em.execute<PaidExamples[]>(
      `select l.pay ->> 'currency' as currency, round(sum(s.paid)::numeric, 2)::float8 as paid, count(*)::int as sessions,
         sum(w.examples)::int as examples, sum(w.pending)::int as pending, sum(w.validated)::int as validated,
         sum(w.fooling)::int as "validatedFooling"
       from crowd_session s join crowd_link l on l.id = s.link_id
       cross join lateral (
         select count(*) as examples, count(*) filter (where outcome = 'pending') as pending,
           count(*) filter (where outcome = 'validated') as validated,
           count(*) filter (where outcome = 'validated' and fooled) as fooling
         from annotation a where ${WRITTEN_IN}
       ) w
       where ${condition} and s.state = 'finished' group by 1 order by 1`,
      [value],
    );
  }
}
