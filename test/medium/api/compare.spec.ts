import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Dataset } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { answersWhere, SENTIMENT_TASK, sentimentLines } from '../../factories/models/sentiment-task.js';

const TASK = { ...SENTIMENT_TASK, slug: 'tone', name: 'Tone', metrics: ['macro_f1'] };
const N = 120;

interface Difference {
  readonly value: number;
  readonly standardError: number;
}

describe('GET /tasks/{slug}/compare', () => {
  let world: ApiWorld;
  let owner: string;
  let stranger: string;
  let good: string;
  let poor: string;

  const compare = (query: string, token?: string, headers?: Record<string, string>) =>
    world.call('GET', `/tasks/tone/compare?${query}`, { token, ...(headers && { headers }) });

  beforeAll(async () => {
    world = await apiWorld();
    [owner, stranger] = [await world.user('owner'), await world.user('stranger')];
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    for (const [name, visibility] of [
      ['open', 'public'],
      ['secret', 'hidden'],
      ['lacking', 'public'],
    ]) {
      await world.call('PUT', `/tasks/tone/datasets/${name}?visibility=${visibility}`, {
        token: owner,
        type: 'application/x-ndjson',
        body: sentimentLines(name!, { count: N, web: 60 }),
      });
    }
    // Good is wrong on 6 of 120 examples, all of `web`; on 30 examples of `secret` only Good is
    // right
    good = await scoredModel(world, {
      slug: 'tone',
      name: 'Good',
      token: owner,
      answer: answersWhere((index) => index >= 6),
    });
    poor = await scoredModel(world, {
      slug: 'tone',
      name: '=Poor',
      token: owner,
      answer: answersWhere((index, dataset) =>
        dataset === 'lacking' ? undefined : dataset === 'open' ? index % 4 > 0 : index >= 36,
      ),
    });
  }, 300_000);
  afterAll(() => world.close());

  it('has both values, the difference with interval, p and counts for each dataset and metric', async () => {
    const { status, body } = await compare(`a=${good}&b=${poor}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ task: 'tone', benchmarkVersion: 1, performance: 'accuracy', sameComputation: false });
    const [open, secret] = body.datasets;
    // Good misses 0 to 5, Poor every fourth: both miss 0 and 4
    expect(open).toMatchObject({ dataset: 'open', version: 1, n: 120, use: 'scoring', own: { a: false, b: false } });
    const { accuracy } = open.metrics;
    expect(accuracy).toMatchObject({ test: 'mcnemar-mid-p', discordant: { a: 28, b: 4 }, better: 'a' });
    expect(accuracy.a.value).toBeCloseTo(114 / 120, 12);
    expect(accuracy.a.low).toBeLessThan(114 / 120);
    expect(accuracy.difference.value).toBeCloseTo(24 / 120, 12);
    // scipy.stats: 2·binom.cdf(4, 32, ½) − binom.pmf(4, 32, ½)
    expect(accuracy.p).toBeCloseTo(1.0928604751825353e-5, 14);
    expect(accuracy.detectable).toBeCloseTo(2.8 * accuracy.difference.standardError, 12);
    expect(open.metrics.macro_f1).toMatchObject({ better: 'a' });
    // Holm over two metrics on two datasets and over both together
    expect(accuracy.holm).toBeGreaterThanOrEqual(accuracy.p);
    expect(accuracy.holm).toBeLessThanOrEqual(6 * accuracy.p);
    const { p, holm } = open.metrics.macro_f1;
    expect(holm).toBeGreaterThan(p);
    expect(secret.metrics.accuracy.discordant).toEqual({ a: 30, b: 0 });
  });

  it('tells the slices in which the difference stands out', async () => {
    const { body } = await compare(`a=${good}&b=${poor}`);
    const { web, print } = body.datasets[1].slices.source;
    expect([web.n, print.n]).toEqual([60, 60]);
    expect(web.metrics.accuracy).toMatchObject({ standsOut: true, better: 'a', discordant: { a: 30, b: 0 } });
    expect(print.metrics.accuracy).toMatchObject({ standsOut: false, better: null, p: 1, discordant: { a: 0, b: 0 } });
  });

  it('weighs the datasets that both have, and says which is missing and why', async () => {
    const { body } = await compare(`a=${good}&b=${poor}`);
    const { overall, datasets } = body;
    expect(overall).toMatchObject({ comparable: 2, of: 3 });
    expect(overall.missing).toEqual([{ dataset: 'lacking', version: 1, why: '=Poor: not evaluated yet' }]);
    const [one, other] = (datasets as { metrics: { accuracy: { difference: Difference } } }[]).map(
      ({ metrics }) => metrics.accuracy.difference,
    ) as [Difference, Difference];
    expect(overall.metrics.accuracy.difference.value).toBeCloseTo((one.value + other.value) / 2, 12);
    const error = Math.hypot(one.standardError, other.standardError) / 2;
    expect(overall.metrics.accuracy.difference.standardError).toBeCloseTo(error, 12);
    expect(overall.metrics.accuracy.better).toBe('a');
  });

  it('turns round with the models, and takes names', async () => {
    const [there, back] = [await compare('a=Good&b=%3DPoor'), await compare('a=%3DPoor&b=Good')];
    expect(there.body.a.id).toBe(good);
    const of = ({ body }: typeof there) => body.datasets[0].metrics.accuracy;
    expect(of(back).difference.value).toBe(-of(there).difference.value);
    expect(of(back)).toMatchObject({ better: 'b', discordant: { a: 4, b: 28 }, p: of(there).p });
  });

  it('shows the examples of a public dataset that exactly one has right, page by page', async () => {
    const query = `a=${good}&b=${poor}&examples=true&dataset=open`;
    const first = (await compare(`${query}&limit=20`)).body.examples;
    const second = (await compare(`${query}&limit=20&cursor=${first.nextCursor}`)).body.examples;
    const items = [...first.items, ...second.items];
    expect(first).toMatchObject({ dataset: 'open', version: 1, metric: 'accuracy' });
    expect(second.nextCursor).toBeUndefined();
    expect(items).toHaveLength(32);
    expect(items.filter(({ right }) => right === 'b').map(({ id }) => id)).toEqual([
      'open-1',
      'open-2',
      'open-3',
      'open-5',
    ]);
    expect(items[0]).toEqual({
      id: 'open-1',
      inputs: { text: 'text 1 of open' },
      gold: ['negative'],
      right: 'b',
      a: { answer: 'positive', probabilities: { negative: 0.25, positive: 0.75 } },
      b: { answer: 'negative', probabilities: { negative: 0.75, positive: 0.25 } },
    });
  });

  it('never shows hidden examples to anybody but the owner of the task', async () => {
    const query = `a=${good}&b=${poor}&examples=true&dataset=secret`;
    for (const token of [undefined, stranger]) {
      const { status, body } = await compare(query, token);
      expect([status, body.code]).toEqual([403, 'examples_hidden']);
      expect(JSON.stringify((await compare(`a=${good}&b=${poor}`, token)).body)).not.toContain('of secret');
    }
    expect((await compare(query, owner)).body.examples.items).toHaveLength(30);

    const em = world.orm.em.fork();
    await em.nativeUpdate(Dataset, { name: 'secret' }, { visibility: 'inputs' });
    expect((await compare(query, stranger)).status).toBe(403);
  });

  it('warns where one model may have seen the data, and leaves own rounds out of the overall difference', async () => {
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, poor, { populate: ['specification.artifact'] });
    await em.nativeUpdate(Artifact, specification!.artifact.id, { createdAt: new Date(Date.now() + 60_000) });
    await em.nativeUpdate(Dataset, { name: 'open' }, { publicSince: new Date(Date.now() + 30_000) });
    await em.nativeUpdate(Dataset, { name: 'secret' }, { against: [good] });

    const { body } = await compare(`a=${good}&b=${poor}`);
    const [open, secret] = body.datasets;
    expect(open.exposure).toEqual({ a: 'clean', b: 'exposed' });
    expect(open.warnings).toEqual([expect.stringContaining('"=Poor" was submitted after some of the data was public')]);
    expect(secret.own).toEqual({ a: true, b: false });
    expect(secret.warnings).toEqual([expect.stringContaining('collected against "Good"')]);
    expect(body.overall).toMatchObject({ comparable: 1, of: 3 });
    expect(body.overall.metrics.accuracy.difference.value).toBeCloseTo(open.metrics.accuracy.difference.value, 12);
    expect(body.overall.missing).toContainEqual(
      expect.objectContaining({ dataset: 'secret', why: 'its examples were collected against one of the models' }),
    );

    await em.nativeUpdate(Dataset, { name: 'secret' }, { against: [] });
    await em.nativeUpdate(Dataset, { name: 'open' }, { publicSince: null });
  });

  it('compares each two of several, with Holm over the pairs', async () => {
    const third = await scoredModel(world, {
      slug: 'tone',
      name: 'Third',
      token: owner,
      answer: answersWhere((index) => index >= 8),
    });
    const { body } = await compare(`models=${good},${poor},${third}`);
    expect(body.models.map(({ name }: { name: string }) => name)).toEqual(['Good', '=Poor', 'Third']);
    expect(body.pairs.map(({ a, b, comparable }: Record<string, unknown>) => [a, b, comparable])).toEqual([
      [good, poor, 2],
      [good, third, 3],
      [poor, third, 2],
    ]);
    const [first, , last] = body.pairs;
    const pair = (await compare(`a=${good}&b=${poor}`)).body.overall.metrics.accuracy;
    expect(first.difference.value).toBeCloseTo(pair.difference.value, 12);
    expect(first.p).toBeCloseTo(pair.p, 12);
    expect(first.holm).toBeGreaterThan(first.p);
    expect([first.better, last.better]).toEqual(['a', 'b']);
  });

  it('says that two names are one computation', async () => {
    const twin = await scoredModel(world, {
      slug: 'tone',
      name: 'Twin',
      token: owner,
      bytes: 'Good',
      answer: () => undefined,
    });
    const { body } = await compare(`a=${good}&b=${twin}`);
    expect(body.sameComputation).toBe(true);
    expect(body.warnings).toEqual([expect.stringContaining('the same computation')]);
    expect(body.overall.metrics.accuracy).toMatchObject({ better: null, difference: { value: 0 } });
  });

  it('gives the same figures as CSV and as LaTeX, with names made harmless', async () => {
    const { headers, body } = await compare(`a=${poor}&b=${good}`, undefined, { accept: 'text/csv' });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows: Record<string, string>[] = parse(body as string, { columns: true });
    const json = (await compare(`a=${poor}&b=${good}`)).body;
    expect(rows.map(({ dataset, metric, slice }) => [dataset, metric, slice]).slice(0, 3)).toEqual([
      ['overall', 'accuracy', ''],
      ['overall', 'macro_f1', ''],
      ['open', 'accuracy', ''],
    ]);
    expect(rows[2]).toMatchObject({
      model_a: "'=Poor",
      difference: String(json.datasets[0].metrics.accuracy.difference.value),
      p: String(json.datasets[0].metrics.accuracy.p),
      holm: String(json.datasets[0].metrics.accuracy.holm),
      better: 'b',
      only_b: '28',
    });
    expect(rows.some(({ slice }) => slice === 'web')).toBe(true);

    const latex = await compare(`a=${poor}&b=${good}&format=latex`);
    expect(latex.headers.get('content-type')).toBe('application/x-latex; charset=utf-8');
    expect(latex.body).toContain('\\caption{=Poor (a) and Good (b) on tone, benchmark version 1.}');
    expect(latex.body).toMatch(/open & accuracy & 120 & 75\.0 \$\\pm\$ [\d.]+ & 95\.0 \$\\pm\$ [\d.]+ & \$-\$20\.0/);
  });

  it('refuses what cannot be compared, and names it', async () => {
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug: 'other' } });
    const elsewhere = await scoredModel(world, {
      slug: 'other',
      name: 'Elsewhere',
      token: owner,
      answer: () => undefined,
    });
    const unpublished = await scoredModel(world, {
      slug: 'tone',
      name: 'Private',
      token: owner,
      publish: false,
      answer: answersWhere(() => true),
    });
    const empty = await scoredModel(world, { slug: 'tone', name: 'Empty', token: owner, answer: () => undefined });
    const both = `a=${good}&b=${poor}`;
    const refused = async (query: string, token?: string) => {
      const { status, body } = await compare(query, token);
      return [status, body.code, body.detail];
    };
    expect(await refused(`a=${good}&b=${good}`)).toEqual([422, 'same_model', expect.stringContaining('"Good"')]);
    expect(await refused(`a=${good}&b=${elsewhere}`)).toEqual([422, 'other_task', expect.stringContaining('"other"')]);
    expect(await refused(`a=${good}&b=${unpublished}`)).toEqual([
      404,
      'unknown_model',
      expect.stringContaining(unpublished),
    ]);
    expect(await refused(`a=${good}&b=${unpublished}`, stranger)).toEqual([404, 'unknown_model', expect.any(String)]);
    expect((await compare(`a=${good}&b=${unpublished}`, owner)).status).toBe(200);
    expect(await refused(`a=${good}&b=nobody`)).toEqual([404, 'unknown_model', expect.stringContaining('"nobody"')]);
    expect(await refused(`a=${good}&b=${empty}`)).toEqual([
      409,
      'nothing_comparable',
      expect.stringContaining('"Empty"'),
    ]);
    expect(await refused(`a=${good}`)).toEqual([422, 'models_missing', expect.any(String)]);
    expect(await refused(`${both}&examples=true`)).toEqual([422, 'dataset_missing', expect.any(String)]);
    expect(await refused(`${both}&examples=true&dataset=none`)).toEqual([
      404,
      'unknown_dataset',
      expect.stringContaining('"none"'),
    ]);
    expect(await refused(`${both}&examples=true&dataset=open&cursor=x`)).toEqual([
      422,
      'unknown_cursor',
      expect.any(String),
    ]);
    expect(await refused(`${both}&asOf=v9`)).toEqual([404, 'no_such_version', expect.any(String)]);
    expect(await refused(`${both}&asOf=now`)).toEqual([422, 'invalid_as_of', expect.any(String)]);
    await scoredModel(world, { slug: 'tone', name: 'Good', token: stranger, answer: () => undefined });
    expect(await refused(`a=Good&b=${poor}`)).toEqual([422, 'ambiguous_model', expect.stringContaining(good)]);
  });
});
