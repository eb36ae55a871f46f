import { failure, type Failure, type FailureCode, withheldFailure } from '@assay/contracts/models';
import { count, formatBytes } from '@assay/contracts/text';
import type { ModelFault, SandboxData } from '@assay/sandbox';
import type { TimeBudget } from './session/time-budget.js';

/**
 * The permitted content of a sentence about a fault: everything, or only the figures without the
 * model's own words.
 */
export type Disclosure = 'full' | 'figures';

/** Returns the failure as it is stored. For a sandbox with hidden data it contains only the code. */
export const disclosedFailure = (why: Failure, data: SandboxData): Failure =>
  data === 'hidden' ? withheldFailure(why.code) : why;

/**
 * The phase in which a model failed, such as its start, or a dataset after a number of examples.
 */
export type Place =
  | { readonly phase: 'start' }
  | { readonly phase: 'warm-up' }
  /** As a target model, while it answers people. */
  | { readonly phase: 'live' }
  | { readonly phase: 'latency'; readonly done: number }
  | { readonly phase: 'dataset'; readonly done: number; readonly total: number };

/** Returns the failure of a model that ended or violated the container contract. */
export function faultFailure(fault: ModelFault, place: Place, disclosure: Disclosure): Failure {
  const when = whenOf(place);
  const sentence = (code: FailureCode, text: string) => failure(code, `${when} ${text}`);
  switch (fault.kind) {
    case 'exited':
      return sentence('model_exited', `it exited with code ${fault.code}${fault.signal ? ` (${fault.signal})` : ''}.`);
    case 'exceeded':
      return exceeded(fault.limit, fault.amount, sentence);
    case 'never-ready':
      return failure(
        'never_ready',
        `It was not ready within ${seconds(fault.seconds)}${fault.why === '' ? '' : `: ${fault.why}`}.`,
      );
    case 'status': {
      const body = disclosure === 'full' && fault.body.trim() !== '' ? `: ${shortened(fault.body)}` : '';
      return sentence('http_status', `it answered POST /invocations with the status ${fault.status}${body}.`);
    }
    case 'redirected':
      return sentence('redirected', `it answered POST /invocations with the redirect ${fault.status}.`);
    case 'encoded':
      return sentence(
        'response_encoded',
        disclosure === 'full'
          ? `it answered with the content-encoding "${shortened(fault.encoding)}".`
          : 'it answered with a content-encoding.',
      );
    case 'disconnected':
      return sentence('connection_lost', `${lowered(fault.why)}.`);
  }
}

function exceeded(
  limit: 'memory' | 'time' | 'output',
  amount: number,
  sentence: (code: FailureCode, text: string) => Failure,
): Failure {
  switch (limit) {
    case 'memory':
      return sentence('out_of_memory', `it used up all ${formatBytes(amount)} of memory and was killed.`);
    case 'time':
      return sentence('request_timeout', `a request was not answered within ${seconds(amount / 1000)}.`);
    case 'output':
      return sentence('response_too_large', `an answer exceeded the limit of ${formatBytes(amount)}.`);
  }
}

/** True if the model cannot be asked for other datasets after this fault. */
export const isFatal = (fault: ModelFault): boolean =>
  fault.kind === 'exited' || fault.kind === 'exceeded' || fault.kind === 'never-ready' || fault.kind === 'disconnected';

/**
 * Returns the failure of a model within `budget`. A request that timed out because the run's time
 * was over is reported as an evaluation timeout.
 */
export const failureWithin = (budget: TimeBudget, fault: ModelFault, place: Place): Failure =>
  fault.kind === 'exceeded' && fault.limit === 'time' && budget.cutShort(fault.amount)
    ? evaluationTimeout(place, budget.seconds)
    : faultFailure(fault, place, 'full');

export const tooSlow = (perSecond: number, needed: number, allowed: number): Failure =>
  failure(
    'too_slow',
    `At ${rate(perSecond)} examples/s, the evaluation needs ${duration(needed)}. The limit is ${duration(allowed)}.`,
  );

export const evaluationTimeout = (place: Place, allowed: number): Failure =>
  failure('evaluation_timeout', `${whenOf(place)} the evaluation reached its time limit of ${duration(allowed)}.`);

function whenOf(place: Place): string {
  switch (place.phase) {
    case 'start':
      return 'During startup,';
    case 'live':
      return 'In the loop,';
    case 'warm-up':
      return 'In the warm-up, before the first counted example,';
    case 'latency':
      return `In the latency pass, after ${count(place.done)} single requests,`;
    case 'dataset':
      return `After ${count(place.done)} of ${count(place.total)} examples,`;
  }
}

const seconds = (value: number): string => `${(Math.round(value * 10) / 10).toLocaleString('en-US')} s`;

const rate = (perSecond: number): string =>
  perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toPrecision(2).replace(/\.0$/, '');

/** Formats a duration: 45 s, 12 min, 7 h. */
export function duration(value: number): string {
  if (value < 100) return `${Math.max(1, Math.round(value))} s`;
  if (value < 3600) return `${trimmed(value / 60)} min`;
  return `${trimmed(value / 3600)} h`;
}

const trimmed = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, '') : count(Math.round(value));

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const shortened = (text: string): string => {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
};
