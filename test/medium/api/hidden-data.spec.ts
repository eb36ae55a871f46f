import { RoundRelease } from '@assay/collection/rounds';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiDocument, operationsOf } from '../../factories/worlds/api-operations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';

const TASK = {
  slug: 'riddles',
  name: 'Riddles',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'reply', type: 'text' },
  performance: 'exact_match',
  slices: ['tags'],
  weights: { exact_match: 1 },
  aggregate: { minimumExamples: 2 },
};
const EXAMPLES = 60;
/** The number of examples with the rare tag: the first five. */
const RARE = 5;

/** Texts that only the owner of the task may read, for a dataset that is not public. */
const marks = (dataset: string) => ({
  input: `input-mark-${dataset}`,
  gold: `gold-mark-${dataset}`,
  id: `id-mark-${dataset}`,
  rare: `rare-mark-${dataset}`,
  field: `field-mark-${dataset}`,
  answer: `answer-mark-${dataset}`,
});
const HIDDEN = Object.values(marks('hidden'));
/**
 * If only the inputs of a dataset are public, these texts stay private, but inputs and IDs may be
 * read.
 */
const READABLE = ['gold', 'rare', 'field', 'answer'].map((what) => marks('readable')[what as 'gold']);

const lines = (dataset: string): string => {
  const { input, gold, id, rare, field } = marks(dataset);
  return Array.from({ length: EXAMPLES }, (_, n) =>
    JSON.stringify({
      id: `${id}-${n}`,
      text: `${input} what is this, and why is it not that ${n}`,
      reply: `${gold}-${n}`,
      tags: n < RARE ? [rare, 'common'] : ['common'],
      note: field,
    }),
  ).join('\n');
};

/** The ID of a run and of an evaluation that do not exist. */
const NOBODYS = '00000000-0000-7000-8000-000000000000';

