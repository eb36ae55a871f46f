import type { QueueStates } from '@assay/contracts/operations';
import { type CountedRows, Repository } from '@assay/persistence/queries';
import { QUEUE_SECONDS } from './runs/run.repository.js';

/** Figures of the work in the database, for operators. All times are those of the database. */
export class WorkStatisticsRepository extends Repository {
  /** Returns the queued and leased runs, and those that failed in the last day, by stage. */
  stages(): Promise<QueueStates['runs']> {
    return this.em.execute<QueueStates['runs']>(
      `select stage,
              count(*) filter (where state = 'queued')::int as queued,
              count(*) filter (where state = 'leased')::int as leased,
              count(*) filter (where state = 'failed' and finished_at > now() - interval '1 day')::int as "failedInDay",
              count(*) filter (where state = 'failed' and finished_at > now() - interval '1 day' and failure ->> 'fault' = 'platform')::int
                as "platformFailedInDay",
              extract(epoch from now() - min(created_at) filter (where state = 'queued' and purpose <> 'measures'))::float8
                as "oldestQueuedSeconds"
         from unnest(array['admission', 'evaluation']) stage left join run using (stage)
        group by stage order by stage`,
    );
  }

  /** Counts the runs by stage, state and the code of the failure, which is empty without one. */
  runs(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>(
      `select stage, state, coalesce(failure ->> 'code', '') as code, count(*)::int as count from run group by 1, 2, 3`,
    );
  }

  /** Counts the evaluations by state and the code of the failure, which is empty without one. */
  evaluations(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>(
      `select state, coalesce(failure ->> 'code', '') as code, count(*)::int as count from evaluation group by 1, 2`,
    );
  }

  /** Returns the seconds for which the oldest run of each stage has waited; 0 if none waits. */
  oldestWaitingSeconds(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>(
      // a run gets the same time in the queue whenever it is enqueued, for the first time or again
      `select stage, greatest(0, ${QUEUE_SECONDS} - extract(epoch from min(deadline) filter (where state = 'queued') - now()))::float8 as count
         from unnest(array['admission', 'evaluation']) as stage left join run using (stage) group by 1`,
    );
  }
}
