import { seededRng } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { annotationFactory } from '../../factories/annotations.js';
import { type ApiDocument, type Operation, operationsOf } from '../../factories/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/api-world.js';
import { type HostileRequest, HostileRequests } from '../../factories/hostile-requests.js';
import { scoredModel } from '../../factories/scored-models.js';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 2000);
const SEED = process.env['FUZZ_SEED'] ?? 'assay';
/** Milliseconds. */
const SLOW = 2000;
const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  perturbations: { robustness: ['case'], sample: 10 },
  aggregate: { minimumExamples: 2 },
};
/** It would end the accounts that go on asking. */
const LEFT_OUT = ['POST /me/deletion'];

describe('any request', () => {
  let world: ApiWorld;
  let document: ApiDocument;
  let operations: Operation[];
  let tokens: readonly (string | undefined)[];
  let values: Record<string, readonly string[]>;
  const schemas = new Ajv2020({ strict: false, allErrors: false });
  const compiled = new Map<string, ValidateFunction | null>();

  beforeAll(async () => {
    // how often one may ask is tried elsewhere
    for (const name of ['REQUESTS', 'CHANGES', 'ADDRESS_REQUESTS'])
      process.env[`ASSAY_${name}_PER_MINUTE`] = '1000000000';
    world = await apiWorld();
    (formats as unknown as typeof formats.default)(schemas);
    document = (await world.call('GET', '/openapi.json')).body as ApiDocument;
    operations = operationsOf(document).filter(({ route }) => !LEFT_OUT.includes(route));
    tokens = [world.admin, world.admin, await world.user('somebody'), undefined];
    await world.call('POST', '/tasks', { token: world.admin, body: TASK });
    const lines = Array.from({ length: 12 }, (_, n) =>
      JSON.stringify({ id: `e${n}`, text: `so ${n}`, label: 'positive' }),
    );
    const put = { token: world.admin, type: 'application/x-ndjson', body: lines.join('\n') };
    await world.call('PUT', '/tasks/moods/datasets/open?visibility=public', put);
    const model = await scoredModel(world, {
      slug: 'moods',
      name: 'Model',
      token: world.admin,
      answer: () => ({ text: 'positive' }),
    });
    await world.orm.em.fork().nativeUpdate(Model, model, { state: 'scored' });
    const factory = await annotationFactory(world.orm, 'moods');
    const annotation = await factory.written({
      by: 'somebody',
      label: ['positive'],
      authorLabel: ['positive'],
      answeredAt: new Date(),
    });
    values = {
      slug: ['moods'],
      name: ['open', 'some'],
      id: [model, model, annotation.id, '00000000-0000-7000-8000-000000000000'],
      delivery: ['00000000-0000-7000-8000-000000000000'],
      kind: ['robustness', 'fairness'],
      number: ['1'],
      version: ['1'],
      part: ['train', 'test'],
      link: ['none'],
      username: ['somebody'],
    };
  }, 60_000);
  afterAll(() => world.close());

  /** How the answer breaks what is promised of it; null: it keeps it. */
  async function broken(
    operation: Operation,
    request: HostileRequest,
    token: string | undefined,
  ): Promise<string | null> {
    const first = await asked(operation, request, token);
    // of a busy machine a request may be slow by chance; twice it is not
    return first === SLOWLY ? asked(operation, request, token) : first;
  }

  async function asked(
    operation: Operation,
    request: HostileRequest,
    token: string | undefined,
  ): Promise<string | null> {
    const { method, path, headers, body } = request;
    const began = performance.now();
    const response = await fetch(`${world.url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body }),
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      await response.body?.cancel();
      return null;
    }
    const text = await response.text();
    if (performance.now() - began > SLOW) return SLOWLY;
    if (response.status >= 500 && response.status !== 503) return `${response.status} ${text}`;
    return unlike(operation, response.status, type, text);
  }
  const SLOWLY = `more than ${SLOW} ms`;

  function unlike(operation: Operation, status: number, type: string, text: string): string | null {
    const isDocumented = String(status) in operation.responses || status >= 400 || status === 304;
    if (!isDocumented) return `${status} is not documented`;
    if (status >= 400 && !type.startsWith('application/problem+json')) return `${status} as ${type}: ${text}`;
    if (!/^application\/(?:problem\+)?json/.test(type)) return null;
    const validate = validator(operation, status >= 400 ? 'default' : String(status));
    if (!validate || validate(JSON.parse(text))) return null;
    return `${status} ${text.slice(0, 300)}: ${schemas.errorsText(validate.errors)}`;
  }

  function validator({ route, responses }: Operation, status: string): ValidateFunction | null {
    const key = `${route} ${status}`;
    if (!compiled.has(key)) {
      const content = Object.entries(responses[status]?.content ?? {}).find(([type]) => type.includes('json'))?.[1];
      const { components } = document;
      compiled.set(key, content?.schema ? schemas.compile({ allOf: [content.schema], components }) : null);
    }
    return compiled.get(key)!;
  }

  it(
    `is answered as documented, in time, and never by a failure (${REQUESTS} with the seed "${SEED}")`,
    async () => {
      const rng = seededRng(SEED);
      const hostile = new HostileRequests(document, values, rng);
      const found = new Map<string, string>();
      for (let n = 0; n < REQUESTS; n++) {
        // each operation as often as any other
        const operation = operations[n % operations.length]!;
        const request = hostile.of(operation);
        const problem = await broken(operation, request, tokens[rng.below(tokens.length)]);
        if (problem) found.set(`${operation.route}: ${problem.slice(0, 500)}`, JSON.stringify(request).slice(0, 1000));
      }
      expect(Object.fromEntries(found)).toEqual({});
    },
    REQUESTS * 400 + 60_000,
  );
});
