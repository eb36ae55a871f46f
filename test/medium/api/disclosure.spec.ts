import type { Estimate } from '@assay/contracts/metrics';
import type { LeaderboardView } from '@assay/contracts/boards';
import type { Visibility } from '@assay/contracts/datasets';
import type { EvaluationView } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { decodeMatrix } from '@assay/scoring/board';
import { roundedEstimate } from '@assay/scoring/disclosure';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filter, firstValueFrom } from 'rxjs';
import { ModelEvents } from '../../../apps/api/src/models/model-events.service.js';
import { verifyResult } from '../../../apps/cli/src/verify/verify-result.js';
import { type ApiDocument, operationsOf } from '../../factories/worlds/api-operations.js';
import { READING_CONNECTION } from '../../factories/services/reading-connection.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { type SigningWorker, signingWorker } from '../../factories/worlds/signing-worker.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { scoredModel, scoreQueued } from '../../factories/models/scored-models.js';

const TASK = {
  slug: 'whims',
  name: 'Whims',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['no', 'yes'] },
  performance: 'accuracy',
  metrics: ['accuracy', 'macro_f1', 'brier', 'log_loss', 'ece'],
  slices: ['tags'],
  perturbations: { robustness: ['case'], sample: 61 },
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 2 },
  quota: { perDay: 100, total: 100 },
  disclosure: 'rounded',
};
/** A prime, so that the digits of an exact score are recognised. */
const EXAMPLES = 211;

const LINES = Array.from({ length: EXAMPLES }, (_, n) =>
  JSON.stringify({
    id: n,
    text: `whim ${n}`,
    label: n % 2 === 0 ? 'no' : 'yes',
    tags: n % 3 === 0 ? ['third', 'all'] : ['all'],
  }),
).join('\n');

const READERS = ['nobody', 'stranger', 'builder', 'rival'] as const;
const FORMATS = ['', 'format=csv', 'format=latex'];

type Metrics = Readonly<Record<string, Estimate>>;
interface PerturbedCell extends Pick<EvaluationView, 'dataset' | 'perturbation' | 'metrics'> {
  readonly perturbed: NonNullable<EvaluationView['perturbed']>;
}

/** The digits of all numbers in a value that have more of them than any rounded score. */
function longDigits(value: unknown): string[] {
  const numbers = JSON.stringify(value).match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? [];
  return numbers.map((text) => digitsOf(Number(text))).filter((digits) => digits.length >= 8);
}

const digitsOf = (value: number): string =>
  Math.abs(value)
    .toPrecision(9)
    .replace(/e.*/, '')
    .replace('.', '')
    .replace(/^0+|0+$/g, '');

