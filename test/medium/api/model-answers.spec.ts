import type { Answer } from '@assay/contracts';
import type { DatasetRow } from '@assay/tasks/examples';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { answersWhere, LABELS, SENTIMENT_TASK, sentimentLines } from '../../factories/models/sentiment-task.js';

const TONE = { ...SENTIMENT_TASK, slug: 'tone', name: 'Tone' };
const LENGTH = {
  slug: 'length',
  name: 'Length',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'words', type: 'number' },
  performance: 'mae',
};
const N = 40;

interface Item {
  readonly id: string;
  readonly right: boolean;
}

describe('the answers of models to single examples', () => {
  let world: ApiWorld;
  let owner: string;
  let stranger: string;
  let good: string;
  let poor: string;

  const put = (slug: string, name: string, visibility: string) =>
    world.call('PUT', `/tasks/${slug}/datasets/${name}?visibility=${visibility}`, {
      token: owner,
      type: 'application/x-ndjson',
      body: sentimentLines(name, { count: N, web: 30, more: (words) => ({ words }) }),
    });
  const examples = (query: string, { id = good, name = 'open', token }: Partial<Record<string, string>> = {}) =>
    world.call('GET', `/models/${id}/datasets/${name}/examples?${query}`, { token });
  const compared = (query: string, token?: string) =>
    world.call('GET', `/tasks/tone/compare/examples?a=${good}&b=${poor}&${query}`, { token });
  const ids = ({ body }: { readonly body: { readonly items: readonly Item[] } }) => body.items.map(({ id }) => id);

  beforeAll(async () => {
    world = await apiWorld();
    [owner, stranger] = [await world.user('owner'), await world.user('stranger')];
    await world.call('POST', '/tasks', { token: owner, body: TONE });
    await put('tone', 'open', 'public');
    await put('tone', 'secret', 'hidden');
    const model = (name: string, isRight: (index: number) => boolean) =>
      scoredModel(world, { slug: 'tone', name, token: owner, answer: answersWhere(isRight) });
    // Good is wrong on 0 to 5, Poor on every fourth
    good = await model('Good', (index) => index >= 6);
    poor = await model('Poor', (index) => index % 4 > 0);
  }, 300_000);
  afterAll(() => world.close());

  it('gives the errors on a public set, with input, gold, answer, probabilities and slices', async () => {
    const answer = await examples('outcome=wrong');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ dataset: 'open', version: 1, metric: 'accuracy', matching: 6 });
    expect(answer.body).not.toHaveProperty('nextCursor');
    expect(ids(answer)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `open-${n}`));
    expect(answer.body.items[1]).toEqual({
      id: 'open-1',
      inputs: { text: 'text 1 of open' },
      gold: ['negative'],
      slices: { source: ['web'] },
      answer: 'positive',
      right: false,
      score: 0,
      probabilities: { negative: 0.25, positive: 0.75 },
    });
  });

  it('counts the examples of each slice, gold label and answer, whatever is asked for', async () => {
    const { body } = await examples('outcome=right&limit=1');
    expect(body.counts).toEqual({
      n: 40,
      wrong: 6,
      invalid: 0,
      slices: { source: { web: { n: 30, wrong: 6 }, print: { n: 10, wrong: 0 } } },
      labels: { negative: { n: 20, wrong: 3 }, positive: { n: 20, wrong: 3 } },
      answers: { negative: { n: 20, wrong: 3 }, positive: { n: 20, wrong: 3 } },
    });
    expect(body.matching).toBe(34);
  });

  it('takes a slice, a gold label and an answer together', async () => {
    expect(ids(await examples('slice=source:web&label=positive&answer=negative'))).toEqual([
      'open-0',
      'open-2',
      'open-4',
    ]);
    expect(ids(await examples('slice=source:print&outcome=wrong'))).toEqual([]);
    expect(ids(await examples('slice=source:nowhere'))).toEqual([]);
  });

  it('goes through all pages without a gap', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await examples(`outcome=right&limit=10${cursor}`);
      seen.push(...ids(page));
      cursor = page.body.nextCursor === undefined ? '' : `&cursor=${page.body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(Array.from({ length: 34 }, (_, n) => `open-${n + 6}`));
  });

  it('keeps the examples of a hidden set for the owner of the task', async () => {
    expect((await examples('', { name: 'secret', token: stranger })).body).toMatchObject({ code: 'examples_hidden' });
    expect((await examples('', { name: 'secret' })).status).toBe(403);
    expect((await examples('', { name: 'secret', token: owner })).body.matching).toBe(40);
    expect((await compared('dataset=secret', stranger)).body).toMatchObject({ code: 'examples_hidden' });
    expect((await compared('dataset=secret', owner)).body.matching).toBe(12);
  });

  it('says what a wrong question lacks', async () => {
    expect((await examples('', { name: 'none' })).body).toMatchObject({ code: 'unknown_dataset', status: 404 });
    expect((await examples('slice=web')).body).toMatchObject({ status: 422 });
    expect((await examples('limit=101')).body).toMatchObject({ status: 422 });
    expect((await examples('cursor=x')).body).toMatchObject({ status: 422 });
    expect((await compared('dataset=none')).body).toMatchObject({ code: 'unknown_dataset' });
    const created = await world.call('POST', '/tasks/tone/models', {
      token: owner,
      body: { name: 'Later', kind: 'container' },
    });
    const id = created.body.id as string;
    expect((await examples('', { id, token: owner })).body).toMatchObject({
      code: 'not_answered',
      status: 409,
      detail: expect.stringContaining('not evaluated yet'),
    });
  });

  it('has neither right nor wrong where the output is a number, and says so where it is asked for', async () => {
    await world.call('POST', '/tasks', { token: owner, body: LENGTH });
    await put('length', 'open', 'public');
    const answer = (_dataset: string, { gold }: DatasetRow): Answer => ({ text: String(Number(gold[0]) + 1) });
    const id = await scoredModel(world, { slug: 'length', name: 'Counter', token: owner, answer });
    const { body } = await examples('limit=1', { id });
    expect(body).toMatchObject({ metric: null, counts: { n: 40, wrong: null } });
    expect(body.items[0]).toMatchObject({ gold: ['0'], answer: '1', right: null, score: 1 });
    expect((await examples('outcome=wrong', { id })).body).toMatchObject({ code: 'no_right_or_wrong' });
    expect((await examples('label=1', { id })).body).toMatchObject({ code: 'no_labels' });
    const confusion = await world.call('GET', `/models/${id}/datasets/open/confusion`);
    expect(confusion.body).toMatchObject({ code: 'no_labels' });
  });

  it('tells two models apart by the examples that only one has right, or neither', async () => {
    const either = await compared('dataset=open&limit=100');
    // both are wrong on 0 and 4
    expect(either.body.counts).toEqual({ a: 8, b: 4, bothRight: 26, bothWrong: 2 });
    expect(either.body).toMatchObject({ metric: 'accuracy', matching: 12, version: 1 });
    expect(ids(await compared('dataset=open&only=b'))).toEqual(['open-1', 'open-2', 'open-3', 'open-5']);
    expect(ids(await compared('dataset=open&only=both_wrong'))).toEqual(['open-0', 'open-4']);
    const alone = await compared('dataset=open&only=a&slice=source:print');
    expect(ids(alone)).toEqual(['open-32', 'open-36']);
    expect(alone.body.items[0]).toMatchObject({
      inputs: { text: 'text 32 of open' },
      a: { answer: 'positive', right: true },
      b: { answer: 'negative', right: false, probabilities: { negative: 0.75, positive: 0.25 } },
    });
  });

  it('has a confusion matrix, whose small cells of a hidden set are for the owner of the task', async () => {
    const confusion = (name: string, token?: string) =>
      world.call('GET', `/models/${good}/datasets/${name}/confusion`, { token });
    const whole = [
      [17, 3, 0],
      [3, 17, 0],
    ];
    expect((await confusion('open')).body).toEqual({
      dataset: 'open',
      version: 1,
      n: 40,
      labels: LABELS,
      counts: whole,
    });
    expect((await confusion('secret', owner)).body.counts).toEqual(whole);
    expect((await confusion('secret', stranger)).body.counts).toEqual([
      [17, null, null],
      [null, 17, null],
    ]);
  });
});
