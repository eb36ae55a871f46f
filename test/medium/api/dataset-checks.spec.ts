import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] },
  performance: 'accuracy',
  slices: ['source'],
  cluster: 'author',
  aggregate: { minimumExamples: 3 },
};
const GOOD = [
  { id: 'a', text: 'fine', label: 'positive', source: 'web', tags: ['x', 'y'] },
  { id: 'b', text: 'dull', label: ['negative', 'neutral'], source: 'web', note: 'n'.repeat(5000) },
  { id: 'c', text: 'poor', label: 'negative', source: 'print' },
];
const lines = (records: readonly unknown[]) =>
  records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n');

describe('the check of a dataset', () => {
  let world: ApiWorld;
  let owner: string;

  const check = (body: string | Buffer, { type = 'application/x-ndjson', token = owner, name = 'round-1' } = {}) =>
    world.call('POST', `/tasks/tone/datasets/${name}/check`, { token, type, body });

  const blobs = (): readonly string[] => {
    const folder = join(world.home, 'blobs');
    return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted() : [];
  };

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
  });
  afterAll(() => world.close());

  it('says what is in it, and keeps nothing', async () => {
    const before = blobs();
    const { status, body } = await check(lines(GOOD));
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: true, examples: 3, problems: [], allProblems: 0, sameAs: null });
    expect(body.labels).toEqual({ negative: 2, neutral: 0, positive: 1 });
    expect(body.warnings).toEqual([
      'No example has the field "author", which slices or clusters of the task use.',
      'No example has the gold label "neutral".',
    ]);
    expect(body.fields).toEqual([
      { name: 'id', use: 'id', examples: 3, values: { a: 1, b: 1, c: 1 } },
      { name: 'text', use: 'input', examples: 3, values: { fine: 1, dull: 1, poor: 1 } },
      { name: 'label', use: 'gold', examples: 3, values: { positive: 1, negative: 2, neutral: 1 } },
      { name: 'source', use: 'slice', examples: 3, values: { web: 2, print: 1 } },
      { name: 'tags', use: 'other', examples: 1, values: { x: 1, y: 1 } },
      { name: 'note', use: 'other', examples: 1 },
    ]);
    expect(body.first).toHaveLength(3);
    expect(body.first[0]).toEqual({ line: 1, id: 'a', gold: ['positive'], fields: GOOD[0] });
    expect(body.first[1].fields.note).toBe(`${'n'.repeat(2000)}…`);
    const { datasets } = (await world.call('GET', '/tasks/tone')).body;
    expect(datasets.map(({ name }: { name: string }) => name)).not.toContain('round-1');
    expect(blobs()).toEqual(before);
  });

  it('continues behind lines that are wrong, and names each', async () => {
    const { status, body } = await check(
      lines([GOOD[0], '{"id": ', '', { text: 'x', label: 'great' }, GOOD[0], { label: 'positive' }, GOOD[1]]),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, examples: 2, allProblems: 4 });
    expect(body.problems).toEqual([
      { line: 2, message: expect.stringContaining('is not valid JSON') },
      { line: 4, message: '"label" is "great", which is not one of the labels negative, neutral, positive' },
      { line: 5, message: 'the id "a" already occurs on an earlier line' },
      { line: 6, message: '"text" is missing' },
    ]);
    expect(body.first.map(({ id, line }: { id: string; line: number }) => [id, line])).toEqual([
      ['a', 1],
      ['b', 7],
    ]);
  });

  it('tells at most 100 problems and 20 examples, and how many there are', async () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      n % 2 === 0 ? { text: String(n) } : { text: '', label: 'neutral' },
    );
    const { body } = await check(lines(many));
    expect(body).toMatchObject({ allProblems: 150, examples: 150 });
    expect([body.problems.length, body.first.length]).toEqual([100, 20]);
  });

  it.each([
    ['brackets without end', '['.repeat(200_000), 'is nested too deeply: the limit is 32 levels'],
    ['NUL in a name', '{"text": "x", "label": "neutral", "b\\u0000": 1}', 'has a text with the character U+0000'],
    [
      'half of a surrogate pair in a name',
      '{"text": "x", "label": "neutral", "\\ud800": 1}',
      'half of a surrogate pair',
    ],
    [
      'an id without end',
      `{"id": "${'i'.repeat(10_000)}", "text": "x", "label": "neutral"}`,
      'more than 200 characters',
    ],
  ])('names a line with %s, and a dataset that has it is not kept', async (_, line, why) => {
    const { body } = await check(lines([GOOD[0], line, GOOD[1]]));
    expect(body).toMatchObject({ valid: false, examples: 2, problems: [{ line: 2 }] });
    expect(body.problems[0].message).toContain(why);
    const type = 'application/x-ndjson';
    const put = await world.call('PUT', '/tasks/tone/datasets/bad', {
      token: owner,
      type,
      body: lines([GOOD[0], line]),
    });
    expect(put).toMatchObject({ status: 422, body: { code: 'bad_line', detail: expect.stringContaining('Line 2: ') } });
  });

  it('names a NUL in the header of a CSV file', async () => {
    const { body } = await check('text,label,b\0\nfine,positive,1\n', { type: 'text/csv' });
    expect(body.problems).toEqual([{ line: 2, message: expect.stringContaining('U+0000') }]);
  });

  it('says where reading ends', async () => {
    const cut = await check('text,label\nfine,positive\n"dull,negative\n', { type: 'text/csv' });
    expect(cut.body).toMatchObject({ valid: false, digest: null, examples: 1, allProblems: 1 });
    expect(cut.body.problems[0].message).toContain('is not valid CSV');
    const bytes = await check(Buffer.from([0x7b, 0xff, 0x7d]));
    expect(bytes.body.problems).toEqual([{ line: null, message: 'The dataset is not in UTF-8.' }]);
    expect((await check('')).body.problems).toEqual([{ line: null, message: 'The dataset has no examples.' }]);
  });

  it('knows the version that has the same bytes', async () => {
    const type = 'application/x-ndjson';
    await world.call('PUT', '/tasks/tone/datasets/kept', { token: owner, type, body: lines(GOOD) });
    expect((await check(lines(GOOD), { name: 'kept' })).body.sameAs).toBe(1);
    expect((await check(lines(GOOD.slice(1)), { name: 'kept' })).body).toMatchObject({
      sameAs: null,
      warnings: expect.arrayContaining(['It has 2 examples. A dataset with fewer than 3 is shown and does not rank.']),
    });
  });

  it('is for the owner of the task', async () => {
    const stranger = await world.user('stranger');
    expect((await check(lines(GOOD), { token: stranger })).body).toMatchObject({ status: 403, code: 'not_the_owner' });
    expect((await check('x', { type: 'image/png' })).status).toBe(415);
  });
});
