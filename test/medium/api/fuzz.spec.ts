import { seededRng } from '@assay/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Operation } from '../../factories/worlds/api-operations.js';
import { type Answer, DocumentedAnswers, textOf } from '../../factories/worlds/documented-answers.js';
import { type HostileRequest, HostileRequests } from '../../factories/hostile/hostile-requests.js';
import { hostileUpload } from '../../factories/hostile/hostile-uploads.js';
import { machineStalls } from '../../factories/measurement/machine-stalls.js';
import { type FuzzWorld, fuzzWorld, uploadAddresses } from './fuzz-world.js';
import { outcomeFor, ROLES, type Role, ROUTE_RULES, type Rule } from './route-rules.js';
import { USUAL } from './route-world.js';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1000);
const SEED = process.env['FUZZ_SEED'] ?? 'assay';
/** The time in milliseconds after which a response counts as slow. */
const SLOW = 2000;
/** The number of further requests to an operation that no request has reached. */
const MOST_MISSES = 30;
const LEAVING = 'POST /me/deletion';
/** Codes of permitted 503 responses: no evaluator runs next to these tests. */
const UNAVAILABLE: Readonly<Record<string, string>> = { 'GET /health/ready': 'not_ready' };

describe('any request', () => {
  let all: FuzzWorld;
  let answers: DocumentedAnswers;
  /** Operations that gave at least one response other than 401, 403 and 404. */
  const reached = new Set<string>();
  /** Slow responses that are attributed to the machine, not to the API. */
  const slowOnce: string[] = [];

  beforeAll(async () => {
    all = await fuzzWorld();
    answers = new DocumentedAnswers(all.document);
  }, 300_000);
  afterAll(async () => {
    if (slowOnce.length > 0) console.warn(`slow once, while the machine was busy:\n${slowOnce.join('\n')}`);
    await all.close();
  });

  /** Returns how the response violates the contract, or null if it does not. */
  async function broken(
    operation: Operation,
    request: HostileRequest,
    who: Record<string, string>,
  ): Promise<string | null> {
    const { answer, milliseconds, stalled } = await asked(request, who);
    if (![401, 403, 404].includes(answer.status)) reached.add(operation.route);
    if (answer.status < 300) await all.renew(operation.route);
    if (milliseconds > SLOW) {
      const again = await asked(request, who);
      // a response is slow by chance if the machine stalled for the excess time, waiting for
      // processors or disks, and the repetition is fast
      const isByChance = stalled === null || milliseconds - stalled < SLOW;
      if (!isByChance || again.milliseconds > SLOW)
        return `${Math.round(milliseconds)} ms, of them stalled: ${stalled}`;
      slowOnce.push(`${operation.route}: ${Math.round(milliseconds)} ms, then ${Math.round(again.milliseconds)} ms`);
    }
    if (answer.status >= 500 && !isUnserved(operation, answer)) return `${answer.status} ${answer.text}`;
    return answers.fault(operation, answer);
  }

  const isForSomebody = (route: string): boolean =>
    ROUTE_RULES[route]!.some((rule) => ROLES.some((role) => outcomeFor(route, rule, role) === 'in'));

  const isUnserved = ({ route }: Operation, { status, text }: Answer): boolean =>
    status === 503 && UNAVAILABLE[route] === (JSON.parse(text) as { code: string }).code;

  async function asked(
    { method, path, headers, body }: HostileRequest,
    who: Record<string, string>,
  ): Promise<{ readonly answer: Answer; readonly milliseconds: number; readonly stalled: number | null }> {
    const before = machineStalls();
    const began = performance.now();
    const response = await fetch(`${all.world.url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...who },
      ...(body !== undefined && { body }),
    });
    const answer = {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text: await textOf(response),
    };
    const milliseconds = performance.now() - began;
    const after = machineStalls();
    return { answer, milliseconds, stalled: before === null || after === null ? null : after - before };
  }

  const credentials = (role: Role, byCookie: boolean): Record<string, string> => {
    const cookie = all.cookies[role];
    if (byCookie && cookie !== undefined) return { cookie };
    const token = all.tokens[role];
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  };

  const holesOf = ({ of = {} }: Rule): Record<string, string> => ({
    ...USUAL,
    ...Object.fromEntries(Object.entries(of).map(([hole, name]) => [hole, all.ids[name] ?? name])),
  });

  /** Uses the correct password every other time: otherwise no account would ever be deleted. */
  const leavingBody = (request: HostileRequest, isRight: boolean): HostileRequest => {
    const body = { text: 'keep', password: all.leaver.password };
    return isRight
      ? { ...request, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      : request;
  };

  it(
    `is answered as documented, in time, and never by a failure (${REQUESTS} with the seed "${SEED}")`,
    async () => {
      const rng = seededRng(SEED);
      const pick = <T>(from: readonly T[]): T => from[rng.below(from.length)]!;
      const hostile = new HostileRequests(all.document, () => Object.values(all.ids), rng);
      const found = new Map<string, string>();
      const ask = async (operation: Operation): Promise<void> => {
        const rule = pick(ROUTE_RULES[operation.route]!);
        const inside = ROLES.filter((role) => outcomeFor(operation.route, rule, role) === 'in');
        const role = inside.length > 0 && rng.next() < 0.7 ? pick(inside) : pick(ROLES);
        const isLeaving = operation.route === LEAVING;
        const request = hostile.of(operation, holesOf(rule));
        const problem = isLeaving
          ? await broken(operation, leavingBody(request, rng.next() < 0.5), {
              authorization: `Bearer ${all.leaver.token}`,
            })
          : await broken(operation, request, credentials(role, rng.next() < 0.3));
        const what = `${operation.route} as ${role}: ${problem?.slice(0, 500)}`;
        if (problem) found.set(what, JSON.stringify(request).slice(0, 1000));
      };
      // each operation equally often
      for (let n = 0; n < REQUESTS; n++) await ask(all.operations[n % all.operations.length]!);
      const missed = all.operations.filter(({ route }) => isForSomebody(route) && !reached.has(route));
      // a handful of requests can all miss by chance
      for (const operation of missed) {
        for (let n = 0; n < MOST_MISSES && !reached.has(operation.route); n++) await ask(operation);
      }
      expect(Object.fromEntries(found)).toEqual({});
      expect(missed.map(({ route }) => route).filter((route) => !reached.has(route))).toEqual([]);
    },
    REQUESTS * 400 + 60_000,
  );

  it(
    'about an upload is refused or done, and never ends in a failure',
    async () => {
      const rng = seededRng(`${SEED} uploads`);
      const addresses = await uploadAddresses(all);
      const found = new Map<string, string>();
      for (let n = 0; n < REQUESTS / 10; n++) {
        const request = hostileUpload(addresses, rng);
        const role: Role = rng.next() < 0.8 ? 'builder' : ROLES[rng.below(ROLES.length)]!;
        const { answer, milliseconds } = await asked(request, credentials(role, rng.next() < 0.3));
        const isProblem = answer.type.startsWith('application/problem+json') || answer.text.startsWith('{');
        const problem =
          // 501 is the server's response to a part of the protocol that it does not implement
          (answer.status >= 500 && answer.status !== 501) || milliseconds > SLOW
            ? `${answer.status} after ${milliseconds} ms: ${answer.text}`
            : isProblem && answer.text !== '' && answers.problemFault(answer);
        if (problem) found.set(problem, JSON.stringify(request));
      }
      expect(Object.fromEntries(found)).toEqual({});
    },
    REQUESTS * 40 + 60_000,
  );
});