describe('scores on data that is not public, of a task that rounds them', () => {
  let world: ApiWorld;
  let worker: SigningWorker;
  const tokens: Record<string, string | undefined> = { nobody: undefined };
  let models: readonly [string, string];

  beforeAll(async () => {
    world = await apiWorld();
    worker = await signingWorker(world);
    for (const name of ['owner', 'builder', 'rival', 'stranger']) tokens[name] = await world.user(name);
    expect((await as('owner', 'POST', '/tasks', TASK)).status).toBe(201);
    for (const [name, visibility] of [
      ['open', 'public'],
      ['hidden', 'hidden'],
      ['inputs', 'inputs'],
    ]) {
      const put = await world.call('PUT', `/tasks/whims/datasets/${name}?role=static&visibility=${visibility}`, {
        token: tokens['owner'],
        type: 'application/x-ndjson',
        body: LINES,
      });
      expect(put.status).toBe(201);
    }
    models = [await answering('First', 'builder', 5), await answering('Second', 'rival', 7)];
    await publishBoard(world, 'whims');
    const weights = { accuracy: 2, macro_f1: 1 };
    for (const what of ['forks', 'snapshots']) {
      expect((await as('owner', 'POST', `/tasks/whims/${what}`, { name: 'kept', weights })).status).toBe(201);
    }
  }, 300_000);
  afterAll(async () => {
    await worker.close();
    await world.close();
  });

  const as = (role: string, method: string, path: string, body?: object) =>
    world.call(method, path, { token: tokens[role], ...(body !== undefined && { body }) });

  /** Creates a scored model that is wrong on every `wrong`-th example of the data that is not public. */
  async function answering(name: string, role: string, wrong: number): Promise<string> {
    const id = await scoredModel(world, {
      slug: 'whims',
      name,
      token: tokens[role]!,
      answer: (dataset, { index, gold }) => answerTo(index, gold[0]!, dataset.startsWith('open') ? 4 : wrong),
    });
    await world.orm.em.fork().nativeUpdate(Model, id, { state: 'scored' });
    return id;
  }

  function answerTo(index: number, gold: string, wrong: number) {
    const text = index % wrong === 0 ? (gold === 'no' ? 'yes' : 'no') : gold;
    const sure = 0.55 + 0.4 * ((index * 37) % 100) * 0.01;
    return { text, probabilities: text === 'no' ? [sure, 1 - sure] : [1 - sure, sure] };
  }

  const board = async (role: string, query = '') =>
    (await as(role, 'GET', `/tasks/whims/leaderboard?${query}`)).body as LeaderboardView;
  const rowOf = ({ rows }: LeaderboardView, id: string) => rows.find(({ model }) => model.id === id)!;
  const onHidden = <T extends { readonly dataset: string }>(evaluations: readonly T[]): T =>
    evaluations.find(({ dataset }) => dataset === 'hidden')!;
  const perturbed = (evaluations: readonly PerturbedCell[]): PerturbedCell =>
    evaluations.find(({ dataset, perturbation }) => dataset === 'hidden' && perturbation === 'robustness')!;

  /** The figures of a model on the hidden dataset, as they are stored. */
  async function exact(id: string): Promise<Evaluation & { readonly metrics: Metrics }> {
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, id);
    const dataset = { name: 'hidden', perturbation: null };
    const found = await em.findOneOrFail(Evaluation, { specification: specification!.id, datasetVersion: { dataset } });
    return found as Evaluation & { readonly metrics: Metrics };
  }

  /** The digits of what the owner of the task may see, and nobody else. */
  async function secrets(): Promise<Set<string>> {
    const [a, b] = models;
    const owned = await board('owner');
    const derived = owned.rows.map(({ dynascore, metrics }) => [dynascore, metrics]);
    const { body: compared } = await as('owner', 'GET', `/tasks/whims/compare?a=${a}&b=${b}`);
    const open = new Set(longDigits([await exactOn('public', true), owned.references]));
    const datasets = (compared.datasets as { dataset: string }[]).filter(({ dataset }) => dataset !== 'open');
    return new Set(
      [
        // without the bins of the reliability diagram: the share of 36 examples may be that of others
        ...longDigits([await exactOn('hidden'), await exactOn('inputs')]),
        ...longDigits(derived),
        ...longDigits([datasets, compared.overall.metrics]),
      ].filter((digits) => !open.has(digits)),
    );
  }

  /** All figures on the datasets of one visibility, perturbed ones included, as they are stored. */
  async function exactOn(visibility: Visibility, withBins = false): Promise<unknown> {
    const cells = await world.orm.em.fork().find(Evaluation, { datasetVersion: { dataset: { visibility } } });
    expect(cells).toHaveLength(2 * models.length);
    return cells.map(({ metrics, slices, sliceSpreads, perturbed: figures, calibration }) => [
      ...[metrics, slices, sliceSpreads, figures],
      withBins ? calibration : null,
    ]);
  }

  /** The paths of all GET routes about the task and its models, with query parameters to try. */
  async function routes(): Promise<string[]> {
    const [a, b] = models;
    const { body } = await world.call('GET', '/openapi.json');
    const values: Readonly<Record<string, readonly string[]>> = {
      slug: ['whims'],
      id: models,
      version: ['1'],
      number: ['1'],
      username: ['builder', 'owner'],
    };
    const filled = (path: string): string[] => {
      const [hole, name] = /\{(\w+)\}/.exec(path) ?? [];
      if (hole === undefined) return [path];
      const names = path.includes('/datasets/') ? ['hidden', 'inputs', 'open'] : ['kept'];
      return (values[name!] ?? names).flatMap((value) => filled(path.replace(hole, value)));
    };
    const pair = `/tasks/whims/compare?a=${a}&b=${b}`;
    return [
      ...operationsOf(body as ApiDocument)
        .filter(({ method }) => method === 'GET')
        .flatMap(({ path }) => filled(path))
        .filter((path) => !path.endsWith('/events')),
      ...FORMATS.flatMap((format) => [`${pair}&${format}`, `/tasks/whims/compare?models=${a},${b}&${format}`]),
      ...[...FORMATS, 'explain=true', 'asOf=r1', 'weights=worst:tags:1', 'datasets=open:0', 'amrs=live'].map(
        (query) => `/tasks/whims/leaderboard?${query}`,
      ),
      ...FORMATS.flatMap((format) => [`/tasks/whims/forks/kept?${format}`, `/tasks/whims/snapshots/kept?${format}`]),
      `/tasks/whims/history?models=${a}`,
      '/tasks/whims/leaderboard/matrix?asOf=r1',
    ];
  }

  async function textOf(role: string, route: string): Promise<string> {
    const token = tokens[role];
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${world.url}/api/v1${route}`, { headers });
    if (!route.includes('/leaderboard/matrix')) return response.text();
    const { matrix, ...file } = decodeMatrix(new Uint8Array(await response.arrayBuffer()));
    return JSON.stringify([file, matrix, matrix.values.map((values) => [...values])]);
  }

  it.each(READERS)('are read nowhere with more digits by %s', async (role) => {
    const hidden = await secrets();
    const found: string[] = [];
    for (const route of await routes()) {
      found.push(
        ...longDigits(await textOf(role, route)).flatMap((each) => (hidden.has(each) ? [`${route}: ${each}`] : [])),
      );
    }
    expect(found).toEqual([]);
    expect(hidden.size).toBeGreaterThan(150);
  });

  it('are exact for the owner of the task and administrators, whose views say so', async () => {
    tokens['administrator'] = world.admin;
    for (const role of ['owner', 'administrator']) {
      const shown = await board(role);
      const page = (await as(role, 'GET', `/models/${models[0]}`)).body;
      const { metrics } = await exact(models[0]);
      expect(shown.disclosure).toBe('exact');
      expect(rowOf(shown, models[0]).datasets['hidden']!['accuracy']).toEqual(metrics['accuracy']);
      expect(page.disclosure).toBe('exact');
      expect(onHidden<{ dataset: string; metrics: Metrics }>(page.evaluations).metrics).toEqual(metrics);
      const { body } = await as(role, 'GET', `/tasks/whims/compare?a=${models[0]}&b=${models[1]}`);
      expect(body.disclosure).toBe('exact');
      const { accuracy } = onHidden<{ dataset: string; metrics: Record<string, { a: Estimate; test: string }> }>(
        body.datasets,
      ).metrics;
      expect(accuracy).toMatchObject({ a: metrics['accuracy'], test: 'mcnemar-mid-p' });
    }
    const text = await textOf('owner', '/tasks/whims/history');
    const [row] = (await board('owner')).rows;
    expect(text).toContain(String(row!.dynascore));
    expect((await as('owner', 'GET', '/tasks/whims/forks/kept')).body.board.disclosure).toBe('exact');
    expect((await as('owner', 'GET', '/tasks/whims/snapshots/kept')).body.board.disclosure).toBe('rounded');
  });

  it('are the same in every view of a reader', async () => {
    const [id, other] = models;
    const { metrics } = await exact(id);
    const rounded = roundedEstimate(metrics['accuracy']!, EXAMPLES);
    expect(rounded.value).toBe(0.8);

    const shown = await board('stranger');
    const row = rowOf(shown, id);
    expect(shown.disclosure).toBe('rounded');
    expect(row.datasets['hidden']!['accuracy']).toEqual(rounded);
    expect(row.datasets['open']!['accuracy']).not.toHaveProperty('rounded');
    expect(row.datasets['inputs']!['accuracy']).toEqual(rounded);
    expect(row.metrics['accuracy']).toMatchObject({
      value: expect.closeTo((row.datasets['open']!['accuracy']!.value + 0.8 + 0.8) / 3, 12),
      rounded: true,
    });

    const page = (await as('builder', 'GET', `/models/${id}`)).body;
    const cell = onHidden<{
      dataset: string;
      metrics: Metrics;
      slices: Record<string, Record<string, { metrics: Metrics }>>;
    }>(page.evaluations);
    expect(page.disclosure).toBe('rounded');
    expect(cell.metrics['accuracy']).toEqual(rounded);
    expect(cell.slices['tags']!['all']!.metrics['accuracy']).toEqual(rounded);
    for (const [name, estimate] of Object.entries(row.datasets['hidden']!)) {
      if (cell.metrics[name]) expect(estimate).toEqual(cell.metrics[name]);
    }

    const compared = (await as('stranger', 'GET', `/tasks/whims/compare?a=${id}&b=${other}`)).body;
    const { accuracy } = onHidden<{
      dataset: string;
      metrics: Record<string, { a: Estimate; b: Estimate; difference: Estimate; test: string }>;
    }>(compared.datasets).metrics;
    expect(compared.disclosure).toBe('rounded');
    expect(accuracy).toMatchObject({ a: rounded, test: 'unpaired' });
    expect(accuracy).not.toHaveProperty('discordant');
    expect(accuracy!.difference.value).toBe(accuracy!.a.value - accuracy!.b.value);

    const response = await fetch(`${world.url}/api/v1/tasks/whims/leaderboard/matrix?asOf=r1`);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const file = decodeMatrix(new Uint8Array(await response.arrayBuffer()));
    const { matrix } = file;
    const place =
      matrix.ids.indexOf(id) * matrix.datasets.length + matrix.datasets.findIndex(({ name }) => name === 'hidden');
    expect(matrix.values[matrix.metrics.findIndex(({ name }) => name === 'accuracy')]![place]).toBe(0.8);
    expect([file.disclosure, file.rounded]).toEqual(['rounded', ['hidden', 'inputs']]);
    expect((await as('stranger', 'GET', '/tasks/whims/forks/kept')).body.board.disclosure).toBe('rounded');
    expect(await textOf('stranger', `/models/${id}/model-index`)).toMatch(/value: 0\.8\n[^]*- rounded/);
  });

  it('are rounded on perturbed data too, on the page and in the signed result', async () => {
    const [id] = models;
    const { perturbed: exactly } = perturbed((await as('owner', 'GET', `/models/${id}`)).body.evaluations);
    const { perturbed: shown, metrics } = perturbed((await as('builder', 'GET', `/models/${id}`)).body.evaluations);
    expect(shown.stayedRight).toEqual(roundedEstimate(exactly.stayedRight!, exactly.originals));
    expect(shown.stayedRight).not.toEqual(exactly.stayedRight);
    expect(shown.mean).toEqual(roundedEstimate(exactly.mean!, exactly.originals));
    expect(shown.transforms['case']!.drop).toEqual(
      roundedEstimate(exactly.transforms['case']!.drop!, exactly.originals),
    );
    const signed = JSON.parse(await textOf('stranger', `/models/${id}/result`));
    expect(perturbed(signed.result.evaluations).metrics['robustness']).toEqual(metrics['robustness']);
    expect(metrics['robustness']).toMatchObject({ rounded: true });
  });

  it('are signed rounded, for readers and owner alike', async () => {
    const [id] = models;
    const signed = await textOf('stranger', `/models/${id}/result`);
    expect(await textOf('owner', `/models/${id}/result`)).toBe(signed);
    const { metrics, marks } = onHidden<{ dataset: string; metrics: Metrics; marks: string[] }>(
      JSON.parse(signed).result.evaluations,
    );
    expect(marks).toEqual(['rounded']);
    expect(metrics['accuracy']).toEqual(roundedEstimate((await exact(id)).metrics['accuracy']!, EXAMPLES));
    const key = JSON.stringify((await world.call('GET', '/signing-key')).body);
    expect(verifyResult(signed, key)).toMatchObject({ result: { model: { id } } });
  });

  it('are rounded in the events of a run, but for the owner of the task', async () => {
    const { body } = await as('builder', 'POST', '/tasks/whims/models', {
      name: 'Live',
      kind: 'container',
      publish: false,
    });
    await world.call('PUT', `/models/${body.id}/artifact`, { token: tokens['builder']!, body: 'live' });
    const model = await world.orm.em.fork().findOneOrFail(Model, body.id as string, { populate: ['task'] });
    const heard = [false, true].map((seesExact) =>
      firstValueFrom(
        world.app
          .get(ModelEvents)
          .of(model, { seesExact, mayGoOn: () => Promise.resolve(true), connection: READING_CONNECTION })
          .pipe(filter((event) => event.type === 'score' && event.dataset === 'hidden')),
      ),
    );
    await scoreQueued(world, body.id as string, (_, { index, gold }) => answerTo(index, gold[0]!, 9));
    const { metrics } = await exact(body.id as string);
    const rounded = roundedEstimate(metrics['accuracy']!, EXAMPLES);
    expect(await heard[0]).toMatchObject({ metrics: { accuracy: rounded } });
    expect(await heard[1]).toMatchObject({ metrics: { accuracy: metrics['accuracy'] } });
  });

  it('have confusion counts of their precision', async () => {
    const counts = async (role: string) =>
      (await as(role, 'GET', `/models/${models[0]}/datasets/hidden/confusion`)).body.counts.flat() as number[];
    const [owned, read] = [await counts('owner'), await counts('builder')];
    expect(owned.reduce((sum, each) => sum + each, 0)).toBe(EXAMPLES);
    expect(read).not.toEqual(owned);
    for (const [place, each] of read.entries()) expect(Math.abs(each - owned[place]!)).toBeLessThan(0.05 * EXAMPLES);
  });

  it('are exact in a new revision once the task discloses them, and in all views once they are public', async () => {
    const read = async (query = '') => rowOf(await board('stranger', query), models[0]).datasets['hidden']!['accuracy'];
    const { accuracy } = (await exact(models[0])).metrics;
    const rounded = roundedEstimate(accuracy!, EXAMPLES);

    await as('owner', 'PATCH', '/tasks/whims', { disclosure: 'exact' });
    expect(await publishBoard(world, 'whims')).toBe(2);
    expect(await read()).toEqual(accuracy);
    expect((await board('owner')).disclosure).toBeUndefined();
    expect(await read('asOf=r1')).toEqual(rounded);
    expect(rowOf(await board('owner', 'asOf=r1'), models[0]).datasets['hidden']!['accuracy']).toEqual(accuracy);

    await as('owner', 'PATCH', '/tasks/whims', { disclosure: 'rounded' });
    expect(await publishBoard(world, 'whims')).toBe(3);
    expect(await read()).toEqual(rounded);
    expect(await read('asOf=r2')).toEqual(accuracy);

    for (const name of ['hidden', 'inputs']) {
      await as('owner', 'PATCH', `/tasks/whims/datasets/${name}`, { visibility: 'public' });
    }
    expect(await publishBoard(world, 'whims')).toBe(4);
    expect(await read()).toEqual(accuracy);
    const page = (await as('stranger', 'GET', `/models/${models[0]}`)).body;
    expect(page.disclosure).toBeUndefined();
    expect(onHidden<{ dataset: string; metrics: Metrics }>(page.evaluations).metrics['accuracy']).toEqual(accuracy);
  });
});
