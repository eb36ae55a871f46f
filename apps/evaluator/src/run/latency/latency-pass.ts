import type { Answer } from '@assay/contracts';
import type { Failure } from '@assay/contracts/models';
import { latencyPercentiles, MINIMUM_SAMPLES, type LatencyPercentiles } from '@assay/scoring/costs';
import { failureWithin, isFatal } from '../failure-sentence.js';
import { isBad, type ModelSession } from '../session/model-session.js';
import type { TimeBudget } from '../session/time-budget.js';
import type { SampledRow } from './timed-sample.js';

/** Seconds after which only the samples that the median needs are still taken. */
const SECONDS = 10;
/** Maximum share of the run's time. */
const SHARE = 0.2;

export interface LatencyPass {
  readonly session: ModelSession;
  readonly sample: readonly SampledRow[];
  readonly budget: TimeBudget;
  readonly signal: AbortSignal;
}

export interface LatencyResult {
  /** In milliseconds. */
  readonly percentiles: LatencyPercentiles;
  /** By evaluation ID, then by the index of the example. */
  readonly answers: ReadonlyMap<string, EarlierAnswers>;
}

/** The answers to single requests, by the index of the example. Null: no valid answer. */
export type EarlierAnswers = ReadonlyMap<number, Answer | null>;

export type LatencyOutcome =
  ({ readonly kind: 'measured' } & LatencyResult) | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Times single requests, one at a time, each with a different input. A request without a valid
 * answer is not timed; the offline pass reports what is wrong with it.
 */
export async function latencyPass({ session, sample, budget, signal }: LatencyPass): Promise<LatencyOutcome> {
  const started = performance.now();
  const milliseconds: number[] = [];
  const answers = new Map<string, Map<number, Answer | null>>();
  const note = (evaluation: string, place: number, answer: Answer | null) => {
    answers.set(evaluation, (answers.get(evaluation) ?? new Map<number, Answer | null>()).set(place, answer));
  };

  for (const { evaluation, row } of sample) {
    if (enough(milliseconds.length, (performance.now() - started) / 1000, budget.seconds)) break;

    const outcome = await session.ask([row.instance], budget.requestDeadline);
    signal.throwIfAborted();
    if (outcome.kind === 'fault' && isFatal(outcome.fault)) {
      const place = { phase: 'latency', done: milliseconds.length } as const;
      return { kind: 'failed', failure: failureWithin(budget, outcome.fault, place) };
    }
    const answer = outcome.kind === 'answers' ? outcome.answers[0]! : null;
    note(evaluation, row.index, answer === null || isBad(answer) ? null : answer);
    if (outcome.kind === 'answers') milliseconds.push(outcome.milliseconds);
  }
  return { kind: 'measured', percentiles: latencyPercentiles(milliseconds), answers };
}

function enough(samples: number, seconds: number, allowed: number): boolean {
  return seconds > allowed * SHARE || (seconds > SECONDS && samples >= MINIMUM_SAMPLES[50]);
}
