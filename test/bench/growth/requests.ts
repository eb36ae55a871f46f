import type { BenchContext, BenchRow } from '../bench.js';
import { figure, inTurn, median, quantile, range } from '../samples.js';
import type { GrownService } from './growth-rows.js';

/** A request whose duration is measured. */
export interface MeasuredRequest {
  readonly method?: 'GET' | 'POST';
  /** Without `/api/v1`. */
  readonly path: string;
  readonly token?: string;
}

/** Returns how often a request is repeated for its median. */
export const repetitions = ({ rounds, quick }: BenchContext): number => rounds ?? (quick ? 3 : 7);

/**
 * Measures requests that are sent one after the other.
 * @param request the request, or as many as `repetitions` says if each is to be another one
 * @param goal milliseconds
 */
export async function requestRow(
  context: BenchContext,
  grown: GrownService,
  request: MeasuredRequest | readonly MeasuredRequest[],
  goal: number,
): Promise<BenchRow> {
  const requests = [request].flat();
  const name = nameOf(grown, requests[0]!);
  const { alone } = await inTurn(context, repetitions(context), `ms, ${name}`, {
    alone: async (round) => (await succeeded(grown, requests[round % requests.length]!)).ms,
  });
  return {
    what: `\`${name}\`: median`,
    goal: `≤ ${goal} ms`,
    measured: `${figure(median(alone))} ms (${range(alone)})`,
    reached: median(alone) <= goal,
  };
}

const nameOf = ({ task }: GrownService, { method = 'GET', path }: MeasuredRequest): string =>
  `${method} ${path.replace(task, '{slug}')}`;

/**
 * Measures requests that are sent at the same time, by one caller each.
 * @param goal of the 95th percentile, in milliseconds
 */
export async function concurrentRow(
  context: BenchContext,
  grown: GrownService,
  requests: readonly MeasuredRequest[],
  goal: number,
): Promise<BenchRow> {
  const name = nameOf(grown, requests[0]!);
  const answers = await Promise.all(requests.map((request) => timed(grown, request)));
  const times = answers.map(({ ms }) => ms);
  const refused = answers.filter(({ status }) => status >= 400).map(({ status }) => status);
  const p95 = quantile(times, 0.95);
  const refusals = refused.length > 0 ? `; ${refused.length} refused (${[...new Set(refused)].join(', ')})` : '';
  context.say(`  ${requests.length} × ${name}: p95 ${figure(p95)} ms${refusals}`);
  return {
    what: `the same, ${requests.length} callers at once: p95`,
    goal: `≤ ${goal} ms`,
    measured: `${figure(p95)} ms (${range(times)}${refusals})`,
    reached: refused.length === 0 && p95 <= goal,
  };
}

/** @throws Error if the request is refused */
export async function succeeded(grown: Pick<GrownService, 'service'>, request: MeasuredRequest): Promise<Timed> {
  const answer = await timed(grown, request);
  if (answer.status >= 400) throw new Error(`${request.path}: ${answer.status}`);
  return answer;
}

export interface Timed {
  readonly ms: number;
  readonly status: number;
  readonly bytes: number;
}

/** Sends a request, by POST with an empty object. Returns the milliseconds until the last byte of the response. */
export async function timed(
  { service: { world } }: Pick<GrownService, 'service'>,
  { method = 'GET', path, token }: MeasuredRequest,
): Promise<Timed> {
  const started = performance.now();
  const answer = await fetch(`${world.url}/api/v1${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { body: '{}' }),
  });
  const bytes = (await answer.arrayBuffer()).byteLength;
  return { ms: performance.now() - started, status: answer.status, bytes };
}
