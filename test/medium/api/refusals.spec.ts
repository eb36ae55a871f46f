import { type DatasetRow } from '@assay/tasks/examples';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../factories/worlds/api-call.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  metrics: ['macro_f1'],
  slices: ['source'],
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 2 },
  quota: { perDay: 100, total: 100 },
};
const STRANGER = '00000000-0000-7000-8000-000000000000';

const line = (n: number) => ({ id: `e${n}`, text: `text ${n}`, label: 'positive', source: 'web' });
const lines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n');
const pairs = (inputId: string) =>
  [
    { ...line(0), id: 'p0', input_id: 'e0' },
    { ...line(1), id: 'p1', input_id: inputId },
  ] as const;

const BOARD = '/tasks/tone/leaderboard';
const COMPARE = '/tasks/tone/compare';
const PAIRS = '/tasks/other/datasets/open/perturbations/robustness';
const NEW_TASK = { ...TASK, slug: 'another' };
const asLines = (records: readonly object[]): ApiRequest => ({ type: 'application/x-ndjson', body: lines(records) });

type Refusal = readonly [
  what: string,
  method: string,
  path: string,
  request: ApiRequest,
  status: number,
  code: string,
  ...named: string[],
];

/**
 * The code of each refusal, and the texts that it must contain. `{good}` and `{elsewhere}` stand
 * for IDs of models.
 */
