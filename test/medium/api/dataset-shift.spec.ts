import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'text', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};

/** Lines of a round. In a later round every second text has the word `honestly`, and positive is rarer. */
const lines = (round: number, count = 200): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `${round}-${index}`,
      context: `A place with number ${index % 7} and letter ${'abcdefghij'[(index * 3) % 10]}.`,
      text: `It was ${index % 5 === 0 ? 'fine' : 'so-so'}${round > 1 && index % 2 === 0 ? ', honestly' : ''} ${index % 11}`,
      label: index % (round > 1 ? 4 : 2) === 0 ? 'positive' : 'negative',
    }),
  ).join('\n');

describe('what changed between datasets', () => {
  let world: ApiWorld;
  let owner: string;
  const shift = (name: string, query = '', token?: string, task = 'moods') =>
    world.call('GET', `/tasks/${task}/datasets/${name}/shift${query}`, { ...(token !== undefined && { token }) });

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    const images = { ...TASK, slug: 'pictures', inputs: [{ name: 'picture', type: 'number' }] };
    for (const body of [TASK, images]) {
      expect((await world.call('POST', '/tasks', { token: owner, body })).status).toBe(201);
    }
    const put = async (task: string, name: string, query: string, body: string) => {
      const path = `/tasks/${task}/datasets/${name}?${query}`;
      const { status } = await world.call('PUT', path, { token: owner, type: 'application/x-ndjson', body });
      expect(status).toBe(201);
    };
    await put('moods', 'first', 'role=round&round=1&visibility=public', lines(1));
    await put('moods', 'second', 'role=round&round=2&visibility=public', lines(2));
    await put('moods', 'secret', 'role=round&round=3&visibility=hidden', lines(3));
    await put('moods', 'fourth', 'role=round&round=4&visibility=public', lines(4));
    await put('moods', 'few', 'visibility=public', lines(5, 3));
    await put('pictures', 'all', 'visibility=public', '{"id": "1", "picture": 2, "label": "positive"}');
  }, 300_000);
  afterAll(() => world.close());

  it('is found since the round before', async () => {
    const { status, body } = await shift('second');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      task: 'moods',
      before: { dataset: 'first', version: 1, round: 1, examples: 200 },
      after: { dataset: 'second', version: 1, round: 2, examples: 200 },
      differs: true,
      labels: [
        { label: 'negative', before: 0.5, after: 0.75, difference: { value: 0.25 } },
        { label: 'positive', before: 0.5, after: 0.25, difference: { value: -0.25 } },
      ],
      words: [{ input: 'text', word: 'honestly', dataset: 'after', examples: 100, share: 1, expected: 0.5 }],
    });
    const [negative] = body.labels as { difference: { low: number; high: number } }[];
    expect(negative!.difference.low).toBeGreaterThan(0.1);
    expect(negative!.difference.high).toBeLessThan(0.4);
    expect(body.separability.value).toBeGreaterThan(0.6);
    const [context, text] = body.inputs;
    // both rounds have the same contexts
    expect(context.separability.low).toBeLessThan(0.5);
    expect(context).toMatchObject({ unseen: { before: 0, after: 0 }, vocabulary: { before: 22, after: 22 } });
    expect(text.separability.low).toBeGreaterThan(0.5);
    expect(text.unseen.before).toBe(0);
    expect(text.unseen.after).toBeGreaterThan(0.05);
    expect(text.length.before.median).toBeLessThan(text.length.after.upperQuartile);
  });

  it('is found since the last round that the reader may read', async () => {
    expect((await shift('fourth')).body.before.dataset).toBe('second');
    expect((await shift('fourth', '', owner)).body.before.dataset).toBe('secret');
  });

  it('is found since any dataset, and is unknown for few examples', async () => {
    const { body } = await shift('first', '?from=few');
    expect(body).toMatchObject({
      before: { dataset: 'few', round: null, examples: 3 },
      separability: null,
      differs: null,
    });
    expect(body.words).toEqual([]);
  });

  it('needs the right to read both datasets', async () => {
    const stranger = await world.user('stranger');
    for (const token of [undefined, stranger]) {
      expect((await shift('secret', '', token)).status).toBe(404);
      expect((await shift('second', '?from=secret', token)).status).toBe(404);
    }
    expect((await shift('secret', '', owner)).status).toBe(200);
    expect((await shift('second', '?from=secret', owner)).status).toBe(200);
    expect((await shift('second', '?from=none')).status).toBe(404);
  });

  it.each([
    ['first', '', 'no_earlier_round', 'moods'],
    ['few', '', 'no_earlier_round', 'moods'],
    ['few', '?from=few', 'same_dataset', 'moods'],
    ['all', '', 'no_text_input', 'pictures'],
  ])('of %s%s is refused as %s', async (name, query, code, task) => {
    const { status, body } = await shift(name, query, undefined, task);
    expect([status, body.code]).toEqual([422, code]);
  });
});
