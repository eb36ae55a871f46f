import { join } from 'node:path';
import type { LeaderboardView } from '@assay/contracts/boards';
import type { Estimate } from '@assay/contracts/metrics';
import { Evaluation, requestForAllModels } from '@assay/evaluation/evaluations';
import { BoardRevision, LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Promotion } from '@assay/leaderboard/promotions';
import { decodeMatrix, RankableMatrix } from '@assay/scoring/board';
import { Model } from '@assay/submissions';
import { LocalBlobStore } from '@assay/storage';
import { Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { DatasetVersion, EarlierGoldCounts } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { boardContent } from '../factories/models/board-content.js';
import { publishBoard } from '../factories/models/published-board.js';
import { until } from '../factories/until.js';

const TASK = {
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 2 },
  quota: { perDay: 50, total: 50 },
  loop: { size: 1, minimum: { accuracy: 'baseline' } },
};
const lines = (...labels: string[]) =>
  labels.map((label, n) => JSON.stringify({ id: n, text: `t${n}`, label })).join('\n');
const DATASET = lines('positive', 'positive', 'negative', 'positive');

/** A task with one dataset, and the results that an evaluator would produce for it. */
class BoardWorld {
  private constructor(
    readonly world: ApiWorld,
    readonly slug: string,
    readonly owner: string,
    readonly taskId: string,
  ) {}

  static async create(world: ApiWorld, slug: string, owner: string, more: object = {}): Promise<BoardWorld> {
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug, ...more } });
    const { id } = await world.orm.em.fork().findOneOrFail(Task, { slug });
    const board = new BoardWorld(world, slug, owner, id);
    await board.put('first', DATASET);
    return board;
  }

  put(name: string, body: string, query = '?visibility=public') {
    return this.world.call('PUT', `/tasks/${this.slug}/datasets/${name}${query}`, {
      token: this.owner,
      type: 'application/x-ndjson',
      body,
    });
  }

  async submit(name: string, kind = 'container'): Promise<string> {
    const { body } = await this.world.call('POST', `/tasks/${this.slug}/models`, {
      token: this.owner,
      body: { name, kind },
    });
    await this.world.call('PUT', `/models/${body.id}/artifact`, { token: this.owner, body: `${this.slug} ${name}` });
    return body.id as string;
  }

  /** Scores every queued evaluation of the model. */
  async score(model: string, accuracy: number): Promise<void> {
    const em = this.world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, model);
    const estimate: Estimate = { value: accuracy, low: accuracy - 0.01, high: accuracy + 0.01, standardError: 0.005 };
    for (const cell of await em.find(Evaluation, { specification: specification!.id, state: 'queued' })) {
      Object.assign(cell, { state: 'scored', metrics: { accuracy: estimate } });
    }
    await em.flush();
  }

  async submitScored(name: string, accuracy: number): Promise<string> {
    const id = await this.submit(name);
    await this.score(id, accuracy);
    return id;
  }

  publish(): Promise<number | null> {
    return publishBoard(this.world, this.slug);
  }

  async release(): Promise<void> {
    await requestForAllModels(this.world.orm.em.fork(), { taskId: this.taskId });
  }

  async bytes(query = ''): Promise<string> {
    const response = await fetch(`${this.world.url}/api/v1/tasks/${this.slug}/leaderboard${query}`);
    return response.text();
  }

  async board(query = ''): Promise<LeaderboardView> {
    return JSON.parse(await this.bytes(query)) as LeaderboardView;
  }

  get(path: string) {
    return this.world.call('GET', `/tasks/${this.slug}${path}`);
  }
}

