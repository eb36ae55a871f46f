import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DocumentedAnswers, textOf } from '../../factories/worlds/documented-answers.js';
import { type FuzzWorld, fuzzWorld } from './fuzz-world.js';
import { NEVER_DONE, RightRequests } from './right-requests.js';

describe('every operation, asked as it should be', () => {
  let all: FuzzWorld;

  beforeAll(async () => {
    all = await fuzzWorld();
  }, 300_000);
  afterAll(() => all.close());

  it('is done, and its answer is as documented', async () => {
    const answers = new DocumentedAnswers(all.document);
    const right = new RightRequests(all);
    const found: string[] = [];
    for (const operation of all.operations.filter(({ route }) => !(route in NEVER_DONE))) {
      const { method, path, headers, body } = await right.of(operation);
      const response = await fetch(`${all.world.url}/api/v1${path}`, {
        method,
        redirect: 'manual',
        headers,
        ...(body !== undefined && { body }),
      });
      const type = response.headers.get('content-type') ?? '';
      const answer = { status: response.status, type, text: await textOf(response) };
      const problem =
        answer.status < 300 ? answers.fault(operation, answer) : `${answer.status} ${answer.text.slice(0, 500)}`;
      if (problem) found.push(`${operation.route}: ${problem}`);
      await all.renew(operation.route);
    }
    expect(found).toEqual([]);
  }, 300_000);

  it('is one of the document, where it is said why it cannot be done here', () => {
    const routes = all.operations.map(({ route }) => route);
    expect(Object.keys(NEVER_DONE).filter((route) => !routes.includes(route))).toEqual([]);
    expect(Object.keys(NEVER_DONE).length).toBeLessThan(10);
  });
});
