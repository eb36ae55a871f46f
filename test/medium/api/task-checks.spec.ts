import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = `slug: nli
name: Natural language inference
inputs:
  - { name: context, type: text }
  - { name: hypothesis, type: text }
output: { name: label, type: label, labels: [entailment, neutral, contradiction] }
performance: accuracy
weights:
  accuracy: 4
`;

describe('the check of a task definition', () => {
  let world: ApiWorld;
  let ada: string;

  beforeAll(async () => {
    world = await apiWorld();
    ada = await world.user('ada');
  });
  afterAll(() => world.close());

  const check = (body: string | object, query = '', token = ada) => {
    const type = typeof body === 'string' ? 'application/yaml' : 'application/json';
    return world.call('POST', `/task-checks${query}`, { token, type, body });
  };

  it('takes what could be made a task, and makes none', async () => {
    const { status, body } = await check(TASK);
    expect([status, body]).toEqual([200, { valid: true, problems: [] }]);
    expect((await world.call('GET', '/tasks')).body.items).toEqual([]);
  });

  it('says of each problem in which line it stands', async () => {
    const wrong = TASK.replace('performance: accuracy', 'performance: squad_f1\nwieghts: {}').replace(
      'accuracy: 4',
      'throughput: -1',
    );
    const { body } = await check(wrong);
    expect(body.valid).toBe(false);
    expect(body.problems).toEqual([
      { path: 'weights.throughput', message: 'must be a number of at least 0, not -1', line: 10, column: 3 },
      { path: 'wieghts', message: 'unknown field', line: 8, column: 1 },
      {
        path: 'performance',
        message: 'squad_f1 is not defined for an output of type label',
        line: 7,
        column: 1,
      },
    ]);
  });

  it('says where a text ceases to be YAML, and what is no definition at all', async () => {
    const { status, body } = await check(`${TASK}metrics: [accuracy\nslices: []\n`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, problems: [{ path: '', line: 11 }] });
    expect((await check('just words')).body).toMatchObject({ valid: false, problems: [{ path: '' }] });
    expect((await check('')).body.valid).toBe(false);
  });

  it('takes JSON too, without lines', async () => {
    const { body } = await check({ slug: 'a', name: 7 });
    expect(body.valid).toBe(false);
    expect(body.problems).toContainEqual({ path: 'name', message: expect.any(String) });
  });

  it('knows slugs that are taken, and what cannot change of a task that is there', async () => {
    await world.call('POST', '/tasks', {
      token: ada,
      type: 'application/yaml',
      body: TASK.replace('nli', 'there'),
    });
    const taken = TASK.replace('slug: nli', 'slug: there');
    expect((await check(taken)).body.problems).toEqual([
      { path: 'slug', message: 'A task "there" exists already.', line: 1, column: 1 },
    ]);
    expect((await check(taken, '?task=there')).body.valid).toBe(true);
    const other = taken.replace('name: hypothesis', 'name: claim');
    expect((await check(other, '?task=there')).body.problems).toEqual([
      { path: 'inputs', message: 'cannot be changed; create a new task', line: 3, column: 1 },
    ]);
    const bob = await world.user('bob');
    expect((await check(taken, '?task=there', bob)).body).toMatchObject({ status: 403, code: 'not_the_owner' });
    expect((await world.call('POST', '/task-checks', { body: {} })).status).toBe(401);
  });

  it('is reported by POST /tasks as well, with the lines', async () => {
    const body = TASK.replace('performance: accuracy', 'performance: accuarcy');
    const refused = await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toMatch(/^line 7: performance: /);
    expect(refused.body.errors).toEqual([expect.objectContaining({ path: 'performance', line: 7, column: 1 })]);
    const cut = await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body: `${TASK}a: [` });
    expect(cut.body).toMatchObject({ code: 'bad_yaml', errors: [{ path: '', line: 10 }] });
  });

  it('has its JSON Schema, with what each key is for', async () => {
    const { status, headers, body } = await world.call('GET', '/schemas/task');
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/schema+json')]);
    const schema = typeof body === 'string' ? JSON.parse(body) : body;
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(schema.required).toEqual(['slug', 'name', 'inputs', 'output', 'performance']);
    const referred = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
    expect(referred).toContain('TaskOutput');
    expect(Object.keys(schema.$defs)).toEqual(expect.arrayContaining(referred));
    expect(schema.properties.weights.description).toContain('what counts on the board');
  });

  it('takes the ready tasks as they are listed', async () => {
    const { status, body } = await world.call('GET', '/ready-tasks');
    expect(status).toBe(200);
    const slugs = body.items.map(({ slug }: { slug: string }) => slug);
    expect(slugs).toEqual(['hate-speech', 'nli', 'qa', 'sentiment', 'translation', 'vqa']);
    for (const { yaml } of body.items) expect((await check(yaml)).body).toEqual({ valid: true, problems: [] });
  });
});
