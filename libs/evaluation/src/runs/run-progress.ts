import type { RunView } from '@assay/contracts/models';

/** The row that `liveRunJson` selects, as parsed JSON. */
export interface RunProgress {
  readonly stage: RunView['stage'];
  readonly state: 'queued' | 'leased';
  readonly attempts: number;
  readonly since: string;
  readonly ahead: number;
}

/**
 * Returns SQL for the progress of the run that evaluates a specification for a task, as JSON. It
 * yields null if no run is queued or leased.
 * @param specification SQL for the ID of the specification
 * @param task SQL for the ID of the task
 */
export const liveRunJson = (specification: string, task: string): string => `(
  select json_build_object('stage', run.stage, 'state', run.state, 'attempts', run.attempts,
      'since', case when run.state = 'leased' then coalesce(run.started_at, run.created_at) else run.created_at end,
      'ahead', (select count(*) from run as other where other.state = 'queued' and other.purpose = 'evaluation'
        and (other.kind = 'predictions') = (run.kind = 'predictions')
        and (run.kind = 'predictions' or other.stage = run.stage)
        and (other.created_at, other.id) < (run.created_at, run.id)))
    from run where run.specification_id = ${specification} and run.task_id = ${task}
      and run.purpose = 'evaluation' and run.state in ('queued', 'leased'))`;

export const runView = ({ stage, state, attempts, since, ahead }: RunProgress): RunView => ({
  stage,
  state: state === 'queued' ? 'waiting' : 'running',
  since: new Date(since).toISOString(),
  attempt: attempts + 1,
  ...(state === 'queued' && { ahead }),
});
