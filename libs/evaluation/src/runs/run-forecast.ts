import type { RunView } from '@assay/contracts/models';
import type { QueuePlace, QueuePlaces } from './queue-place.repository.js';

type NoEstimate = NonNullable<RunView['noEstimate']>;

/** When a run is expected to start and to end, in milliseconds since 1970. Both may have passed. */
export interface RunForecast {
  /** Null: it is not known, or the run has started. */
  readonly start: number | null;
  /** Null: it is not known. */
  readonly end: number | null;
  /** Why the end is not known. */
  readonly unknown?: NoEstimate;
}

/** Estimates when a run starts and ends, if the runs before it take as long as expected and none is added. */
export function runForecast({ stage, later }: QueuePlaces): RunForecast {
  const start = stage.leasedAt === null ? startAt(stage, stage.queuedAt) : null;
  const stageEnd = endAt(stage, stage.leasedAt ?? start);
  const end = later ? laterEnd(later, stageEnd) : stageEnd;
  return { start, end, ...(end === null && { unknown: whyUnknown(later ? [stage, later] : [stage]) }) };
}

function laterEnd(later: QueuePlace, stageEnd: number | null): number | null {
  if (stageEnd === null) return null;
  const start = startAt(later, later.now);
  return endAt(later, start === null ? null : Math.max(start, stageEnd));
}

/**
 * Returns when the run starts: each run before it takes the first slot that becomes free.
 * @param free the time since which idle slots wait for the run
 * @returns null if a slot becomes free at no known time
 */
function startAt(view: QueuePlace, free: number): number | null {
  const { now, slots, running, before, notBefore } = view;
  const ends = running.map(({ since, expectedSeconds }) => after(since, expectedSeconds));
  const idle = Array<number>(Math.max(0, slots - ends.length)).fill(free);
  const freeAt = [...ends, ...idle].sort(ascending);
  for (const seconds of before) {
    const first = freeAt.shift() ?? Infinity;
    freeAt.push(after(Math.max(first, now), seconds));
    freeAt.sort(ascending);
  }
  const start = Math.max(freeAt[0] ?? Infinity, notBefore ?? 0);
  return Number.isFinite(start) ? start : null;
}

/** Returns when a run that starts then ends. A start that has passed is now, unless the run has started. */
function endAt({ now, leasedAt, expectedSeconds }: QueuePlace, start: number | null): number | null {
  if (start === null || expectedSeconds === null) return null;
  return after(leasedAt ?? Math.max(start, now), expectedSeconds);
}

function whyUnknown(views: readonly QueuePlace[]): NoEstimate {
  const waits = views.filter(({ leasedAt }) => leasedAt === null);
  if (waits.some(({ isAnyOnline }) => !isAnyOnline)) return 'no_evaluator';
  return waits.some(({ slots }) => slots === 0) ? 'no_fitting_evaluator' : 'no_history';
}

const after = (time: number, seconds: number | null): number => (seconds === null ? Infinity : time + seconds * 1000);
const ascending = (one: number, other: number): number => one - other;
