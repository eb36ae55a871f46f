import type { InvocationOutcome } from '../src/sandbox.js';

/** Milliseconds in which a model answers `GET /ping`, if it does at all. */
const ENOUGH = 1000;

/**
 * Why a model counts as not ready after an attempt, in words for who submitted it.
 *
 * @param patience milliseconds that the attempt had: the last one is cut short by the end of the time to start
 * @param before why it did before, which stands where the attempt tells nothing
 */
export function whyNotReady(
  answer: InvocationOutcome | { kind: 'unreached' },
  patience: number,
  before: string,
): string {
  switch (answer.kind) {
    case 'status':
      return `GET /ping answered ${answer.status}`;
    case 'redirected':
      return `GET /ping answered ${answer.status}, a redirect`;
    case 'exceeded':
      if (answer.limit !== 'time') return 'GET /ping answered too much';
      return patience < ENOUGH ? before : 'GET /ping was not answered in time';
    case 'encoded':
      return `GET /ping answered with content-encoding ${answer.encoding}`;
    case 'disconnected':
    case 'unreached':
    case 'answer':
    case 'exited':
    case 'never-ready':
      return before;
  }
}
