import type { Run } from '@assay/api-client/angular';
import type { Numbers } from '../ui/index.js';

/** Milliseconds after an expected time from which it counts as passed. */
const LATE = 30_000;

type Formats = Pick<Numbers, 'count' | 'duration'>;

/**
 * Describes the place of a run in the queue, and when it is expected to start and to end. Empty if
 * nothing is known.
 * @param now in milliseconds since 1970
 */
export function runEstimate(run: Run, now: number, numbers: Formats): string {
  if (run.state === 'running') return endWords(run, now, numbers);
  if (run.ahead === undefined) return '';
  const place = placeWords(run.ahead, run.queued, numbers);
  // a predictions file waits for no evaluator
  return run.queued === undefined ? place : `${place} ${startWords(run, now, numbers)}`;
}

/** Describes what runs now. Empty if nothing does. */
export function runningNow({ running = [] }: Run, now: number, numbers: Formats): string {
  if (running.length === 0) return '';
  const named = running.flatMap(({ model, expectedEnd }) => {
    if (!model) return [];
    const left = expectedEnd === undefined ? 0 : Date.parse(expectedEnd) - now;
    return left > 0
      ? $localize`${model.name}:model: by ${model.owner}:owner: (about ${numbers.duration(left)}:time: left)`
      : $localize`${model.name}:model: by ${model.owner}:owner:`;
  });
  const others = running.length - named.length;
  const hidden =
    others === 1 ? $localize`a model of someone else` : $localize`${numbers.count(others)}:count: models of others`;
  return $localize`Running now: ${[...named, ...(others > 0 ? [hidden] : [])].join(', ')}:models:.`;
}

function placeWords(ahead: number, queued: number | undefined, numbers: Formats): string {
  if (ahead === 0) return $localize`Next in the queue.`;
  const position = numbers.count(ahead + 1);
  return queued === undefined
    ? $localize`Position ${position}:position: in the queue.`
    : $localize`Position ${position}:position: of ${numbers.count(queued)}:count: in the queue.`;
}

function startWords({ expectedStart, expectedEnd, noEstimate }: Run, now: number, numbers: Formats): string {
  if (expectedStart === undefined) return REASONS[noEstimate ?? 'no_history'];
  const left = Date.parse(expectedStart) - now;
  if (left < -LATE) {
    return $localize`The expected start has passed: the runs before it take longer than expected, or no evaluator takes it.`;
  }
  const start =
    left <= 0
      ? $localize`Expected to start at any moment.`
      : $localize`Expected to start in about ${numbers.duration(left)}:time:.`;
  if (expectedEnd === undefined) return start;
  return `${start} ${$localize`Expected to end in about ${numbers.duration(Date.parse(expectedEnd) - now)}:time:.`}`;
}

function endWords({ expectedEnd }: Run, now: number, numbers: Formats): string {
  if (expectedEnd === undefined) return '';
  const left = Date.parse(expectedEnd) - now;
  return left <= 0
    ? $localize`It takes longer than expected.`
    : $localize`Expected to end in about ${numbers.duration(left)}:time:.`;
}

const REASONS: Readonly<Record<NonNullable<Run['noEstimate']>, string>> = {
  no_evaluator: $localize`No evaluator is online.`,
  no_fitting_evaluator: $localize`No evaluator that is online can run it.`,
  no_history: $localize`The start is not known, because no such run has ended yet.`,
};
