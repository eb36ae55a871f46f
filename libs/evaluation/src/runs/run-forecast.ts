import type { RunView } from '@assay/contracts/models';
import type { ExpectedRun, QueueHost, QueuePlace, QueuePlaces, RunningRun } from './queue-place.repository.js';

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

/** The times at which the cores of a host become free, the first one first. */
type FreeCores = number[];

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
 * Returns when the run starts: each run before it takes the cores that it needs on the host where they
 * are free first, and no run starts before one that precedes it.
 * @param free the time since which idle cores wait for the run
 * @returns null if enough cores become free at no known time
 */
function startAt(view: QueuePlace, free: number): number | null {
  const { now, running, before, notBefore } = view;
  const hosts = view.hosts.map((host) => freeCores(host, running, free));
  let earliest = 0;
  for (const run of before) {
    const host = firstHost(hosts, run);
    if (!host) return null;
    earliest = Math.max(now, earliest, freeFor(host, run));
    host.fill(after(earliest, run.expectedSeconds), 0, coresOf(run, host.length)).sort(ascending);
  }
  const host = firstHost(hosts, view);
  const start = Math.max(host ? freeFor(host, view) : Infinity, earliest, notBefore ?? 0);
  return Number.isFinite(start) ? start : null;
}

function freeCores({ name, slots }: QueueHost, running: readonly RunningRun[], free: number): FreeCores {
  const own = running.filter(({ host }) => host === name);
  const ends = own.flatMap((run) => Array<number>(coresOf(run, slots)).fill(after(run.since, run.expectedSeconds)));
  const idle = Array<number>(Math.max(0, slots - ends.length)).fill(free);
  // a run that waits to be alone has been leased beside others
  return [...ends, ...idle].sort(ascending).slice(-slots);
}

/** Returns the host where a run can start first. */
const firstHost = (hosts: readonly FreeCores[], run: ExpectedRun): FreeCores | undefined =>
  hosts.toSorted((one, other) => ascending(freeFor(one, run), freeFor(other, run)))[0];

/** Returns when enough cores of a host are free for a run. */
const freeFor = (host: FreeCores, run: ExpectedRun): number => host[coresOf(run, host.length) - 1]!;

/** Returns the number of cores that a run takes of a host with `slots` cores. A part of one counts as a whole one. */
const coresOf = ({ cpus }: Pick<ExpectedRun, 'cpus'>, slots: number): number =>
  Math.min(Math.ceil(cpus ?? slots), slots);

/** Returns when a run that starts then ends. A start that has passed is now, unless the run has started. */
function endAt({ now, leasedAt, expectedSeconds }: QueuePlace, start: number | null): number | null {
  if (start === null || expectedSeconds === null) return null;
  return after(leasedAt ?? Math.max(start, now), expectedSeconds);
}

function whyUnknown(views: readonly QueuePlace[]): NoEstimate {
  const waits = views.filter(({ leasedAt }) => leasedAt === null);
  if (waits.some(({ isAnyOnline }) => !isAnyOnline)) return 'no_evaluator';
  return waits.some(({ hosts }) => hosts.length === 0) ? 'no_fitting_evaluator' : 'no_history';
}

const after = (time: number, seconds: number | null): number => (seconds === null ? Infinity : time + seconds * 1000);
// of two unknown times, neither is the first
const ascending = (one: number, other: number): number => (one === other ? 0 : one - other);