const REFUSALS: readonly Refusal[] = [
  ['a negative weight', 'GET', `${BOARD}?weights=accuracy:-1`, {}, 422, 'invalid_weight', '"accuracy"', '-1'],
  ['a weight that is no number', 'GET', `${BOARD}?weights=accuracy:lots`, {}, 422, 'invalid_weight', '"accuracy"'],
  ['an empty weight', 'GET', `${BOARD}?weights=accuracy:`, {}, 422, 'invalid_weight', '"accuracy"'],
  ['an infinite weight', 'GET', `${BOARD}?weights=accuracy:Infinity`, {}, 422, 'invalid_weight', '"accuracy"'],
  ['a weight of an unknown metric', 'GET', `${BOARD}?weights=acuracy:1`, {}, 422, 'unknown_metric', '"acuracy"'],
  [
    'a weight without a number',
    'GET',
    `${BOARD}?weights=accuracy`,
    {},
    422,
    'validation_failed',
    'weights',
    'accuracy',
  ],
  [
    'the worst slice of no field',
    'GET',
    `${BOARD}?weights=worst:no:1`,
    {},
    422,
    'unknown_metric',
    '"worst:no"',
    'source',
  ],
  ['weights that are all 0', 'GET', `${BOARD}?weights=accuracy:0`, {}, 422, 'all_weights_zero', 'metric'],
  ['a negative dataset weight', 'GET', `${BOARD}?datasets=open:-2`, {}, 422, 'invalid_weight', 'dataset "open"', '-2'],
  [
    'a dataset weight that is no number',
    'GET',
    `${BOARD}?datasets=open:x`,
    {},
    422,
    'invalid_weight',
    'dataset "open"',
  ],
  ['a weight of an unknown dataset', 'GET', `${BOARD}?datasets=shut:1`, {}, 422, 'unknown_dataset', '"shut"'],
  ['dataset weights that are all 0', 'GET', `${BOARD}?datasets=open:0`, {}, 422, 'all_weights_zero', 'dataset'],
  ['a front of an unknown metric', 'GET', `${BOARD}?pareto=accuracy,speed`, {}, 422, 'unknown_metric', '"speed"'],
  ['a front of one metric', 'GET', `${BOARD}?pareto=accuracy`, {}, 422, 'too_few_metrics', 'at least two'],
  [
    'a board before the first',
    'GET',
    `${BOARD}?asOf=2001-02-03`,
    {},
    404,
    'before_first_revision',
    '2001-02-03',
    '"tone"',
  ],
  ['a board of a nonsense time', 'GET', `${BOARD}?asOf=yesterday`, {}, 422, 'invalid_as_of', '"yesterday"'],
  ['a board of a day that is none', 'GET', `${BOARD}?asOf=2026-02-31`, {}, 422, 'invalid_as_of', '"2026-02-31"'],
  ['a revision that is not there', 'GET', `${BOARD}?asOf=r999`, {}, 404, 'no_such_revision', '"r999"'],
  ['a benchmark version that is not there', 'GET', `${BOARD}?asOf=v999`, {}, 404, 'no_such_revision', '"v999"'],
  ['a board as a picture', 'GET', `${BOARD}?format=png`, {}, 422, 'unknown_format', '"png"', 'latex'],
  ['a comparison as a picture', 'GET', `${COMPARE}?a={good}&b=Poor&format=png`, {}, 422, 'unknown_format', '"png"'],
  ['a page after no row', 'GET', `${BOARD}?cursor=x`, {}, 422, 'unknown_cursor', 'cursor'],
  ['an unknown parameter', 'GET', `${BOARD}?wieghts=accuracy:1`, {}, 422, 'validation_failed', 'wieghts'],
  ['a board of a task without one', 'GET', '/tasks/other/leaderboard', {}, 404, 'no_board_yet', '"other"'],
  ['the columns of a nonsense time', 'GET', `${BOARD}/matrix?asOf=soon`, {}, 422, 'invalid_as_of', '"soon"'],

  ['a model against itself', 'GET', `${COMPARE}?a={good}&b=Good`, {}, 422, 'same_model', '"Good"', '{good}'],
  ['models of two tasks', 'GET', `${COMPARE}?a={good}&b={elsewhere}`, {}, 422, 'other_task', '"Elsewhere"', '"other"'],
  ['an unknown model', 'GET', `${COMPARE}?a={good}&b=nobody`, {}, 404, 'unknown_model', '"nobody"'],
  ['an unknown id', 'GET', `${COMPARE}?a={good}&b=${STRANGER}`, {}, 404, 'unknown_model', STRANGER],
  ['no model', 'GET', COMPARE, {}, 422, 'models_missing', 'models'],
  ['one model', 'GET', `${COMPARE}?models={good}`, {}, 422, 'models_missing', 'models'],
  [
    'too many models',
    'GET',
    `${COMPARE}?models=${Array.from({ length: 21 }, (_, n) => `m${n}`).join(',')}`,
    {},
    422,
    'too_many_models',
    '21',
    '20',
  ],
  ['an unknown model among several', 'GET', `${COMPARE}?models={good},nobody`, {}, 404, 'unknown_model', '"nobody"'],
  ['the history of an unknown model', 'GET', '/tasks/tone/history?models=nobody', {}, 404, 'unknown_model', '"nobody"'],
  [
    'the history of an unknown id',
    'GET',
    `/tasks/tone/history?models={good},${STRANGER}`,
    {},
    404,
    'unknown_model',
    STRANGER,
  ],

  [
    'a fork by a name that is taken',
    'POST',
    '/tasks/tone/forks',
    { body: { name: 'mine' } },
    409,
    'name_taken',
    '"mine"',
  ],
  [
    'a snapshot by a name that is taken',
    'POST',
    '/tasks/tone/snapshots',
    { body: { name: 'mine' } },
    409,
    'name_taken',
    '"mine"',
  ],
  [
    'a fork of a task without a board',
    'POST',
    '/tasks/other/forks',
    { body: { name: 'a' } },
    404,
    'no_board_yet',
    '"other"',
  ],
  [
    'a snapshot of no fork',
    'POST',
    '/tasks/tone/snapshots',
    { body: { name: 'a', fork: 'none' } },
    404,
    'unknown_fork',
    '"none"',
  ],
  ['a fork that is not there', 'GET', '/tasks/tone/forks/none', {}, 404, 'unknown_fork', '"none"'],
  ['a snapshot that is not there', 'GET', '/tasks/tone/snapshots/none', {}, 404, 'unknown_snapshot', '"none"'],
  [
    'a snapshot of a nonsense time',
    'POST',
    '/tasks/tone/snapshots',
    { body: { name: 'a', asOf: 'soon' } },
    422,
    'invalid_as_of',
    '"soon"',
  ],
  ...(['forks', 'snapshots'] as const).flatMap((what): Refusal[] => {
    const path = `/tasks/tone/${what}`;
    const body = (weighing: object) => ({ body: { name: 'a', ...weighing } });
    return [
      [
        `${what} by a negative weight`,
        'POST',
        path,
        body({ weights: { accuracy: -1 } }),
        422,
        'invalid_weight',
        '"accuracy"',
        '-1',
      ],
      [
        `${what} by a weight that is no number`,
        'POST',
        path,
        body({ weights: { accuracy: 'x' } }),
        422,
        'invalid_weight',
        '"accuracy"',
      ],
      [
        `${what} by a negative dataset weight`,
        'POST',
        path,
        body({ datasets: { open: -1 } }),
        422,
        'invalid_weight',
        'dataset "open"',
      ],
      [
        `${what} by a dataset weight of null`,
        'POST',
        path,
        body({ datasets: { open: null } }),
        422,
        'invalid_weight',
        'dataset "open"',
      ],
      [`${what} by an unknown metric`, 'POST', path, body({ weights: { speed: 1 } }), 422, 'unknown_metric', '"speed"'],
      [
        `${what} by an unknown dataset`,
        'POST',
        path,
        body({ datasets: { shut: 1 } }),
        422,
        'unknown_dataset',
        '"shut"',
      ],
      [`${what} by no weight`, 'POST', path, body({ weights: { accuracy: 0 } }), 422, 'all_weights_zero', 'metric'],
    ];
  }),

  ['a pair without its original', 'PUT', PAIRS, asLines(pairs('e9')), 422, 'unknown_original', 'line 2', '"e9"'],
  ['a pair that names no original', 'PUT', PAIRS, asLines([line(0)]), 422, 'bad_line', 'line 1', 'input_id'],
  [
    'pairs of what is not perturbed',
    'PUT',
    '/tasks/tone/datasets/open/perturbations/robustness',
    asLines([line(0)]),
    409,
    'perturbation_not_configured',
    'robustness',
  ],
  [
    'pairs of an unknown dataset',
    'PUT',
    '/tasks/other/datasets/shut/perturbations/robustness',
    asLines([line(0)]),
    404,
    'unknown_dataset',
    '"shut"',
  ],
  [
    'a slicing field of no example',
    'PATCH',
    '/tasks/tone',
    { body: { slices: ['colour'] } },
    422,
    'unknown_slice_field',
    '"colour"',
    'source',
  ],
  [
    'a cluster field of no example',
    'PATCH',
    '/tasks/tone',
    { body: { cluster: 'colour' } },
    422,
    'unknown_slice_field',
    '"colour"',
    'cluster',
  ],
  [
    'a change of an unknown dataset',
    'PATCH',
    '/tasks/tone/datasets/shut',
    { body: {} },
    404,
    'unknown_dataset',
    '"shut"',
  ],
  [
    'a dataset against an unknown model',
    'PATCH',
    '/tasks/tone/datasets/open',
    { body: { against: [STRANGER] } },
    422,
    'unknown_model',
    STRANGER,
  ],
  [
    'a dataset against what is no id',
    'PATCH',
    '/tasks/tone/datasets/open',
    { body: { against: ['Good'] } },
    422,
    'unknown_model',
    '"Good"',
  ],
  [
    'a dataset against a model of another task',
    'PATCH',
    '/tasks/tone/datasets/open',
    { body: { against: ['{elsewhere}'] } },
    422,
    'unknown_model',
    '{elsewhere}',
  ],

  ...(
    [
      [
        'utilities that do not ascend',
        {
          utilities: {
            accuracy: [
              [0.9, 1],
              [0.5, 0],
            ],
          },
        },
        'utility_not_ascending',
        'utilities.accuracy',
      ],
      [
        'utilities of an unknown metric',
        {
          utilities: {
            bleu: [
              [0, 0],
              [1, 1],
            ],
          },
        },
        'unknown_metric',
        'bleu',
      ],
      [
        'a performance metric of another output',
        { performance: 'rmse', weights: { rmse: 1 }, metrics: [] },
        'metric_not_defined',
        'rmse',
        'label',
      ],
      ['a metric of another output', { metrics: ['bleu'] }, 'metric_not_defined', 'bleu', 'label'],
      [
        'a weight of perturbations without any',
        { weights: { accuracy: 1, fairness: 1 } },
        'unknown_metric',
        'fairness',
      ],
      ['a weight of what is no metric', { weights: { speed: 1 } }, 'unknown_metric', 'speed'],
      ['a task by a negative weight', { weights: { accuracy: -1 } }, 'invalid_weight', 'weights.accuracy', '-1'],
      ['a task by no weight', { weights: { accuracy: 0 } }, 'all_weights_zero', 'weights'],
      ['the worst slice of no field in a task', { weights: { 'worst:colour': 1 } }, 'unknown_metric', 'worst:colour'],
    ] as readonly (readonly [string, object, string, ...string[]])[]
  ).flatMap(([what, change, code, ...named]): Refusal[] => [
    [what, 'POST', '/tasks', { body: { ...NEW_TASK, ...change } }, 422, code, ...named],
    ...('performance' in change
      ? []
      : ([[`${what}, as a change`, 'PATCH', '/tasks/tone', { body: change }, 422, code, ...named]] as Refusal[])),
  ]),
];

