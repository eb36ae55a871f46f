import type { RunView } from '@assay/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RunScope } from './model-states.js';

interface LiveRun {
  readonly stage: RunView['stage'];
  readonly state: 'queued' | 'leased';
  readonly attempts: number;
  readonly since: Date;
  readonly ahead: number;
}

/** Where the run that evaluates a specification for a task is; null: none waits or runs. */
export async function runProgress(em: EntityManager, { specification, task }: RunScope): Promise<RunView | null> {
  const [run] = await em.execute<LiveRun[]>(
    `select run.stage, run.state, run.attempts,
        case when run.state = 'leased' then coalesce(run.started_at, run.created_at) else run.created_at end as since,
        (select count(*)::int from run as other where other.state = 'queued' and other.stage = run.stage
          and other.purpose = 'evaluation' and (other.created_at, other.id) < (run.created_at, run.id)) as ahead
      from run where run.specification_id = ? and run.task_id = ? and run.purpose = 'evaluation' and run.state in ('queued', 'leased')`,
    [specification, task],
  );
  if (!run) return null;
  const { stage, state, attempts, since, ahead } = run;
  return {
    stage,
    state: state === 'queued' ? 'waiting' : 'running',
    since: new Date(since).toISOString(),
    attempt: attempts + 1,
    ...(state === 'queued' && { ahead }),
  };
}
