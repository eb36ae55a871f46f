import type { Run } from '@assay/api-client/fetch';
import { count, duration } from './numbers.js';

/** Seconds after an expected time from which it counts as passed. */
const LATE_SECONDS = 30;

type Reason = NonNullable<Run['noEstimate']>;

const REASONS: Readonly<Record<Reason, string>> = {
  no_evaluator: 'no evaluator is online',
  no_fitting_evaluator: 'no evaluator that is online can run it',
  no_history: 'the start is not known, because no such run has ended yet',
};

/**
 * Formats the place of a run in the queue, when it is expected to start and to end, and what runs now.
 * @param now in milliseconds since 1970
 */
export function runText(run: Run, now: number): string {
  if (run.state === 'running') return endText(run, now);
  const place = placeText(run);
  return place === '' ? '' : [`${place}; ${startText(run, now)}.`, runningText(run, now)].filter(Boolean).join('\n');
}

/** Formats the place of a run in the queue. Changes only when the place changes. */
export function placeText({ state, ahead, queued }: Run): string {
  if (state === 'running' || ahead === undefined || queued === undefined) return '';
  return ahead === 0 ? 'Next in the queue' : `Position ${count(ahead + 1)} of ${count(queued)} in the queue`;
}

function startText({ expectedStart, expectedEnd, noEstimate }: Run, now: number): string {
  if (expectedStart === undefined) return REASONS[noEstimate ?? 'no_history'];
  const seconds = secondsUntil(expectedStart, now);
  if (seconds < -LATE_SECONDS) {
    return 'the expected start has passed: the runs before it take longer than expected, or no evaluator takes it';
  }
  const start = seconds <= 0 ? 'expected to start at any moment' : `expected to start in about ${duration(seconds)}`;
  return expectedEnd === undefined ? start : `${start} and to end in about ${duration(secondsUntil(expectedEnd, now))}`;
}

function endText({ expectedEnd }: Pick<Run, 'expectedEnd'>, now: number): string {
  if (expectedEnd === undefined) return '';
  const seconds = secondsUntil(expectedEnd, now);
  return seconds <= 0 ? 'It takes longer than expected.' : `Expected to end in about ${duration(seconds)}.`;
}

function runningText({ running = [] }: Run, now: number): string {
  if (running.length === 0) return '';
  const named = running.flatMap(({ model, expectedEnd }) => {
    const left = expectedEnd === undefined ? 0 : secondsUntil(expectedEnd, now);
    return model ? `${model.name} by ${model.owner}${left > 0 ? ` (about ${duration(left)} left)` : ''}` : [];
  });
  const others = running.length - named.length;
  const hidden = others === 0 ? [] : [others === 1 ? 'a model of someone else' : `${count(others)} models of others`];
  return `Running now: ${[...named, ...hidden].join(', ')}.`;
}

const secondsUntil = (time: string, now: number): number => (Date.parse(time) - now) / 1000;
