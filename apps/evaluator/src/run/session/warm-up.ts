import type { Failure } from '@assay/contracts/models';
import { failureWithin, isFatal } from '../failure-sentence.js';
import type { AskOutcome, ModelSession } from './model-session.js';
import type { TimeBudget } from './time-budget.js';

const BATCH_ROWS = 64;
/** The largest difference between the times of two successive batches of a warm model, as a share. */
const STEADY_SHARE = 0.05;

export interface WarmUp {
  readonly session: ModelSession;
  /** Instances as JSON. */
  readonly instances: readonly string[];
  readonly budget: TimeBudget;
  readonly signal: AbortSignal;
}

/** The requests of a warm-up: one, and then batches at the same time. */
export interface WarmUpRequests {
  readonly first: readonly string[];
  readonly batches: readonly (readonly string[])[];
}

/**
 * Returns the requests that warm up a model with these instances, before it is scored and before
 * people ask it: a model must not be able to tell which of the two will follow.
 */
export function warmUpRequests(instances: readonly string[]): WarmUpRequests {
  const rest = instances.length > 1 ? instances.slice(1) : instances;
  const batches = [rest.slice(0, BATCH_ROWS), rest.slice(BATCH_ROWS, 2 * BATCH_ROWS)];
  return { first: instances.slice(0, 1), batches: batches.filter((some) => some.length > 0) };
}

/**
 * Sends one instance and then two batches concurrently, none of them counted.
 * @returns why the model cannot be evaluated, or null. Individual bad answers are left to the
 *   counted passes.
 */
export async function warmUp({ session, instances, budget, signal }: WarmUp): Promise<Failure | null> {
  const ask = async (some: readonly string[]): Promise<AskOutcome> => {
    const outcome = await session.ask(some, budget.requestDeadline);
    signal.throwIfAborted();
    return outcome;
  };
  const requests = warmUpRequests(instances);
  const first = await ask(requests.first);
  const fatal = failureOf([first]);
  if (fatal) return fatal;

  const outcomes = await Promise.all(requests.batches.map(ask));
  return failureOf([first, ...outcomes]);

  /**
   * Returns a failure if the model has ended, or if several requests were sent and none succeeded.
   */
  function failureOf(all: readonly AskOutcome[]): Failure | null {
    const failures = all.map((outcome) => {
      if (outcome.kind === 'answers') return null;
      if (outcome.kind === 'refused') return { fatal: false, failure: outcome.failure };
      const { fault } = outcome;
      const text = failureWithin(budget, fault, { phase: 'warm-up' });
      return { fatal: isFatal(fault), failure: text };
    });
    const fatal = failures.find((each) => each?.fatal);
    if (fatal) return fatal.failure;
    return all.length > 1 && failures.every((each) => each !== null) ? failures[0]!.failure : null;
  }
}

/**
 * Sends batches, one after the other and none of them counted, until two successive ones take almost
 * the same time, or none is left. What is wrong with an answer is left to the counted passes.
 */
export async function warmUpUntilSteady({ session, instances, budget, signal }: WarmUp): Promise<void> {
  let before = Infinity;
  for (let start = 0; start < instances.length; start += BATCH_ROWS) {
    const outcome = await session.ask(instances.slice(start, start + BATCH_ROWS), budget.requestDeadline);
    signal.throwIfAborted();
    if (outcome.kind !== 'answers') return;
    const { milliseconds } = outcome;
    if (Math.abs(milliseconds - before) < STEADY_SHARE * before) return;
    before = milliseconds;
  }
}
