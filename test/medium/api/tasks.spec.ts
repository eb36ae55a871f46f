import { DEFAULT_COLLECTION } from '@assay/contracts/collection';
import { AuditEntry } from '@assay/identity/audit';
import { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = `
slug: nli
name: Natural language inference
inputs: [{name: context, type: text}, {name: hypothesis, type: text}]
output: {name: label, type: label, labels: [entailment, neutral, contradiction]}
performance: accuracy
`;

const LINES = [
  { id: 'a', context: 'It rains.', hypothesis: 'It is wet.', label: 'entailment' },
  { uid: 7, context: 'It rains.', hypothesis: 'It is dry.', label: 'contradiction', annotator: 'x' },
];
const limitsOf = (limit: string) => {
  const [key, value] = limit.split(': ') as [string, string];
  return { limits: { [key]: Number.isNaN(Number(value)) ? value : Number(value) } };
};
const jsonLines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n');

describe('tasks and datasets', () => {
  let world: ApiWorld;
  let ada: string;
  let bob: string;

  beforeAll(async () => {
    world = await apiWorld();
    ada = await world.user('ada');
    bob = await world.user('bob');
    const created = await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body: TASK });
    expect(created.status).toBe(201);
  });
  afterAll(() => world.close());

  const put = (name: string, query: string, body: string, token = ada, type = 'application/x-ndjson') =>
    world.call('PUT', `/tasks/nli/datasets/${name}${query}`, { token, type, body });

  it('fills in the defaults of a task', async () => {
    const { body } = await world.call('GET', '/tasks/nli');

    expect(body).toMatchObject({
      owner: 'ada',
      aggregate: { recency: 0.8, static: 0.3, minimumExamples: 100 },
      limits: { memory: 4 * 2 ** 30, cpus: 1 },
      benchmarkVersion: 0,
      datasets: [],
    });
  });

  it('takes the task of the contract as it is written there', async () => {
    const body = `${TASK.replace('slug: nli', 'slug: contract')}
metrics: [accuracy, macro_f1]
slices: [tags]
cluster: context
perturbations: {robustness: [case, typos], fairness: [gender, names], sample: 500}
aggregate: {recency: 0.8, static: 0.3, minimumExamples: 100, ownRounds: adjust}
weights: {accuracy: 4, throughput: 1, memory: 1}
limits: {memory: 4GiB, cpus: 1, pids: 256, startSeconds: 120, requestSeconds: 60, evaluationSeconds: 3600, artifact: 10GiB, unpacked: 20GiB, tolerance: 0}
quota: {perDay: 3, total: 100}
loop: {size: 2, strategy: best, minimum: {accuracy: baseline}, maximum: {latency_p95: 500}, margin: 0}
collection: {fooled: label-differs, validations: 3, explanations: [example, model], prompt: optional}
`;
    const created = await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body });

    expect(created.status).toBe(201);
    expect(created.body.limits.artifact).toBe(10 * 2 ** 30);
  });

  it('names an unknown key', async () => {
    const refused = await world.call('POST', '/tasks', {
      token: ada,
      type: 'application/yaml',
      body: `${TASK}wieghts: {accuracy: 1}\n`,
    });

    expect(refused.status).toBe(422);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.body.detail).toContain('wieghts');
  });

  it.each([
    ['performance: accuracy', 'performance: squad_f1', 'not defined for an output of type label'],
    ['performance: accuracy', 'performance: accuracy\nweights: {accuracy: -1}', 'weights.accuracy'],
    ['performance: accuracy', 'performance: accuracy\nweights: {accuracy: 0}', 'at least one weight must be above 0'],
    ['performance: accuracy', 'performance: accuracy\nlimits: {memory: lots}', '"lots" is not a size'],
    ['slug: nli', 'slug: N L I', 'slug'],
  ])('refuses %s as %s', async (from, to, why) => {
    const body = TASK.replace(from, to).replace('slug: nli', 'slug: other');
    const refused = await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body });

    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining(why)]);
  });

  it.each(['memory: 900TiB', 'unpacked: 900TiB', 'artifact: 900TiB', 'evaluationSeconds: 604800', 'cpus: 64'])(
    'refuses the limit %s, which no host here has, and names the ceiling',
    async (limit) => {
      const body = `${TASK.replace('slug: nli', 'slug: greedy')}limits: {${limit}}\n`;
      const refused = await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body });

      const path = `limits.${limit.split(':')[0]}`;
      expect(refused).toMatchObject({
        status: 422,
        body: {
          code: 'limit_above_ceiling',
          detail: expect.stringContaining(`${path}: `),
          errors: [{ path, message: expect.stringMatching(/is above the ceiling of this service, \d/) }],
        },
      });
      const checked = await world.call('POST', '/task-checks', { token: ada, type: 'application/yaml', body });
      expect(checked.body).toMatchObject({ valid: false, problems: [{ path }] });
      const changed = await world.call('PATCH', '/tasks/nli', {
        token: ada,
        type: 'application/json',
        body: limitsOf(limit),
      });
      expect([changed.status, changed.body.code]).toEqual([422, 'limit_above_ceiling']);
    },
  );

  it('lets a task from before the ceilings keep its limits', async () => {
    const body = TASK.replace('slug: nli', 'slug: early');
    await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body });
    const em = world.orm.em.fork();
    const early = await em.findOneOrFail(Task, { slug: 'early' });
    early.definition = { ...early.definition, limits: { ...early.definition.limits, memory: 900 * 2 ** 40 } };
    await em.flush();
    const patch = (change: object) => world.call('PATCH', '/tasks/early', { token: ada, body: change });

    expect(await patch({ name: 'Early' })).toMatchObject({ status: 200, body: { limits: { memory: 900 * 2 ** 40 } } });
    expect((await patch({ limits: { memory: '901TiB' } })).body.code).toBe('limit_above_ceiling');
    expect((await patch({ limits: { memory: '1GiB' } })).status).toBe(200);
  });

  it('refuses a slug that is taken, and who is not signed in', async () => {
    const twice = await world.call('POST', '/tasks', { token: bob, type: 'application/yaml', body: TASK });
    const nobody = await world.call('POST', '/tasks', { type: 'application/yaml', body: TASK });

    expect([twice.status, twice.body.code]).toEqual([409, 'slug_taken']);
    expect([nobody.status, nobody.body.code]).toEqual([401, 'sign_in']);
  });

  it('takes a round in, and the same bytes once', async () => {
    const query = '?role=round&round=1&visibility=public';
    const first = await put('r1', query, jsonLines(LINES));
    const again = await put('r1', query, jsonLines(LINES));
    const more = await put('r1', query, jsonLines([...LINES, { ...LINES[0], id: 'c' }]));

    expect(first).toMatchObject({ status: 201, body: { name: 'r1', version: 1, examples: 2, status: 'active' } });
    expect(again).toMatchObject({ status: 200, body: { version: 1, digest: first.body.digest } });
    expect(more).toMatchObject({ status: 201, body: { version: 2, examples: 3, status: 'active' } });
    const { body } = await world.call('GET', '/tasks/nli');
    expect(body).toMatchObject({ benchmarkVersion: 1, rounds: [{ number: 1, state: 'closed', imported: true }] });
    expect(body.datasets).toEqual([expect.objectContaining({ name: 'r1', version: 2, status: 'active' })]);
  });

  it('takes CSV and SQuAD JSON as well', async () => {
    const csv = 'id,context,hypothesis,label\n1,"a, b",c,neutral\n2,"d\ne",f,entailment\n';
    expect((await put('csv', '', csv, ada, 'text/csv')).body).toMatchObject({ examples: 2 });

    await world.call('POST', '/tasks', {
      token: ada,
      body: {
        slug: 'qa',
        name: 'QA',
        inputs: [
          { name: 'question', type: 'text' },
          { name: 'context', type: 'text' },
        ],
        output: { name: 'answer', type: 'span', of: 'context' },
        performance: 'squad_f1',
      },
    });
    const squad = {
      data: [
        {
          title: 't',
          paragraphs: [
            {
              context: 'It is 42.',
              qas: [{ id: 'q', question: 'What?', answers: [{ text: '42', answer_start: 6 }] }],
            },
          ],
        },
      ],
    };
    const taken = await world.call('PUT', '/tasks/qa/datasets/squad?visibility=public', { token: ada, body: squad });
    expect(taken).toMatchObject({ status: 201, body: { examples: 1 } });
    const content = await world.call('GET', '/tasks/qa/datasets/squad/content');
    expect(JSON.parse(content.body)).toMatchObject({ id: 'q', answer: ['42'], answer_start: [[6]] });
  });

  it.each([
    ['{"context": "a", "hypothesis": "b"}', 'Line 3: "label" is missing'],
    ['{"context": "a", "hypothesis": "b", "label": "perhaps"}', 'Line 3: "label" is "perhaps"'],
    ['{"context": 1, "hypothesis": "b", "label": "neutral"}', 'Line 3: "context" is not text'],
    ['{"id": "a", "context": "a", "hypothesis": "b", "label": "neutral"}', 'Line 3: the id "a" already occurs'],
    ['{"context": ', 'Line 3: is not valid JSON'],
    ['[1]', 'Line 3: is not a JSON object'],
  ])('names the line that is bad: %s', async (line, why) => {
    const refused = await put('bad', '', `${jsonLines(LINES)}\n${line}`);

    expect([refused.status, refused.body.code]).toEqual([422, 'bad_line']);
    expect(refused.body.detail).toContain(why);
    expect((await world.call('GET', '/tasks/nli')).body.datasets).not.toContainEqual(
      expect.objectContaining({ name: 'bad' }),
    );
  });

  it('refuses an empty dataset, one that is not UTF-8, and a round without its number', async () => {
    expect((await put('empty', '', '\n\n')).body.code).toBe('empty_dataset');
    expect((await put('latin', '', Buffer.from('{"a": "\xe9"}', 'latin1') as unknown as string)).body.code).toBe(
      'not_utf8',
    );
    expect((await put('round', '?role=round', jsonLines(LINES))).body.code).toBe('validation_failed');
  });

  it('keeps datasets to the owner of the task, and hides what is hidden', async () => {
    await put('secret', '', jsonLines(LINES));

    expect((await put('intruder', '', jsonLines(LINES), bob)).status).toBe(403);
    expect((await world.call('GET', '/tasks/nli/datasets/secret/content', { token: bob })).status).toBe(404);
    const own = await world.call('GET', '/tasks/nli/datasets/secret/content', { token: ada });
    expect(own.body.split('\n')[1]).toContain('"annotator":"x"');
  });

  it('answers unknown addresses and ids with problem details', async () => {
    for (const path of ['/nope', '/tasks/none', '/models/none', '/models/01a1f8c8-317c-7518-960b-2845b4ff5393']) {
      const { status, body } = await world.call('GET', path);
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await world.call('GET', '/me', { token: 'assay_wrong' })).body.code).toBe('invalid_token');
    expect((await world.call('POST', '/tasks', { token: ada, type: 'application/json', body: '{' })).status).toBe(400);
  });

  it('shows a task from before its questions had to be as one sees them, and has that put right by the next change', async () => {
    await world.call('POST', '/tasks', {
      token: ada,
      type: 'application/yaml',
      body: TASK.replace('slug: nli', 'slug: old'),
    });
    const em = world.orm.em.fork();
    const stored = await em.findOneOrFail(Task, { slug: 'old' });
    const field = { name: 'why', type: 'choice' as const, label: 'Why?\n', choices: ['a\u200b', 'b'], required: false };
    const { collection } = stored.definition;
    stored.definition = { ...stored.definition, collection: { ...DEFAULT_COLLECTION, ...collection, fields: [field] } };
    await em.flush();

    expect((await world.call('GET', '/tasks/old')).body).toMatchObject({
      collection: { fields: [field] },
    });
    const change = (body: object) => world.call('PATCH', '/tasks/old', { token: ada, body });
    const refused = await change({ name: 'Older' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'collection.fields.0.choices.0' }] } });
    const fields = [{ ...field, choices: ['a', 'b'] }];
    expect(await change({ name: 'Older', collection: { fields } })).toMatchObject({ status: 200 });
    const [now] = (await em.fork().findOneOrFail(Task, { slug: 'old' })).definition.collection!.fields;
    expect(now).toEqual({ ...field, label: 'Why?', choices: ['a', 'b'] });
  });

  it('lists tasks page by page, each once, and answers HEAD as GET', async () => {
    for (let n = 0; n < 17; n++) {
      await world.call('POST', '/tasks', {
        token: ada,
        type: 'application/yaml',
        body: TASK.replace('slug: nli', `slug: listed-${n}`),
      });
    }
    const { body: all } = await world.call('GET', '/tasks');
    const slugs = (all.items as { slug: string }[]).map(({ slug }) => slug);
    expect(slugs.length).toBeGreaterThanOrEqual(18);

    const paged: string[] = [];
    let query = '?limit=5';
    while (query !== '') {
      const { body } = await world.call('GET', `/tasks${query}`);
      expect(body.items.length).toBeLessThanOrEqual(5);
      paged.push(...(body.items as { slug: string }[]).map(({ slug }) => slug));
      query = body.nextCursor === undefined ? '' : `?limit=5&cursor=${body.nextCursor}`;
    }
    expect(paged).toEqual(slugs);
    const [get, head] = [await world.call('GET', '/tasks'), await world.call('HEAD', '/tasks')];
    expect([head.status, head.body]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
    expect((await world.call('OPTIONS', '/tasks')).body).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('gives a task to another user, who alone owns it from then on', async () => {
    const body = TASK.replace('slug: nli', 'slug: given');
    await world.call('POST', '/tasks', { token: ada, type: 'application/yaml', body });
    const give = (username: string, token: string) =>
      world.call('PUT', '/tasks/given/owner', { token, body: { username } });

    expect((await give('bob', bob)).body).toMatchObject({ status: 403, code: 'not_the_owner' });
    expect((await give('nobody-of-that-name', ada)).body).toMatchObject({ status: 422, code: 'unknown_user' });
    expect(await give('Bob', ada)).toMatchObject({ status: 200, body: { slug: 'given', owner: 'bob' } });
    expect((await world.call('PATCH', '/tasks/given', { token: bob, body: { name: 'Mine' } })).status).toBe(200);
    expect((await give('ada', ada)).body.code).toBe('not_the_owner');

    const { id } = await world.orm.em.fork().findOneOrFail(Task, { slug: 'given' });
    const [entry] = await world.orm.em.fork().find(AuditEntry, { subjectId: id, action: 'task.given' });
    expect(entry).toMatchObject({ from: { owner: expect.any(String) }, to: { owner: expect.any(String) } });
  });
});
