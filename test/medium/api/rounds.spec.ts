import { Annotation } from '@assay/collection/annotating';
import { Context } from '@assay/collection/rounds';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiAnswer, ApiRequest } from '../../factories/worlds/api-call.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy',
  quota: { perDay: 100, total: 100 },
};

const lines = (records: readonly object[]): ApiRequest => ({
  type: 'application/x-ndjson',
  body: records.map((record) => JSON.stringify(record)).join('\n'),
});

describe('rounds over HTTP', () => {
  let world: ApiWorld;
  let owner: string;
  let builder: string;
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    builder = await world.user('builder');
  }, 300_000);
  afterAll(() => world.close());

  async function task(definition: object = {}): Promise<string> {
    const slug = `nli-${++count}`;
    const { status } = await world.call('POST', '/tasks', { token: owner, body: { slug, ...TASK, ...definition } });
    expect(status).toBe(201);
    return slug;
  }

  async function model(slug: string, given: { kind?: string; admitted?: boolean } = {}): Promise<string> {
    const { kind = 'container', admitted = true } = given;
    const { body } = await world.call('POST', `/tasks/${slug}/models`, { token: builder, body: { name: 'M', kind } });
    await world.call('PUT', `/models/${body.id}/artifact`, { token: builder, body: `${slug}-${++count}` });
    const em = world.orm.em.fork();
    const found = await em.findOneOrFail(Model, body.id, { populate: ['specification.artifact'] });
    if (admitted) await em.nativeUpdate(Artifact, found.specification!.artifact.id, { state: 'admitted' });
    return body.id as string;
  }

  /**
   * Creates an open round of a new task.
   * @returns The path of the round.
   */
  async function round(request: object = {}, definition: object = {}): Promise<string> {
    const slug = await task(definition);
    const models = [await model(slug)];
    const { status, body } = await world.call('POST', `/tasks/${slug}/rounds`, {
      token: owner,
      body: { models, ...request },
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return `/tasks/${slug}/rounds/${body.number}`;
  }

  const put = (path: string, records: readonly object[]): Promise<ApiAnswer> =>
    world.call('PUT', path, { token: owner, ...lines(records) });

  it('open with the models that are named, the rules of the task, and those of the request', async () => {
    const slug = await task({ collection: { turn: { examples: 500 }, shares: { train: 0.5, dev: 0, test: 0.5 } } });
    const named = await model(slug);

    const opened = await world.call('POST', `/tasks/${slug}/rounds`, {
      token: owner,
      body: { description: 'The first', models: [named], conditions: [{ name: 'free' }, { name: 'prompted' }] },
    });

    expect(opened.status).toBe(201);
    expect(opened.body).toMatchObject({
      task: slug,
      number: 1,
      state: 'open',
      description: 'The first',
      turn: { examples: 500 },
      shares: { train: 0.5, dev: 0, test: 0.5 },
      conditions: [{ name: 'free', prompt: true, model: true, share: 1 }, { name: 'prompted' }],
      models: [{ model: { id: named, name: 'M' }, reason: 'named', evidence: null, until: null, left: null }],
      counts: { contexts: 0, examples: 0, pending: 0 },
    });
    expect((await world.call('GET', `/tasks/${slug}`)).body.rounds).toEqual([
      { number: 1, state: 'open', imported: false },
    ]);
    const events = await world.orm.em.fork().find(OutboxEvent, { type: 'round.opened' });
    expect(events.map(({ payload }) => payload['roundId'])).toContain(opened.body.id);
  });

  it('are listed with how far they are', async () => {
    const path = await round();
    const { body } = await world.call('GET', path.replace(/\/\d+$/, ''));
    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ number: 1, counts: { contexts: 0 } });
  });

  it('change their description and what closes them while they are open', async () => {
    const path = await round();
    const changed = await world.call('PATCH', path, {
      token: owner,
      body: { description: 'Changed', turn: { validated: 10 } },
    });
    expect(changed.body).toMatchObject({ description: 'Changed', turn: { validated: 10 } });

    // a round that was imported as a file has no settings of its own
    const { id } = changed.body as { id: string };
    const em = world.orm.em.fork();
    await em.nativeUpdate(Round, id, { settings: null });
    await world.call('PATCH', path, { token: owner, body: { turn: { validated: 20 } } });
    const { settings } = await em.findOneOrFail(Round, id);
    expect(settings).toMatchObject({ turn: { validated: 20 }, conditions: [], shares: expect.any(Object) });
  });

  it('close at once for whoever writes, and go on by themselves', async () => {
    const path = await round();

    const closed = await world.call('POST', `${path}/close`, { token: owner, body: { pending: 'await' } });

    expect(closed.status).toBe(202);
    expect(closed.body).toMatchObject({ state: 'closing', closingStep: 'settle', closedBy: 'by owner' });
    const days =
      (Date.parse(closed.body.pendingUntil as string) - Date.parse(closed.body.closedAt as string)) / 86_400_000;
    expect(days).toBe(7);
    for (const [method, address, request] of [
      ['POST', `${path}/close`, {}],
      ['PATCH', path, { body: { description: 'x' } }],
      ['PUT', `${path}/contexts`, lines([{ context: 'late' }])],
      ['PUT', `${path}/examples`, lines([{ context: 'late', hypothesis: 'x', label: 'neutral' }])],
    ] as const) {
      const refused = await world.call(method, address, { token: owner, ...request });
      expect(refused).toMatchObject({ status: 409, body: { code: 'round_closed' } });
    }
    expect(await world.orm.em.fork().count(Context, { round: closed.body.id as string })).toBe(0);
  });

  it('take contexts, as many as there are, and again without a change', async () => {
    const path = await round();
    const many = Array.from({ length: 2_500 }, (_, n) => ({
      id: `c${n}`,
      context: `Context ${n}.`,
      prompt: 'Say it.',
      tags: ['wiki'],
      page: n,
    }));

    expect((await put(`${path}/contexts`, many)).body).toEqual({ added: 2_500, present: 0, total: 2_500 });
    const again = [...many.slice(0, 3), { context: 'Without an id.' }];
    expect((await put(`${path}/contexts`, again)).body).toEqual({ added: 1, present: 3, total: 2_501 });

    const first = await world.call('GET', `${path}/contexts?limit=2`, { token: owner });
    expect(first.body.items).toMatchObject([
      {
        externalId: 'c0',
        content: { context: 'Context 0.', prompt: 'Say it.' },
        tags: ['wiki'],
        metadata: { page: 0 },
      },
      { externalId: 'c1' },
    ]);
    const next = await world.call('GET', `${path}/contexts?limit=1&cursor=${first.body.nextCursor}`, { token: owner });
    expect(next.body.items).toMatchObject([{ externalId: 'c2' }]);
    const id = first.body.items[0].id as string;
    const out = await world.call('PATCH', `/contexts/${id}`, { token: owner, body: { active: false } });
    expect(out.body).toMatchObject({ id, active: false });
    expect((await world.call('GET', path)).body.counts).toMatchObject({ contexts: 2_501, activeContexts: 2_500 });
  });

  it.each([
    ['no object', ['a text'], 'is not a JSON object'],
    ['a missing input', [{ text: 'x' }], '"context" is missing'],
    ['an input of another type', [{ context: 1 }], '"context" is not text'],
    ['an empty input', [{ context: ' \n' }], '"context" is empty'],
    ['bad tags', [{ context: 'x', tags: 'wiki' }], '"tags" is not a list'],
    ['a bad id', [{ context: 'x', id: '' }], '"id" is neither'],
    ['a bad prompt', [{ context: 'x', prompt: '' }], '"prompt" is not a text'],
    ['what no table can keep', [{ context: 'a\0b' }], 'U+0000'],
    ['half a surrogate pair', [{ context: 'a\ud800b' }], 'surrogate'],
    [
      'an id twice, of other content',
      [
        { id: 'a', context: 'x' },
        { id: 'a', context: 'y' },
      ],
      'another context',
    ],
  ])('refuse contexts with %s, with the number of the line, and keep none', async (_, bad, why) => {
    const path = await round();
    const refused = await put(`${path}/contexts`, [{ id: 'good', context: 'Good.' }, ...(bad as object[])]);
    expect(refused).toMatchObject({ status: 422, body: { code: 'bad_line' } });
    expect(refused.body.detail).toContain(why);
    expect(refused.body.detail).toContain(`Line ${bad.length + 1}`);
    expect((await world.call('GET', path)).body.counts.contexts).toBe(0);
  });

  const brackets = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  it.each([
    ['levels without end', `{"id": "a", "more": ${brackets}}`, 'is nested too deeply: the limit is 32 levels'],
    ['values without end', `{"id": "a", "more": [${'[],'.repeat(50_000)}1]}`, 'has more than 50,000 values'],
    ['NUL in a name', '{"id": "a", "b\\u0000": 1}', 'the character U+0000'],
    ['half of a surrogate pair', '{"id": "a", "b": "\\ud800"}', 'half of a surrogate pair'],
  ])('refuse lines with %s, with the number of the line', async (_, line, why) => {
    const path = await round();
    for (const route of [`${path}/contexts`, `${path}/examples`]) {
      const type = 'application/x-ndjson';
      const refused = await world.call('PUT', route, { token: owner, type, body: `\n${line}\n` });
      expect(refused).toMatchObject({ status: 422, body: { code: 'bad_line' } });
      expect(refused.body.detail).toContain(`Line 2: ${/^(has|is) /.test(why) ? why : 'has a text with'}`);
      expect(refused.body.detail).toContain(why);
    }
  });

  it('take examples from elsewhere, marked as such, and gold checks that are none of them', async () => {
    const path = await round();
    await put(`${path}/contexts`, [{ id: 'c1', context: 'It rains.', tags: ['weather'] }]);
    const examples = [
      { id: 1, contextId: 'c1', hypothesis: 'It is dry.', label: 'contradiction', annotator: 'ann', fooled: true },
      { id: 2, context: 'Snow.', hypothesis: 'It is cold.', label: 'entailment', annotator: 'ann', source: 'anli' },
      { id: 3, context: 'Snow.', hypothesis: 'It is late.', label: 'neutral', explanations: { example: 'Who knows.' } },
    ];

    expect((await put(`${path}/examples`, examples)).body).toEqual({ added: 3, present: 0, total: 3 });
    expect((await put(`${path}/examples`, examples)).body).toEqual({ added: 0, present: 3, total: 3 });
    const checks = await put(`${path}/examples?check=true`, [examples[1]!]);
    expect(checks.body).toEqual({ added: 1, present: 0, total: 1 });

    const { body } = await world.call('GET', path);
    expect(body.counts).toMatchObject({ examples: 3, attested: 3, fooled: 1, pending: 3, annotators: 2 });
    const kept = await world.orm.em
      .fork()
      .find(
        Annotation,
        { round: body.id as string, isCheck: false },
        { populate: ['context'], orderBy: { id: 'asc' } },
      );
    expect(kept).toMatchObject([
      {
        input: { context: 'It rains.', hypothesis: 'It is dry.' },
        context: { externalId: 'c1', annotations: 1, fooled: 1 },
        source: 'attested',
        label: ['contradiction'],
        fooled: true,
        outcome: 'pending',
        annotator: null,
      },
      { context: null, fooled: null, extra: { source: 'anli' }, pseudonym: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { explanations: { example: 'Who knows.' }, extra: {} },
    ]);
    expect(kept[0]!.pseudonym).toBe(kept[1]!.pseudonym);
    expect(kept[0]!.pseudonym).not.toBe(kept[2]!.pseudonym);
  });

  it.each([
    ['a label outside the task', { context: 'x', hypothesis: 'y', label: 'maybe' }, 'not one of the labels'],
    ['no label', { context: 'x', hypothesis: 'y' }, '"label" is missing'],
    ['an empty text', { context: 'x', hypothesis: ' ', label: 'neutral' }, '"hypothesis" is empty'],
    ['a context of another round', { contextId: 'no', hypothesis: 'y', label: 'neutral' }, 'no context "no"'],
    [
      'another text than its context',
      { contextId: 'c', context: 'x', hypothesis: 'y', label: 'neutral' },
      'differs from that of',
    ],
    ['fooled that is no truth', { context: 'x', hypothesis: 'y', label: 'neutral', fooled: 1 }, '"fooled" is neither'],
    ['a bad annotator', { context: 'x', hypothesis: 'y', label: 'neutral', annotator: 1 }, '"annotator" is not a text'],
    [
      'bad explanations',
      { context: 'x', hypothesis: 'y', label: 'neutral', explanations: { why: 'x' } },
      '"explanations"',
    ],
    ['an id of another one', { id: 'good', context: 'x', hypothesis: 'y', label: 'neutral' }, 'another example'],
  ])('refuse examples from elsewhere with %s, and keep none', async (_, bad, why) => {
    const path = await round();
    await put(`${path}/contexts`, [{ id: 'c', context: 'Given.' }]);
    const refused = await put(`${path}/examples`, [
      { id: 'good', context: 'a', hypothesis: 'b', label: 'neutral' },
      bad,
    ]);
    expect(refused).toMatchObject({ status: 422, body: { code: 'bad_line' } });
    expect(refused.body.detail).toContain('Line 2');
    expect(refused.body.detail).toContain(why);
    expect((await world.call('GET', path)).body.counts.examples).toBe(0);
  });

  it('refuse what cannot be', async () => {
    const slug = await task();
    const [good, raw, predictions] = [
      await model(slug),
      await model(slug, { admitted: false }),
      await model(slug, { kind: 'predictions' }),
    ];
    const other = await model(await task());
    const withdrawn = await model(slug);
    await world.call('POST', `/models/${withdrawn}/withdraw`, { token: builder });
    const open = (body: object, token = owner) => world.call('POST', `/tasks/${slug}/rounds`, { token, body });
    const refusals = [
      [await open({}), 409, 'no_model_in_loop'],
      [await open({ models: [good] }, builder), 403, 'not_the_owner'],
      [await open({ models: [other] }), 422, 'unknown_model'],
      [await open({ models: [raw] }), 422, 'model_not_admitted'],
      [await open({ models: [predictions] }), 422, 'model_not_servable'],
      [await open({ models: [withdrawn] }), 422, 'model_withdrawn'],
      [await open({ models: [good], turn: { closesAt: '2020-01-01T00:00:00Z' } }), 422, 'closes_in_the_past'],
      [await open({ models: [good], shares: { train: 1, dev: 1, test: 1 } }), 422, 'validation_failed'],
      [await open({ models: [good], conditions: [{ name: 'a' }, { name: 'a' }] }), 422, 'validation_failed'],
      [await world.call('GET', `/tasks/${slug}/rounds/7`), 404, 'not_found'],
      [await world.call('GET', `/tasks/${slug}/rounds/first`), 404, 'not_found'],
    ] as const;
    for (const [{ status, body }, expected, code] of refusals) {
      expect({ status, code: body.code }).toEqual({ status: expected, code });
    }

    expect((await open({ models: [good] })).status).toBe(201);
    expect(await open({ models: [good] })).toMatchObject({ status: 409, body: { code: 'round_open' } });
    await world.call('POST', `/tasks/${slug}/rounds/1/close`, { token: owner });
    expect(await open({ models: [good], number: 1 })).toMatchObject({
      status: 409,
      body: { code: 'round_number_taken' },
    });
    expect(await world.orm.em.fork().count(Annotation, { round: { task: { slug } } })).toBe(0);
  });

  it('keep their contexts and their closing to the owner of the task', async () => {
    const path = await round();
    await put(`${path}/contexts`, [{ id: 'a', context: 'A secret.' }]);
    const [context] = (await world.call('GET', `${path}/contexts`, { token: owner })).body.items as { id: string }[];
    const calls = [
      ['GET', `${path}/contexts`, {}],
      ['PUT', `${path}/contexts`, lines([{ context: 'x' }])],
      ['PUT', `${path}/examples`, lines([{ context: 'x' }])],
      ['POST', `${path}/close`, { body: {} }],
      ['PATCH', path, { body: {} }],
    ] as const;
    for (const [method, address, request] of calls) {
      expect(await world.call(method, address, { token: builder, ...request })).toMatchObject({
        status: 403,
        body: { code: 'not_the_owner' },
      });
    }
    const changed = await world.call('PATCH', `/contexts/${context!.id}`, { token: builder, body: { active: false } });
    expect(changed).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const lost = await world.call('GET', `${path}/contexts?cursor=x`, { token: owner });
    expect(lost).toMatchObject({ status: 422, body: { code: 'unknown_cursor' } });
  });
});
