import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'nli',
  name: 'Inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['entailment', 'contradiction'] },
  performance: 'accuracy',
};
const LINES = Array.from({ length: 200 }, (_, index) =>
  JSON.stringify({
    id: String(index),
    context: `A person number ${index % 7} walks.`,
    hypothesis: index % 2 === 0 ? 'Somebody moves.' : 'Nobody moves.',
    label: index % 2 === 0 ? 'entailment' : 'contradiction',
  }),
).join('\n');

describe('what a dataset gives away', () => {
  let world: ApiWorld;
  let owner: string;
  const get = (name: string, token?: string, task = 'nli') =>
    world.call('GET', `/tasks/${task}/datasets/${name}/artefacts`, { ...(token !== undefined && { token }) });

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    const numeric = { ...TASK, slug: 'numeric', output: { name: 'y', type: 'number' }, performance: 'mae' };
    for (const body of [TASK, numeric])
      expect((await world.call('POST', '/tasks', { token: owner, body })).status).toBe(201);
    const put = { token: owner, type: 'application/x-ndjson' };
    for (const visibility of ['public', 'inputs', 'hidden']) {
      const path = `/tasks/nli/datasets/${visibility}?visibility=${visibility}`;
      expect((await world.call('PUT', path, { ...put, body: LINES })).status).toBe(201);
    }
    const body = '{"id": "1", "context": "a", "hypothesis": "b", "y": 1}';
    expect((await world.call('PUT', '/tasks/numeric/datasets/all?visibility=public', { ...put, body })).status).toBe(
      201,
    );
  }, 300_000);
  afterAll(() => world.close());

  it('is shown to everybody for public labels', async () => {
    const { status, body } = await get('public');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      task: 'nli',
      dataset: 'public',
      version: 1,
      examples: 200,
      majority: 0.5,
      inputs: [
        { input: 'context', aboveMajority: false },
        { input: 'hypothesis', accuracy: { value: 1 }, aboveMajority: true },
      ],
    });
    const words = body.words as { word: string; label: string; input: string }[];
    expect(words.map(({ input, word, label }) => `${input} ${word} ${label}`).toSorted()).toEqual([
      'hypothesis nobody contradiction',
      'hypothesis somebody entailment',
    ]);
  });

  it.each(['inputs', 'hidden'])('is shown to the owner alone for labels that are not public (%s)', async (name) => {
    expect((await get(name)).status).toBe(404);
    expect((await get(name, await world.user(`reader-of-${name}`))).status).toBe(404);
    expect((await get(name, owner)).status).toBe(200);
  });

  it('needs one label per example', async () => {
    const refused = await get('all', owner, 'numeric');
    expect([refused.status, refused.body.code]).toEqual([422, 'no_single_label']);
  });
});
