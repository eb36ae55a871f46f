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
 * Measures bursts: requests that are sent at the same time, by one caller each.
 * @param bursts the requests of each burst; the first burst only warms up
 * @param goal of the 95th percentile of a burst, in milliseconds
 */
export async function burstsRow(
  context: BenchContext,
  grown: GrownService,
  bursts: readonly (readonly MeasuredRequest[])[],
  goal: number,
): Promise<BenchRow> {
  const callers = bursts[0]!.length;
  const name = nameOf(grown, bursts[0]![0]!);
  const p95s: number[] = [];
  const refused: number[] = [];
  for (const [number, requests] of bursts.entries()) {
    const answers = await Promise.all(requests.map((request) => timed(grown, request)));
    refused.push(...answers.map(({ status }) => status).filter((status) => status >= 400));
    const p95 = quantile(
      answers.map(({ ms }) => ms),
      0.95,
    );
    if (number > 0) p95s.push(p95);
    context.say(`  ${callers} × ${name}: p95 ${figure(p95)} ms${number > 0 ? '' : ', warms up'}`);
  }
  const refusals = refused.length > 0 ? `; ${refused.length} refused (${[...new Set(refused)].join(', ')})` : '';
  return {
    what: `the same, ${callers} callers at once: p95`,
    goal: `≤ ${goal} ms`,
    measured: `${figure(median(p95s))} ms (${range(p95s)}${refusals})`,
    reached: refused.length === 0 && median(p95s) <= goal,
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
