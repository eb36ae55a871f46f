import type { BenchService } from './bench-service.js';

/** The times of a scored model, by the clock of the database, in seconds. */
export interface ModelTimes {
  readonly id: string;
  /** The request that created the model, in seconds since 1970. */
  readonly created: number;
  /** The commit of its last score, in seconds since 1970. */
  readonly scored: number;
  /** The end of its run, in seconds since 1970. */
  readonly ended: number;
  /** The start of the last stage of its run, in seconds since 1970. Null for a predictions file. */
  readonly started: number | null;
  /** Seconds of the run's admission. Null if its artifact was admitted before. */
  readonly admission: number | null;
  /** Seconds of the run's evaluation. Null for a predictions file. */
  readonly evaluation: number | null;
}

const FINAL_MILLISECONDS = 1_800_000;

/** Waits until all these models are scored and their runs have ended. Returns their times in the same order. */
export async function timesOf({ world }: BenchService, ids: readonly string[]): Promise<readonly ModelTimes[]> {
  await world.until(async () => {
    const [row] = await world.rows<{ live: number }>(
      `select count(*)::int as live from model where id = any($1) and state not in ('scored', 'failed', 'cancelled')`,
      [ids],
    );
    return row!.live === 0;
  }, FINAL_MILLISECONDS);
  const rows = await world.rows<ModelTimes & { readonly state: string; readonly failure: unknown }>(
    `select m.id, m.state, m.failure, ${seconds('m.created_at')} as created, ${seconds('run.finished_at')} as ended,
            ${seconds('run.finished_at')} - run.evaluation_seconds as started,
            run.admission_seconds as admission, run.evaluation_seconds as evaluation,
            (select max(${seconds('e.finished_at')}) from evaluation e where e.specification_id = m.specification_id) as scored
       from unnest($1::uuid[]) with ordinality as wanted (id, place)
       join model m on m.id = wanted.id
       join run on run.specification_id = m.specification_id and run.task_id = m.task_id and run.purpose = 'evaluation'
      order by place`,
    [ids],
  );
  const failed = rows.find(({ state }) => state !== 'scored');
  if (failed) throw new Error(`a model ${failed.state}: ${JSON.stringify(failed.failure)}\n${world.logs()}`);
  if (rows.length !== ids.length) throw new Error(`${ids.length} models have ${rows.length} runs`);
  return rows;
}

const seconds = (time: string): string => `extract(epoch from ${time})::float8`;