describe('what cannot be', () => {
  let world: ApiWorld;
  let owner: string;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    const other = { ...TASK, slug: 'other', perturbations: { robustness: [] } };
    await world.call('POST', '/tasks', { token: owner, body: other });
    const records = Array.from({ length: 8 }, (_, n) => line(n));
    for (const slug of ['tone', 'other']) {
      const path = `/tasks/${slug}/datasets/open?visibility=public`;
      await world.call('PUT', path, { token: owner, ...asLines(records) });
    }
    const answering = (name: string, slug: string, rightFrom: number) =>
      scoredModel(world, {
        slug,
        name,
        token: owner,
        answer: (_: string, { index }: DatasetRow) => ({ text: index < rightFrom ? 'negative' : 'positive' }),
      });
    const good = await answering('Good', 'tone', 1);
    await answering('Poor', 'tone', 5);
    ids = { good, elsewhere: await answering('Elsewhere', 'other', 0) };

    await publishBoard(world, 'tone');
    for (const what of ['forks', 'snapshots']) {
      const { status } = await world.call('POST', `/tasks/tone/${what}`, { token: owner, body: { name: 'mine' } });
      expect(status).toBe(201);
    }
  }, 300_000);
  afterAll(() => world.close());

  const filled = (text: string): string => text.replace(/\{(good|elsewhere)\}/g, (_, name: string) => ids[name]!);

  it.each(REFUSALS)('is refused: %s', async (...refusal) => {
    const [, method, path, { body, ...request }, status, code, ...named] = refusal;
    const sent = typeof body === 'object' ? (JSON.parse(filled(JSON.stringify(body))) as object) : body;

    const answer = await world.call(method, filled(path), {
      token: owner,
      ...request,
      ...(sent !== undefined && { body: sent }),
    });

    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const { type, title, detail, errors = [] } = answer.body;
    expect([type, typeof title, answer.body.status]).toEqual(['about:blank', 'string', status]);
    const told = `${detail} ${(errors as { path: string; message: string }[]).map((each) => `${each.path} ${each.message}`).join(' ')}`;
    for (const name of named) expect(told).toContain(filled(name));
  });

  it('leaves everything as it was', async () => {
    const { body } = await world.call('GET', '/tasks/tone');
    expect(body).toMatchObject({ weights: TASK.weights, slices: TASK.slices, benchmarkVersion: 1 });
    expect((await world.call('GET', '/tasks/another')).status).toBe(404);
    expect((await world.call('GET', '/tasks/tone/forks')).body.items).toHaveLength(1);
    expect((await world.call('GET', '/tasks/tone/snapshots')).body.items).toHaveLength(1);
  });
});
