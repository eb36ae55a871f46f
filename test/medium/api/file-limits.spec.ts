import { request } from 'node:http';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDocument, filledPath, type Operation, operationsOf } from '../../factories/worlds/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { GATEWAY } from './route-rules.js';

const LIMIT = 64 * 1024;
const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['good', 'bad'] },
  performance: 'accuracy',
  perturbations: { robustness: ['case'], sample: 10 },
  limits: { artifact: '64KiB' },
};

describe('a file that is sent', () => {
  let world: ApiWorld;
  let files: Operation[];
  let values: Record<string, string>;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_DATASET_SIZE: '64KiB' });
    const token = world.admin;
    files = operationsOf((await world.call('GET', '/openapi.json')).body as ApiDocument).filter(
      // evaluator-runs.spec.ts has those of evaluators
      ({ body, route }) => body.kind === 'file' && !GATEWAY.test(route),
    );
    await world.call('POST', '/tasks', { token, body: TASK });
    const line = JSON.stringify({ id: 'a', text: 'So good', label: 'good' });
    await world.call('PUT', '/tasks/tone/datasets/open', { token, type: 'application/x-ndjson', body: line });
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'tone' });
    await em.persist(em.create(Round, { task, number: 1, state: 'open', imported: false })).flush();
    const model = await world.call('POST', '/tasks/tone/models', {
      token,
      body: { name: 'Model', kind: 'predictions' },
    });
    values = { slug: 'tone', name: 'open', kind: 'robustness', number: '1', id: model.body.id as string };
  });
  afterAll(() => world.close());

  const address = ({ path }: Operation): string => `${world.url}/api/v1${filledPath(path, values)}`;
  const headers = () => ({ authorization: `Bearer ${world.admin}`, 'content-type': 'application/x-ndjson' });

  /** Returns the status that the server sends after the headers, before any byte of the body. */
  const announced = (operation: Operation, bytes: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(address(operation), {
        method: operation.method,
        headers: { ...headers(), 'content-length': String(bytes) },
      });
      sent.on('error', reject).on('response', ({ statusCode }) => {
        resolve(statusCode);
        sent.destroy();
      });
      sent.flushHeaders();
    });

  /** Returns the response to a body of empty lines without a content length. */
  const streamed = async (operation: Operation, bytes: number) => {
    const response = await fetch(address(operation), {
      method: operation.method,
      headers: headers(),
      body: new Blob([Buffer.alloc(bytes, '\n')]).stream(),
      duplex: 'half',
    });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };

  it('is refused at once where it says that it is larger than its limit', async () => {
    const answers = [];
    for (const operation of files) answers.push([operation.route, await announced(operation, LIMIT + 1)]);
    expect(answers).toEqual(files.map(({ route }) => [route, 413]));
    expect(answers).toHaveLength(8);
  });

  it('is refused once it is larger than its limit, where it says nothing', async () => {
    const answers = [];
    for (const operation of files) answers.push([operation.route, ...(await streamed(operation, LIMIT + 1))]);
    expect(answers).toEqual(
      files.map(({ route }) => [
        route,
        413,
        /artifact|supplement/.test(route) ? 'artifact_too_large' : 'file_too_large',
      ]),
    );
  });

  it('is read up to its limit', async () => {
    for (const operation of files.filter(({ path }) => !path.includes('artifact'))) {
      expect([operation.route, ...(await streamed(operation, LIMIT))]).not.toContain(413);
    }
  });
});