describe('boards', () => {
  let world: ApiWorld;
  let owner: string;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
  });
  afterAll(() => world.close());

  it('has 100 rows on a page unless a limit is set, and up to 10,000 in a table, which names the next page', async () => {
    const board = await BoardWorld.create(world, 'many', owner);
    const em = world.orm.em.fork();
    const models = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`m${n}`, { accuracy: 0.9 - n / 1000 }]));
    em.create(BoardRevision, {
      ...{ task: board.taskId, number: 1, benchmarkVersion: 1, digest: '0'.repeat(64), publishedAt: new Date() },
      content: boardContent(models, { task: 'many' }),
    });
    await em.flush();

    const first = await board.board();
    const rest = await board.board(`?cursor=${first.nextCursor}`);
    const table = await board.bytes('?format=csv');

    expect([first.rows.length, rest.rows.length, rest.nextCursor]).toEqual([100, 20, undefined]);
    expect((await board.board('?limit=110')).rows).toHaveLength(110);
    for (const id of Object.keys(models)) expect(table).toMatch(new RegExp(`\\b${id}\\b`));

    const page = await fetch(`${world.url}/api/v1/tasks/many/leaderboard?format=csv&limit=90`);
    const [, next] = /^<(.*)>; rel="next"$/.exec(page.headers.get('link')!)!;
    const last = await fetch(`${world.url}${next}`);
    const linesOf = async (answer: Response) => (await answer.text()).match(/\branked\b/g);
    expect([await linesOf(page), await linesOf(last)].map((lines) => lines!.length)).toEqual([90, 30]);
    expect(last.headers.get('link')).toBeNull();
  });

  it('has the reference rows before there is a model, and says so without one', async () => {
    const board = await BoardWorld.create(world, 'empty', owner);
    expect((await board.get('/leaderboard')).body.code).toBe('no_board_yet');

    expect(await board.publish()).toBe(1);

    const view = await board.board();
    expect(view).toMatchObject({ revision: 1, benchmarkVersion: 1, rows: [], incomplete: [], schema: 2 });
    expect(view).not.toHaveProperty('provisional');
    expect(view.references.map(({ name, metrics }) => [name, metrics['accuracy']!.value])).toEqual([
      ['majority', 0.75],
      ['random', 0.625],
    ]);
    expect((await board.get('/loop')).body).toEqual({ models: [] });
  });

  it('has the reference rows of several labels, also for data from before its label sets were counted', async () => {
    const output = { name: 'label', type: 'labels', labels: ['negative', 'positive'] };
    const more = { output, performance: 'micro_f1', weights: { micro_f1: 1 }, loop: {} };
    const board = await BoardWorld.create(world, 'sets', owner, more);
    const em = world.orm.em.fork();
    const of = { dataset: { task: board.taskId } };
    const counted = { '["negative"]': 1, '["positive"]': 3 };
    expect((await em.findOneOrFail(DatasetVersion, of)).goldCounts).toEqual(counted);
    await em.nativeUpdate(DatasetVersion, of, { goldCounts: null });

    const counts = new EarlierGoldCounts(new LocalBlobStore(join(world.home, 'blobs')));
    const publisher = new LeaderboardPublisher(new BenchmarksService(), undefined, undefined, counts);
    expect(await publisher.publish(em.fork(), board.taskId)).toBe(1);

    expect((await em.fork().findOneOrFail(DatasetVersion, of)).goldCounts).toEqual(counted);
    const { content } = await em.fork().findOneOrFail(BoardRevision, { task: board.taskId });
    expect(content.datasets).toMatchObject([{ goldCounts: null, goldSets: counted }]);
    await until(async () => (await board.board()).revision === 1);
    const { references } = await board.board();
    expect(references.map(({ name, metrics }) => [name, metrics['micro_f1']!.value])).toEqual([
      ['majority', 0.75],
      ['random', 0.625],
    ]);
  });

  it('publishes a revision where something has changed, once, whoever asks at the same time', async () => {
    const board = await BoardWorld.create(world, 'changes', owner);
    await board.publish();
    expect(await board.publish()).toBeNull();
    const id = await board.submitScored('one', 0.9);

    const published = await Promise.all([1, 2, 3].map(() => board.publish()));

    expect(published.toSorted()).toEqual([2, null, null]);
    expect(await world.orm.em.fork().count(BoardRevision, { task: board.taskId })).toBe(2);
    const view = await board.board();
    expect(view.rows).toEqual([
      expect.objectContaining({ rank: 1, officialRank: 1, model: { id, name: 'one', owner: 'owner' }, dynascore: 90 }),
    ]);
    expect(view.rows[0]!.datasets).toEqual({ first: { accuracy: expect.objectContaining({ value: 0.9 }) } });
    expect(view).not.toHaveProperty('degenerate');
    expect(view.rows[0]!.points).toEqual({ accuracy: 90 });
  });

  it('keeps every revision to the byte, by its number, its version and its time', async () => {
    const board = await BoardWorld.create(world, 'history', owner);
    const before = new Date().toISOString();
    await board.submitScored('one', 0.8);
    await board.publish();
    const first = await board.bytes();
    const custom = await board.bytes('?weights=macro_f1:0&datasets=first:2&amrs=live');
    const between = new Date().toISOString();
    await board.submitScored('two', 0.9);
    await board.publish();

    expect(await board.bytes('?asOf=r1')).toBe(first);
    expect(await board.bytes(`?asOf=${between}`)).toBe(first);
    expect(await board.bytes('?asOf=r1&datasets=first:2&amrs=live&weights=macro_f1:0')).toBe(custom);
    expect((await board.board('?asOf=v1')).revision).toBe(2);
    expect(await board.bytes('?asOf=r2')).toBe(await board.bytes());
    for (const asOf of ['r3', 'v2']) {
      const missing = await board.get(`/leaderboard?asOf=${asOf}`);
      expect([asOf, missing.status, missing.body.code]).toEqual([asOf, 404, 'no_such_revision']);
    }
    for (const asOf of [before, '2020-01-01']) {
      const missing = await board.get(`/leaderboard?asOf=${asOf}`);
      expect([asOf, missing.status, missing.body.code]).toEqual([asOf, 404, 'before_first_revision']);
      expect(missing.body.detail).toContain((JSON.parse(first) as LeaderboardView).publishedAt);
    }
  });

  it('answers 304 to a client that has these bytes', async () => {
    const board = await BoardWorld.create(world, 'etag', owner);
    await board.publish();
    const { headers } = await board.get('/leaderboard');
    const etag = headers.get('etag')!;

    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await world.call('GET', '/tasks/etag/leaderboard', { headers: { 'if-none-match': value } });
      expect([value, same.status, same.body]).toEqual([value, 304, '']);
    }
    await board.submitScored('one', 0.9);
    await board.publish();
    const other = await world.call('GET', '/tasks/etag/leaderboard', { headers: { 'if-none-match': etag } });
    expect(other.status).toBe(200);
  });

  it('answers what was asked before from memory, with the same bytes, as long as they are the newest', async () => {
    const board = await BoardWorld.create(world, 'kept', owner);
    await board.submitScored('one', 0.8);
    await board.publish();
    const path = '/tasks/kept/leaderboard?weights=memory:0';
    const first = await world.call('GET', path);
    const again = await world.call('GET', path);

    expect(again.body).toEqual(first.body);
    for (const header of ['etag', 'content-type', 'cache-control', 'vary', 'x-content-type-options']) {
      expect([header, again.headers.get(header)]).toEqual([header, first.headers.get(header)]);
    }
    expect((await world.call('GET', path, { headers: { 'if-none-match': first.headers.get('etag')! } })).status).toBe(
      304,
    );
    expect((await world.call('GET', path, { token: 'wrong' })).status).toBe(401);
    const csv = await world.call('GET', path, { headers: { accept: 'text/csv' } });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    await board.submitScored('two', 0.9);
    await board.publish();
    expect((await world.call('GET', path)).body.rows).toHaveLength(2);
  });

  it('is sent compressed to a client that accepts it, with a tag of its own, again and from memory', async () => {
    const board = await BoardWorld.create(world, 'compressed', owner);
    await board.submitScored('one', 0.8);
    await board.publish();
    const address = `${world.url}/api/v1/tasks/compressed/leaderboard`;
    const ask = (encoding: string, more: Record<string, string> = {}) =>
      fetch(address, { headers: { 'accept-encoding': encoding, ...more } });
    const plain = await ask('identity');
    const text = await plain.text();
    const tags = [plain.headers.get('etag')!];

    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
      null,
      'accept, accept-encoding',
    ]);
    for (const encoding of ['br', 'gzip', 'gzip, br;q=0']) {
      const answer = await ask(encoding);
      const etag = answer.headers.get('etag')!;
      expect([encoding, answer.headers.get('content-encoding')]).toEqual([encoding, encoding.split(',')[0]]);
      expect(await answer.text()).toBe(text);
      expect((await ask(encoding, { 'if-none-match': etag })).status).toBe(304);
      tags.push(etag);
    }
    expect(tags[3]).toBe(tags[2]);
    expect(new Set(tags).size).toBe(3);
    const signedIn = await ask('br', { authorization: `Bearer ${owner}` });
    expect([signedIn.headers.get('content-encoding'), await signedIn.text()]).toEqual(['br', text]);
  });

  it('has all cells as columns, which rank as the board does', async () => {
    const board = await BoardWorld.create(world, 'matrix', owner);
    for (const [name, accuracy] of [
      ['a', 0.8],
      ['b', 0.9],
    ] as const) {
      await board.submitScored(name, accuracy);
    }
    await board.publish();
    const address = `${world.url}/api/v1/tasks/matrix/leaderboard/matrix`;
    const answer = await fetch(address, { headers: { 'accept-encoding': 'br' } });
    const file = decodeMatrix(new Uint8Array(await answer.arrayBuffer()));
    const { ranking } = new RankableMatrix(file.matrix, { datasets: {} }).rank({ weights: {}, amrs: 'official' });
    const { rows } = await board.board();

    expect(Array.from(ranking.order, (row) => file.names[row])).toEqual(['b', 'a']);
    expect([...ranking.dynascore]).toEqual(rows.map(({ dynascore }) => dynascore));
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual(['br', 'accept-encoding']);
    const etag = answer.headers.get('etag')!;
    const same = await fetch(address, { headers: { 'accept-encoding': 'br', 'if-none-match': etag } });
    expect(same.status).toBe(304);
    const fixed = await fetch(`${address}?asOf=r1`, { headers: { 'accept-encoding': 'identity' } });
    expect(fixed.headers.get('cache-control')).toContain('immutable');
    expect(decodeMatrix(new Uint8Array(await fixed.arrayBuffer()))).toEqual(file);
  });

  it('names what it does not know, and the weight that can be none', async () => {
    const board = await BoardWorld.create(world, 'refused', owner);
    await board.submitScored('one', 0.8);
    await board.publish();
    for (const [query, code, named] of [
      ['weights=speed:1', 'unknown_metric', 'speed'],
      ['weights=worst:genre:1', 'unknown_metric', 'genre'],
      ['datasets=nowhere:1', 'unknown_dataset', 'nowhere'],
      ['weights=accuracy:-1', 'invalid_weight', 'accuracy'],
      ['weights=accuracy:x', 'invalid_weight', 'accuracy'],
      ['datasets=first:NaN', 'invalid_weight', 'first'],
      ['weights=accuracy:0', 'all_weights_zero', ''],
      ['pareto=accuracy', 'too_few_metrics', ''],
      ['asOf=yesterday', 'invalid_as_of', 'yesterday'],
    ] as const) {
      const refused = await board.get(`/leaderboard?${query}`);
      expect([query, refused.status, refused.body.code]).toEqual([query, 422, code]);
      expect(refused.body.detail).toContain(named);
    }
    expect((await world.call('GET', '/tasks/nothing/leaderboard')).body.code).toBe('not_found');
  });

  it('gives the rows in pages', async () => {
    const board = await BoardWorld.create(world, 'pages', owner);
    for (const [name, accuracy] of [
      ['a', 0.9],
      ['b', 0.85],
      ['c', 0.8],
    ] as const) {
      await board.submitScored(name, accuracy);
    }
    await board.publish();

    const first = await board.board('?limit=2');
    const rest = await board.board(`?limit=2&cursor=${first.nextCursor}`);

    expect([...first.rows, ...rest.rows].map((row) => row.model.name)).toEqual(['a', 'b', 'c']);
    expect(rest.nextCursor).toBeUndefined();
    expect((await board.get('/leaderboard?cursor=x')).body.code).toBe('unknown_cursor');
  });

  it('puts the best in the loop with the evidence, and ends it when another is better', async () => {
    const board = await BoardWorld.create(world, 'loop', owner);
    const poor = await board.submitScored('poor', 0.74);
    await board.publish();
    // the majority label has 0.75
    const warning = 'No model is better than the baseline; the best one was promoted.';
    expect((await board.board()).rows).toMatchObject([{ model: { id: poor }, rank: null, belowBaseline: true }]);
    expect((await board.get('/loop')).body.models).toMatchObject([
      { model: { id: poor }, evidence: { rank: null, dynascore: 74, warning } },
    ]);

    const good = await board.submitScored('good', 0.9);
    const second = await board.publish();
    const { models } = (await board.get('/loop')).body;
    expect(models).toEqual([
      {
        model: { id: good, name: 'good' },
        since: expect.any(String),
        evidence: {
          revision: second,
          rank: 1,
          dynascore: 90,
          values: { accuracy: 0.9 },
          rule: 'the best 1 by Dynascore with accuracy above the baseline',
        },
      },
    ]);

    const better = await board.submitScored('better', 0.95);
    await board.publish();
    expect((await board.get('/loop')).body.models.map((each: { model: { id: string } }) => each.model.id)).toEqual([
      better,
    ]);
    const ended = { task: board.taskId, until: { $ne: null } };
    const past = await world.orm.em.fork().find(Promotion, ended, { orderBy: { since: 'asc' } });
    expect(past.map(({ model }) => model.id)).toEqual([poor, good]);
  });

  it('has each change of the loop in the audit log, as done by itself', async () => {
    const board = await BoardWorld.create(world, 'audited', owner);
    const good = await board.submitScored('good', 0.9);
    const first = await board.publish();
    // a board that does not change the loop
    await board.submitScored('poor', 0.74);
    await board.publish();
    const better = await board.submitScored('better', 0.95);
    const third = await board.publish();

    const { body } = await world.call('GET', `/admin/audit?action=loop.changed&subject=${board.taskId}`, {
      token: world.admin,
    });
    const common = { actor: null, subject: { kind: 'task', id: board.taskId, name: 'audited' }, network: null };
    expect(body.items).toMatchObject([
      { ...common, from: { models: [good] }, to: { models: [better], revision: third } },
      { ...common, from: { models: [] }, to: { models: [good], revision: first } },
    ]);
  });

  it('takes a withdrawn model off the board and out of the loop; older revisions keep it', async () => {
    const board = await BoardWorld.create(world, 'withdrawn', owner);
    const id = await board.submitScored('one', 0.9);
    await board.publish();
    const before = await board.bytes();

    await world.call('POST', `/models/${id}/withdraw`, { token: owner });
    await board.publish();

    expect((await board.board()).rows).toEqual([]);
    expect((await board.get('/loop')).body.models).toEqual([]);
    expect(await board.bytes('?asOf=r1')).toBe(before);
    await world.call('POST', `/models/${id}/publish`, { token: owner });
    await board.publish();
    expect((await board.board()).rows).toHaveLength(1);
  });

  it('shows what is missing and why, and never ranks it', async () => {
    const board = await BoardWorld.create(world, 'missing', owner);
    await board.submitScored('whole', 0.9);
    const waiting = await board.submit('waiting');
    await board.publish();

    const view = await board.board();
    expect(view.rows.map((row) => row.model.name)).toEqual(['whole']);
    expect(view.incomplete).toEqual([
      {
        model: { id: waiting, name: 'waiting', owner: 'owner' },
        pending: true,
        missing: [{ dataset: 'first', why: 'not evaluated yet' }],
      },
    ]);
  });

  it('proposes a dataset where models are ranked, and releases its benchmark version when the contenders are scored', async () => {
    const board = await BoardWorld.create(world, 'versions', owner);
    const id = await board.submitScored('one', 0.9);
    await board.publish();
    const old = await board.bytes();
    const path = '/tasks/versions/benchmark-versions';

    await board.put('second', lines('positive', 'negative'));
    const proposed = await board.put('second', lines('positive', 'negative', 'positive'));
    expect(proposed).toMatchObject({ status: 201, body: { version: 2, status: 'proposed' } });

    const preview = await world.call('POST', `${path}?preview`, { token: owner });
    expect(preview).toMatchObject({ status: 200, body: { number: 2, createdAt: null, evaluations: 1 } });
    expect(preview.body.datasets.map((each: { name: string; version: number }) => [each.name, each.version])).toEqual([
      ['first', 1],
      ['second', 2],
    ]);
    const unknown = await world.call('POST', path, { token: owner, body: { datasets: ['third'] } });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'nothing_proposed']);

    const activated = await world.call('POST', path, { token: owner });
    expect(activated).toMatchObject({ status: 201, body: { number: 2, evaluations: 1 } });
    expect(activated.body.datasets).toEqual(preview.body.datasets);
    expect((await world.call('POST', path, { token: owner })).body.code).toBe('nothing_proposed');

    // before the evaluations are requested, and while they are queued: the old board remains
    await board.publish();
    expect((await board.board()).benchmarkVersion).toBe(1);
    await board.release();
    await board.publish();
    expect((await board.board()).benchmarkVersion).toBe(1);
    expect((await board.get('/loop')).body.models).toHaveLength(1);

    await board.score(id, 0.7);
    await board.publish();
    const now = await board.board();
    expect([now.benchmarkVersion, now.rows.length]).toEqual([2, 1]);
    expect(now.datasets.map(({ name, version, weight }) => [name, version, weight])).toEqual([
      ['first', 1, 0.5],
      ['second', 2, 0.5],
    ]);
    expect(await board.bytes('?asOf=v1')).toBe(old);
  });

  it('makes a new benchmark version of other weights at once, and lets what is fixed stand', async () => {
    const board = await BoardWorld.create(world, 'weights', owner);
    await board.submitScored('one', 0.9);
    await board.publish();
    const old = await board.bytes();
    const patch = (body: object) => world.call('PATCH', '/tasks/weights', { token: owner, body });

    expect((await patch({ description: 'Only words' })).body.benchmarkVersion).toBe(1);
    expect((await patch({ weights: { memory: 1 } })).body).toMatchObject({
      benchmarkVersion: 2,
      weights: { accuracy: 1, memory: 1 },
    });
    await board.publish();
    const now = await board.board();
    expect([now.benchmarkVersion, now.rows.length]).toEqual([2, 0]);
    expect(now.incomplete[0]!.missing[0]!.why).toContain('no memory');
    expect(await board.bytes('?asOf=v1')).toBe(old);

    for (const fixed of [{ slug: 'other' }, { inputs: [{ name: 'words', type: 'text' }] }, { output: { name: 'x' } }]) {
      const refused = await patch(fixed);
      expect([refused.status, refused.body.code]).toEqual([422, 'fixed_field']);
    }
  });
});

describe('the budget of boards', () => {
  it('is spent by boards that are computed, not by those that are cached', async () => {
    const world = await apiWorld({ ASSAY_COSTLY_REQUESTS_PER_MINUTE: '2' });
    try {
      const board = await BoardWorld.create(world, 'budget', await world.user('owner'));
      await board.submitScored('one', 0.8);
      await board.publish();
      const statuses: number[] = [];
      for (const query of ['', '', '', '?limit=1', '?limit=1', '?limit=2', '', '?format=csv', '?limit=1']) {
        statuses.push((await board.get(`/leaderboard${query}`)).status);
      }

      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 200, 429, 200]);
    } finally {
      await world.close();
    }
  });
});
