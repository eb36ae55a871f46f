import { Readable } from 'node:stream';
import { OutboxEvent } from '@assay/persistence/outbox';
import { TasksService } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { DatasetsService, DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RequestContext } from '@mikro-orm/postgresql';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

interface Line {
  readonly id: string;
  readonly input_id: string;
  readonly transform: string;
  readonly text: string;
  readonly label: string;
}

const jsonLines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n');
const parsed = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const rows = (count: number, name = 'x') =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name}-${index}`,
    text: `She really believes that Emily wrote the beautiful story number ${index}, and it is not bad.`,
    label: index % 2 ? 'positive' : 'negative',
    kept: index,
  }));

describe('perturbed versions of datasets', () => {
  let world: ApiWorld;
  let ada: string;
  let bob: string;
  let slug: string;
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld();
    ada = await world.user('ada');
    bob = await world.user('bob');
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    slug = `task-${count++}`;
    const created = await world.call('POST', '/tasks', {
      token: ada,
      body: {
        slug,
        name: 'Sentiment',
        inputs: [{ name: 'text', type: 'text' }],
        output: { name: 'label', type: 'label', labels: ['positive', 'negative'] },
        performance: 'accuracy',
        perturbations: { robustness: ['case', 'misspellings'], fairness: ['gender', 'names'], sample: 40 },
      },
    });
    expect(created.status).toBe(201);
  });

  const put = (name: string, records: readonly object[], query = '?visibility=public') =>
    world.call('PUT', `/tasks/${slug}/datasets/${name}${query}`, {
      token: ada,
      type: 'application/x-ndjson',
      body: jsonLines(records),
    });
  const pairs = (kind: string, records: readonly object[], token = ada, name = 'one') =>
    world.call('PUT', `/tasks/${slug}/datasets/${name}/perturbations/${kind}`, {
      token,
      type: 'application/x-ndjson',
      body: jsonLines(records),
    });
  const get = (path: string, token?: string, name = 'one') =>
    world.call('GET', `/tasks/${slug}/datasets/${name}/perturbations${path}`, { token });
  const change = (body: object) => world.call('PATCH', `/tasks/${slug}`, { token: ada, body });

  const versions = () =>
    world.orm.em
      .fork()
      .find(
        DatasetVersion,
        { dataset: { task: { slug } } },
        { populate: ['dataset', 'original'], orderBy: { dataset: { name: 'asc' }, number: 'asc' } },
      );
  const inForce = async () => {
    const em = world.orm.em.fork();
    const [newest] = await em.find(BenchmarkVersion, { task: { slug } }, { orderBy: { number: 'desc' }, limit: 1 });
    const named = await em.find(
      DatasetVersion,
      { id: { $in: [...(newest?.datasets ?? [])] } },
      { populate: ['dataset'] },
    );
    return { number: newest!.number, names: named.map(({ dataset, number }) => `${dataset.name} ${number}`).sort() };
  };

  it('are made with the dataset, of a sample, once, and are no datasets of the task', async () => {
    const made = await put('one', rows(60));
    expect(made).toMatchObject({ status: 201, body: { status: 'active', examples: 60 } });

    const [original, fairness, robustness, ...others] = await versions();
    expect(others).toEqual([]);
    expect(fairness).toMatchObject({
      status: 'active',
      examples: 80,
      dataset: { name: 'one~fairness', perturbation: 'fairness', visibility: 'public', use: 'scoring' },
      transforms: [
        { name: 'gender', version: 1, variants: 40, validated: 0, kept: 0 },
        { name: 'names', version: 1, variants: 40, validated: 0, kept: 0 },
      ],
    });
    expect(robustness!.original!.id).toBe(original!.id);
    expect((await inForce()).names).toEqual(['one 1', 'one~fairness 1', 'one~robustness 1']);
    const task = await world.call('GET', `/tasks/${slug}`);
    expect(task.body.datasets.map(({ name }: { name: string }) => name)).toEqual(['one']);

    expect((await put('one', rows(60))).status).toBe(200);
    expect(await versions()).toHaveLength(3);
  });

  it('tell nobody whether a hidden dataset is there', async () => {
    await put('one', rows(40), '?visibility=hidden');

    for (const path of ['', '/robustness', '/fairness']) {
      const absent = await get(path, bob, 'absent');
      expect(absent).toMatchObject({ status: 404, body: { code: 'not_found' } });
      const { status, body } = await get(path, bob);
      const ofRequest = { instance: null, requestId: null };
      expect({ status, body: { ...body, ...ofRequest } }).toEqual({
        status: 404,
        body: { ...absent.body, ...ofRequest },
      });
    }
    expect((await get('', ada)).body.items).toHaveLength(2);
  });

  it('can be read: each line is its original, perturbed', async () => {
    await put('one', rows(60));
    const { status, body } = await get('/robustness');
    const lines = parsed(body as string);

    expect(status).toBe(200);
    expect(new Set(lines.map(({ transform }) => transform))).toEqual(new Set(['case', 'misspellings']));
    const line = lines.find(({ transform }) => transform === 'case')!;
    const original = rows(60).find(({ id }) => id === line.input_id)!;
    expect(line).toEqual({
      ...original,
      id: `${original.id}~case`,
      input_id: original.id,
      transform: 'case',
      text: original.text.toUpperCase(),
    });
    const summary = await get('');
    expect(summary.body).toMatchObject({
      items: [
        { perturbation: 'fairness', examples: 80, transforms: [{ name: 'gender', ranks: true }, { name: 'names' }] },
        { perturbation: 'robustness', version: 1, own: false },
      ],
    });
  });

  it('are as visible as their dataset', async () => {
    await put('one', rows(40), '?visibility=hidden');
    expect([(await get('/fairness', bob)).status, (await get('', bob)).status]).toEqual([404, 404]);
    expect([(await get('/fairness', ada)).status, (await get('', ada)).status]).toEqual([200, 200]);

    await put('one', rows(40), '?visibility=inputs');
    const [line] = parsed((await get('/fairness', bob)).body as string);
    expect(Object.keys(line!)).toEqual(['id', 'text']);
    expect(parsed((await get('/fairness', ada)).body as string)[0]).toHaveProperty('label');
  });

  it('come with a change of the task, in a new benchmark version, and go with one', async () => {
    await put('one', rows(40));
    await put('two', rows(40, 'y'));
    const before = await inForce();

    await change({ perturbations: { robustness: ['case', 'typos'], fairness: null } });
    const after = await inForce();
    expect(after).toEqual({
      number: before.number + 1,
      names: ['one 1', 'one~robustness 2', 'two 1', 'two~robustness 2'],
    });

    await change({ perturbations: { robustness: ['case', 'misspellings'] } });
    expect((await inForce()).names).toEqual(['one 1', 'one~robustness 1', 'two 1', 'two~robustness 1']);
    await change({ perturbations: null });
    expect((await inForce()).names).toEqual(['one 1', 'two 1']);
    expect((await versions()).filter(({ original, status }) => original && status !== 'retired')).toEqual([]);
  });

  it('come and go with the language of the task too, in a new benchmark version', async () => {
    await put('one', rows(40));
    const before = await inForce();

    await change({ language: 'de' });

    const active = (await versions()).filter(({ status }) => status === 'active');
    expect(await inForce()).toEqual({
      number: before.number + 1,
      names: active.map(({ dataset, number }) => `${dataset.name} ${number}`),
    });
    expect((await inForce()).names).not.toEqual(before.names);
  });

  it('are replaced with their dataset', async () => {
    await put('one', rows(40));
    await put('one', rows(50));

    expect((await inForce()).names).toEqual(['one 2', 'one~fairness 2', 'one~robustness 2']);
    expect((await versions()).map(({ dataset, number, status }) => `${dataset.name} ${number} ${status}`)).toEqual([
      'one 1 retired',
      'one 2 active',
      'one~fairness 1 retired',
      'one~fairness 2 active',
      'one~robustness 1 retired',
      'one~robustness 2 active',
    ]);
  });

  it('wait with their dataset where models are ranked, and are activated with it', async () => {
    await put('one', rows(40));
    const propose = (name: string, count: number) =>
      RequestContext.create(world.orm.em, async () => {
        const task = await world.app.get(TasksService).get(slug);
        const source = Readable.from([Buffer.from(jsonLines(rows(count, name)))]);
        return world.app.get(DatasetsService).put(null, task, name, {}, 'jsonl', source, () => Promise.resolve(true));
      });
    await propose('one', 50);
    await propose('one', 60);
    await propose('two', 40);
    expect((await inForce()).names).toEqual(['one 1', 'one~fairness 1', 'one~robustness 1']);

    const benchmark = (query: string, body: object = {}) =>
      world.call('POST', `/tasks/${slug}/benchmark-versions${query}`, { token: ada, body });
    const preview = await benchmark('?preview', { datasets: ['one'] });
    expect(
      preview.body.datasets.map(({ name, version }: { name: string; version: number }) => [name, version]),
    ).toEqual([['one', 3]]);
    expect((await benchmark('', { datasets: ['one~fairness'] })).body.code).toBe('nothing_proposed');
    expect((await benchmark('', { datasets: ['one'] })).status).toBe(201);
    expect((await inForce()).names).toEqual(['one 3', 'one~fairness 3', 'one~robustness 3']);
    expect((await versions()).map(({ dataset, number, status }) => `${dataset.name} ${number} ${status}`)).toEqual(
      ['one', 'one~fairness', 'one~robustness']
        .flatMap((name) => [`${name} 1 retired`, `${name} 2 retired`, `${name} 3 active`])
        .concat(['two', 'two~fairness', 'two~robustness'].map((name) => `${name} 1 proposed`)),
    );

    await change({ perturbations: { robustness: ['typos'], fairness: null } });
    expect((await inForce()).names).toEqual(['one 3', 'one~robustness 4']);
    expect((await benchmark('')).status).toBe(201);
    expect((await inForce()).names).toEqual(['one 3', 'one~robustness 4', 'two 1', 'two~robustness 2']);
  });

  describe('of the owner', () => {
    const own = (more: object = {}) => ({
      input_id: 'x-1',
      text: 'He really believes it.',
      label: 'negative',
      ...more,
    });

    it('take the place of generated ones, with labels of their own', async () => {
      await put('one', rows(40));
      const before = await inForce();
      const taken = await pairs('fairness', [own({ id: 'p1' }), own({ id: 'p2', input_id: 'x-2', label: 'positive' })]);

      expect(taken).toMatchObject({
        status: 201,
        body: { dataset: 'one', perturbation: 'fairness', version: 2, examples: 2, own: true },
      });
      expect(parsed((await get('/fairness')).body as string)).toEqual([
        expect.objectContaining({ id: 'p1', input_id: 'x-1', transform: 'own', label: 'negative' }),
        expect.objectContaining({ id: 'p2', input_id: 'x-2', transform: 'own', label: 'positive' }),
      ]);
      expect(await inForce()).toEqual({
        number: before.number + 1,
        names: ['one 1', 'one~fairness 2', 'one~robustness 1'],
      });

      const again = await pairs('fairness', [own({ id: 'p1' }), own({ id: 'p2', input_id: 'x-2', label: 'positive' })]);
      expect([again.status, (await inForce()).number]).toEqual([200, before.number + 1]);
    });

    it('stay where the dataset still has their originals, and else generated ones come back', async () => {
      await put('one', rows(40));
      await pairs('fairness', [own()]);
      await put('one', rows(50));
      expect((await get('')).body.items[0]).toMatchObject({ own: true, examples: 1 });

      await put('one', rows(50, 'z'));
      expect((await get('')).body.items[0]).toMatchObject({ own: false, examples: 80 });
    });

    it.each([
      [{ input_id: 'nobody' }, 'unknown_original', 'Line 2: "input_id" is "nobody"'],
      [{ input_id: undefined }, 'bad_line', 'Line 2: "input_id" is missing'],
      [{ label: 'perhaps' }, 'bad_line', 'Line 2: "label" is "perhaps"'],
    ])('are refused with %j, and nothing is kept', async (more, code, why) => {
      await put('one', rows(40));
      const refused = await pairs('fairness', [own(), own(more)]);

      expect([refused.status, refused.body.code]).toEqual([422, code]);
      expect(refused.body.detail).toContain(why);
      expect((await get('')).body.items[0]).toMatchObject({ own: false });
    });

    it("are the owner's to give, of a dataset that is there and a perturbation that is configured", async () => {
      await put('one', rows(40));
      expect((await pairs('fairness', [own()], bob)).status).toBe(403);
      expect((await pairs('fairness', [own()], ada, 'none')).status).toBe(404);
      expect((await pairs('beauty', [own()])).status).toBe(422);
      await change({ perturbations: { fairness: null } });
      const refused = await pairs('fairness', [own()]);
      expect([refused.status, refused.body.code]).toEqual([409, 'perturbation_not_configured']);
      await change({ perturbations: { fairness: [] } });
      expect((await pairs('fairness', [own()])).status).toBe(201);
    });
  });

  describe('checked by people', () => {
    const verdicts = (records: readonly object[], token = ada) =>
      world.call('PUT', `/tasks/${slug}/datasets/one/perturbations/robustness/validations`, {
        token,
        type: 'application/x-ndjson',
        body: jsonLines(records),
      });
    const stale = async () => await world.orm.em.fork().count(OutboxEvent, { type: 'scores.stale' });

    it('are given as a sample with their originals, the same each time', async () => {
      await change({ perturbations: { sample: 150 } });
      await put('one', rows(160));
      const sample = await get('/robustness/sample', ada);
      const lines = parsed(sample.body as string);

      expect(lines.filter(({ transform }) => transform === 'case')).toHaveLength(100);
      expect(lines.filter(({ transform }) => transform === 'misspellings')).toHaveLength(100);
      expect(lines[0]).toMatchObject({ original: { text: expect.stringMatching(/^She/) }, label: expect.any(String) });
      expect((await get('/robustness/sample', ada)).body).toBe(sample.body);
      expect((await get('/robustness/sample', bob)).status).toBe(403);
    });

    it('count, and a transform that loses labels does not rank', async () => {
      await put('one', rows(40));
      const before = await stale();
      const looked = (lost: number) =>
        Array.from({ length: 40 }, (_, index) => ({ id: `x-${index}~case`, kept: index >= lost }));
      const kept = await verdicts(looked(2));
      expect(kept).toMatchObject({
        status: 200,
        body: {
          transforms: [
            { name: 'case', validated: 40, kept: 38, ranks: true },
            { name: 'misspellings', validated: 0 },
          ],
        },
      });
      expect((await verdicts(looked(3))).body.transforms[0]).toMatchObject({ kept: 37, ranks: false });
      expect((await verdicts(looked(29).slice(0, 29))).body.transforms[0]).toMatchObject({
        validated: 29,
        ranks: true,
      });
      expect(await stale()).toBe(before + 3);
      await verdicts(looked(29).slice(0, 29));
      expect(await stale()).toBe(before + 3);
    });

    it('are no more than there are variants', async () => {
      await put('one', rows(40));
      const { examples } = (await versions()).find(({ dataset }) => dataset.perturbation === 'robustness')!;
      const many = Array.from({ length: examples + 5 }, (_, index) => ({ id: `other-${index}`, kept: true }));

      const refused = await verdicts(many);

      expect([refused.status, refused.body.code]).toEqual([422, 'bad_line']);
      expect(refused.body.detail).toContain(`Line ${examples + 1}: there are too many verdicts`);
      expect(refused.body.detail).toContain(`the limit is ${examples}, for ${examples} variants`);
    });

    it.each([
      [{ id: 'x-1~case' }, 'bad_line'],
      [{ id: 'nobody~case', kept: true }, 'unknown_variant'],
      [{ id: 'x-0~case', kept: false }, 'bad_line'],
      [{ id: 'x'.repeat(1001), kept: true }, 'bad_line'],
      [{ id: Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 1), kept: true }, 'bad_line'],
    ])('refuse %j', async (line, code) => {
      await put('one', rows(40));
      const refused = await verdicts([{ id: 'x-0~case', kept: true }, line]);
      expect([refused.status, refused.body.code]).toEqual([422, code]);
      expect(refused.body.detail).toContain('Line 2');
      expect((await verdicts([], bob)).status).toBe(403);
    });
  });
});
