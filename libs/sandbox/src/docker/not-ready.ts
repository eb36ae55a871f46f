import type { InvocationOutcome } from '../sandbox.js';

/**
 * Milliseconds within which a working model answers `GET /ping`. A timeout after less time proves
 * nothing.
 */
const ENOUGH = 1000;

/**
 * Returns why a model is not ready after an attempt, in words for its submitter.
 *
 * @param patience milliseconds that the attempt had; the end of the start time cuts the last one
 * short
 *
 * @param before the previous reason, which is returned if the attempt gives none
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
      if (answer.limit !== 'time') return 'the response to GET /ping was too large';
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
