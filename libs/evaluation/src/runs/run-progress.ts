import type { RunView } from '@assay/contracts/models';
import type { Principal } from '@assay/identity';
import { maySee } from '@assay/submissions';
import type { QueuePlaces, RunningRun } from './queue-place.repository.js';
import { runForecast } from './run-forecast.js';
import type { Run } from './run.js';

/** The most runs that are shown as running. */
const MOST_SHOWN = 20;

/** The row that `liveRunJson` selects, as parsed JSON. */
export interface RunProgress extends Pick<Run, 'id' | 'kind'> {
  readonly stage: RunView['stage'];
  readonly state: 'queued' | 'leased';
  readonly attempts: number;
  readonly since: string;
  /** The number of predictions files before it in their queue; null for another run. */
  readonly ahead: number | null;
}

/**
 * Returns SQL for the progress of the run that evaluates a specification for a task, as JSON. It
 * yields null if no run is queued or leased.
 * @param specification SQL for the ID of the specification
 * @param task SQL for the ID of the task
 */
export const liveRunJson = (specification: string, task: string): string => `(
  select json_build_object('id', run.id, 'kind', run.kind, 'stage', run.stage, 'state', run.state, 'attempts', run.attempts,
      'since', case when run.state = 'leased' then coalesce(run.leased_at, run.created_at) else run.created_at end,
      'ahead', case when run.kind = 'predictions' then
        (select count(*) from run as other where other.state = 'queued' and other.kind = 'predictions'
            and (other.created_at, other.id) < (run.created_at, run.id)) end)
    from run where run.specification_id = ${specification} and run.task_id = ${task}
      and run.purpose = 'evaluation' and run.state in ('queued', 'leased'))`;

/**
 * Presents a run as `principal` may see it.
 * @param places null for a run of a predictions file, which waits for no evaluator
 */
export function runView(principal: Principal | null, run: RunProgress, places: QueuePlaces | null): RunView {
  const { stage, state, attempts, since, ahead } = run;
  return {
    stage,
    state: state === 'queued' ? 'waiting' : 'running',
    since: new Date(since).toISOString(),
    attempt: attempts + 1,
    ...(state === 'queued' && ahead !== null && { ahead }),
    ...(places && queueFields(principal, state, places)),
  };
}

type QueueFields = Pick<RunView, 'ahead' | 'queued' | 'expectedStart' | 'expectedEnd' | 'noEstimate' | 'running'>;

function queueFields(principal: Principal | null, state: RunProgress['state'], places: QueuePlaces): QueueFields {
  const { stage } = places;
  const { start, end, unknown } = runForecast(places);
  return {
    ...(state === 'queued' && {
      ahead: stage.before.length,
      queued: stage.waiting,
      running: stage.running.slice(0, MOST_SHOWN).map((each) => runningView(principal, each)),
    }),
    ...(start !== null && { expectedStart: isoTime(start) }),
    ...(end !== null && { expectedEnd: isoTime(end) }),
    ...(unknown && { noEstimate: unknown }),
  };
}

function runningView(
  principal: Principal | null,
  { since, expectedSeconds, models }: RunningRun,
): NonNullable<RunView['running']>[number] {
  const model = models.find((each) => maySee(principal, each));
  return {
    ...(model && { model: { id: model.id, name: model.name, owner: model.owner.username } }),
    since: isoTime(since),
    ...(expectedSeconds !== null && { expectedEnd: isoTime(since + expectedSeconds * 1000) }),
  };
}

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