describe('data that are not public', () => {
  let world: ApiWorld;
  const tokens: Record<string, string | undefined> = { nobody: undefined };
  let routes: string[];

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'builder', 'stranger', 'writer']) tokens[name] = await world.user(name);
    await world.call('POST', '/tasks', { token: tokens['owner'], body: TASK });
    for (const [name, visibility] of [
      ['hidden', 'hidden'],
      ['readable', 'inputs'],
    ]) {
      const query = `visibility=${visibility}&role=static`;
      const put = await world.call('PUT', `/tasks/riddles/datasets/${name}?${query}`, {
        token: tokens['owner'],
        type: 'application/x-ndjson',
        body: lines(name!),
      });
      expect(put.status).toBe(201);
    }
    const first = await answering('First', (n) => n % 3 > 0);
    const second = await answering('Second', (n) => n % 4 > 0);
    await perturbed([first, second]);
    await save();
    await collected();
    routes = await allRoutes([first, second]);
  }, 300_000);
  afterAll(() => world.close());

  /**
   * Creates a scored model of `builder`: right where `isRight` says so, otherwise with its own
   * answer.
   */
  async function answering(name: string, isRight: (index: number) => boolean): Promise<string> {
    const id = await scoredModel(world, {
      slug: 'riddles',
      name,
      token: tokens['builder']!,
      answer: (dataset, { index, gold }) => {
        const text = isRight(index) ? gold[0]! : `${marks(dataset).answer}-${index}`;
        return { text };
      },
    });
    const em = world.orm.em.fork();
    await em.nativeUpdate(Model, id, { state: 'scored' });
    return id;
  }

  /**
   * Perturbs the datasets and stores results of each model: one transform with many examples, one
   * with few.
   */
  async function perturbed(models: readonly string[]): Promise<void> {
    const { status } = await world.call('PATCH', '/tasks/riddles', {
      token: tokens['owner'],
      body: { perturbations: { robustness: ['case', 'whitespace'], sample: 40 } },
    });
    expect(status).toBe(200);
    const em = world.orm.em.fork();
    const versions = await em.find(
      DatasetVersion,
      { dataset: { perturbation: { $ne: null } } },
      { populate: ['dataset'] },
    );
    expect(versions).toHaveLength(2);
    const none = { stayedRight: null, stability: null, drop: null, validated: 0, kept: 0, ranks: true };
    for (const id of models) {
      const { specification, task, owner } = await em.findOneOrFail(Model, id);
      for (const version of versions) {
        version.status = 'active';
        const figures = { ...none, originals: 40, variants: 40, performance: 0.5 };
        const cell = await em.findOne(Evaluation, { specification: specification!.id, datasetVersion: version });
        em.assign(cell ?? em.create(Evaluation, { specification: specification!.id, datasetVersion: version }), {
          state: 'scored',
          perturbed: { ...figures, transforms: { case: figures, whitespace: { ...figures, variants: 3 } } },
        });
      }
      const deadline = new Date();
      em.create(Run, {
        ...{ specification: specification!.id, task, owner, stage: 'evaluation', state: 'done', deadline, log: '' },
      });
    }
    await em.flush();
  }

  async function save(): Promise<void> {
    await publishBoard(world, 'riddles');
    for (const what of ['forks', 'snapshots']) {
      const body = { name: 'kept', weights: { exact_match: 2 } };
      const { status } = await world.call('POST', `/tasks/riddles/${what}`, { token: tokens['stranger'], body });
      expect(status).toBe(201);
    }
  }

  /** Creates a closed round whose only example is in its hidden test set. */
  async function collected(): Promise<void> {
    const factory = await annotationFactory(world.orm, 'riddles');
    const { input, gold, rare, field, answer } = marks('hidden');
    await factory.written({
      by: 'writer',
      input: { text: input },
      label: [gold],
      authorLabel: [gold],
      answers: [{ model: field, specification: field, answer, milliseconds: 1, at: '2026-01-01T00:00:00.000Z' }],
      extra: { note: rare },
      outcome: 'validated',
      split: 'test',
    });
    const em = world.orm.em.fork();
    await em.nativeUpdate(Round, factory.round.id, { state: 'closed' });
    const { content } = await em.findOneOrFail(DatasetVersion, { dataset: { name: 'hidden' } });
    em.create(RoundRelease, { round: factory.round.id, part: 'test', dataset: 'hidden', examples: EXAMPLES, content });
    await em.flush();
  }

  /**
   * Returns all URLs for GET requests, according to the API's own document, with query parameters
   * to try.
   */
  async function allRoutes([a, b]: readonly string[]): Promise<string[]> {
    const { body } = await world.call('GET', '/openapi.json');
    const paths = operationsOf(body as ApiDocument)
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path);
    const values: Readonly<Record<string, readonly string[]>> = {
      slug: ['riddles'],
      id: [a!, b!],
      version: ['1'],
      number: ['1'],
      link: ['none'],
      run: [NOBODYS],
      deployment: [NOBODYS],
      dataset: [NOBODYS],
      part: ['train', 'test'],
      kind: ['robustness'],
      username: ['builder', 'owner'],
    };
    const filled = (path: string): string[] => {
      const [hole, name] = /\{(\w+)\}/.exec(path) ?? [];
      if (hole === undefined) return [path];
      const names = /^\/(?:tasks|models)\/[^/]+\/datasets/.test(path) ? ['hidden', 'readable'] : ['kept'];
      const known = name === 'name' ? names : values[name!];
      if (!known) throw new Error(`${path}: what may {${name}} be?`);
      return known.flatMap((value) => filled(path.replace(hole, value)));
    };
    const pair = `/tasks/riddles/compare?a=${a}&b=${b}`;
    return [
      ...paths.flatMap(filled),
      ...['mark', 'riddles', 'first', 'writer'].map((text) => `/search?q=${text}`),
      ...[pair, `${pair}&format=csv`, `${pair}&format=latex`, `/tasks/riddles/compare?models=${a},${b}`],
      ...['hidden', 'readable'].flatMap((name) => [
        ...['hidden', 'readable'].map((from) => `/tasks/riddles/datasets/${name}/shift?from=${from}`),
        `${pair}&examples=true&dataset=${name}`,
        `/tasks/riddles/compare/examples?a=${a}&b=${b}&dataset=${name}`,
        `/tasks/riddles/compare/examples?a=${a}&b=${b}&dataset=${name}&only=both_wrong`,
        `/models/${a}/datasets/${name}/examples?outcome=wrong&slice=tags:common`,
        `/models/${a}/datasets/${name}/examples?perturbation=robustness`,
      ]),
      ...[
        'format=csv',
        'format=latex',
        'explain=true',
        'asOf=r1',
        'weights=worst:tags:1',
        'pareto=exact_match,memory',
      ].map((query) => `/tasks/riddles/leaderboard?${query}`),
    ];
  }

  async function textOf(route: string, token: string | undefined): Promise<string> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${world.url}/api/v1${route}`, { headers });
    const sent = JSON.stringify([...response.headers]);
    return Buffer.from(await response.arrayBuffer()).toString('latin1') + sent;
  }

  /**
   * Returns digests and salts that could be used to test guesses about the data, and digests of
   * what is computed from it, in all forms in which they may be written.
   */
  async function digestsOfData(): Promise<string[]> {
    const em = world.orm.em.fork();
    const dataset = { visibility: { $ne: 'public' as const } };
    const versions = await em.find(DatasetVersion, { dataset });
    const cells = await em.find(Evaluation, { datasetVersion: { dataset } });
    const digests = [
      ...versions.flatMap(({ digest, salt, content, inputsDigest }) => [digest, salt, content, inputsDigest]),
      ...cells.flatMap(({ predictions, resamples, scoringKey }) => [predictions, resamples, scoringKey]),
    ].filter((digest) => typeof digest === 'string');
    expect(new Set(digests).size).toBeGreaterThan(12);
    const forms = (['hex', 'base64', 'base64url'] as const).map((form) => (digest: string) => {
      // the length of an ETag
      return Buffer.from(digest, 'hex').toString(form).slice(0, 27);
    });
    return [...new Set(digests)].flatMap((digest) => forms.map((written) => written(digest)));
  }

  it.each(['nobody', 'stranger', 'builder'])(
    'say nothing of single examples to %s, wherever they look',
    async (role) => {
      const found: string[] = [];
      for (const route of routes) {
        const text = (await textOf(route, tokens[role])).toLowerCase();
        found.push(
          ...[...HIDDEN, ...READABLE].filter((mark) => text.includes(mark)).map((mark) => `${route}: ${mark}`),
        );
      }
      expect(found).toEqual([]);
      expect(routes.length).toBeGreaterThan(35);
    },
  );

  it.each(['nobody', 'stranger', 'builder', 'owner'])(
    'have no digest or salt that tests guesses for %s',
    async (role) => {
      const digests = await digestsOfData();
      const found: string[] = [];
      for (const route of routes) {
        // a file of hidden data and its description are accessible to the owner, who has the data
        if (role === 'owner' && route.endsWith('/croissant')) continue;
        const text = await textOf(route, tokens[role]);
        found.push(...digests.filter((digest) => text.includes(digest)).map((digest) => `${route}: ${digest}`));
      }
      expect(found).toEqual([]);
    },
  );

  it('are read back by a user who wrote them, where they read their own', async () => {
    const told = [];
    for (const route of routes)
      if ((await textOf(route, tokens['writer'])).includes(marks('hidden').input)) told.push(route);
    expect(told.filter((route) => !/^\/(me\/|annotations\/)/.test(route))).toEqual([]);
    expect(told).toContain('/me/examples');
  });

  it('are whole for the owner of the task', async () => {
    const seen = (await Promise.all(routes.map((route) => textOf(route, tokens['owner'])))).join('\n').toLowerCase();
    expect([...HIDDEN, ...READABLE].filter((mark) => !seen.includes(mark))).toEqual([]);
  });

  it('have no slice, transform or bin of fewer than ten examples but for the owner of the task', async () => {
    const em = world.orm.em.fork();
    const cells = await em.find(Evaluation, { datasetVersion: { dataset: { perturbation: null } } });
    const figure = { value: 0.5, low: null, high: null };
    const bin = { low: 0, high: 1, confidence: 0.5, accuracy: 1 };
    const bins = [
      { ...bin, n: 1 },
      { ...bin, n: 10 },
    ];
    const spread = { worst: { ...figure, slice: 'a' }, best: { ...figure, slice: 'b' }, gap: figure, slices: 2 };
    const values = { few: { n: 9, value: 1 }, many: { n: 10, value: 1 } };
    for (const cell of cells) {
      cell.calibration = { n: 11, ece: figure, brier: figure, log_loss: figure, bins };
      const matched = { groups: 3, values };
      cell.sliceSpreads = {
        tags: { exact_match: { ...spread, chance: { mean: 0, high: 0 }, standingOut: [], matched } },
      };
    }
    await em.flush();

    const [id] = routes.flatMap((route) => /^\/models\/([^/]+)$/.exec(route)?.[1] ?? []);
    const evaluations = async (token: string | undefined) =>
      (await world.call('GET', `/models/${id}`, { token })).body.evaluations as Shown[];
    for (const [role, isOwner] of [
      ['nobody', false],
      ['builder', false],
      ['owner', true],
    ] as const) {
      const shown = await evaluations(tokens[role]);
      const originals = shown.filter(({ perturbation }) => !perturbation);
      expect(originals).toHaveLength(2);
      for (const { dataset, slices, calibration, sliceSpreads } of originals) {
        const rare = marks(dataset).rare;
        expect(Object.keys(slices['tags']!)).toEqual(isOwner ? ['common', rare] : ['common']);
        expect(calibration.bins.map(({ accuracy }) => accuracy)).toEqual(isOwner ? [1, 1] : [null, 1]);
        expect(calibration.bins.map(({ n }) => n)).toEqual([1, 10]);
        const matched = sliceSpreads['tags']!['exact_match']!.matched.values;
        expect(Object.keys(matched)).toEqual(isOwner ? ['few', 'many'] : ['many']);
      }
      const perturbed = shown.filter(({ perturbation }) => perturbation);
      expect(perturbed).toHaveLength(2);
      for (const { perturbed: figures } of perturbed) {
        expect(Object.keys(figures.transforms)).toEqual(isOwner ? ['case', 'whitespace'] : ['case']);
      }
    }
  });
});

interface Shown {
  readonly dataset: string;
  readonly perturbation?: string;
  readonly slices: Readonly<Record<string, object>>;
  readonly calibration: { readonly bins: readonly { readonly n: number; readonly accuracy: number | null }[] };
  readonly sliceSpreads: Readonly<Record<string, Readonly<Record<string, { readonly matched: { values: object } }>>>>;
  readonly perturbed: { readonly transforms: object };
}
