import { failure } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { settleModels } from '@assay/evaluation/outcomes';
import { BoardRevision, type BoardModel, BoardRevisionRepository } from '@assay/leaderboard/boards';
import { decodeMatrix } from '@assay/scoring/board';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { scoredModel } from '../../factories/models/scored-models.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['a', 'b'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 10 },
};
const LINES = Array.from({ length: 40 }, (_, id) => JSON.stringify({ id, text: `t${id}`, label: id % 2 ? 'a' : 'b' }));
const WHY = 'It needs the library of the moon.';
const RIGHT = { text: 'a' };

/** The submitter of each model that has a failed upload, by the model's name. */
const OWNERS = { 'broken-by-ada': 'ada', 'broken-by-ben': 'ben', 'broken-by-cy': 'cy' } as const;
const BROKEN = Object.keys(OWNERS) as (keyof typeof OWNERS)[];
const VIEWERS = ['nobody', 'ada', 'ben', 'cy', 'stranger', 'owner', 'administrator'] as const;
type Viewer = (typeof VIEWERS)[number];

describe('an upload that failed before its first score', () => {
  let world: ApiWorld;
  const tokens: Partial<Record<Viewer, string>> = {};
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    world = await apiWorld();
    tokens.administrator = world.admin;
    for (const name of ['ada', 'ben', 'cy', 'stranger', 'owner'] as const) tokens[name] = await world.user(name);
    await world.call('POST', '/tasks', { token: tokens.owner, body: TASK });
    for (const dataset of ['one', 'two']) {
      const request = { token: tokens.owner, type: 'application/x-ndjson', body: LINES.join('\n') };
      await world.call('PUT', `/tasks/tone/datasets/${dataset}`, request);
    }
    ids['good'] = await submitted('good', 'ada', () => true);
    ids['half'] = await submitted('half', 'ben', (dataset) => dataset === 'one');
    for (const name of BROKEN) ids[name] = await submitted(name, OWNERS[name], () => false);
    await publishBoard(world, 'tone');
  }, 300_000);
  afterAll(() => world.close());

  /**
   * Submits a model that fails on the datasets that it does not solve.
   * @returns The model's ID.
   */
  async function submitted(name: string, owner: Viewer, solves: (dataset: string) => boolean): Promise<string> {
    const id = await scoredModel(world, {
      ...{ slug: 'tone', name, token: tokens[owner]! },
      answer: (dataset) => (solves(dataset) ? RIGHT : undefined),
    });
    await settled(id);
    return id;
  }

  /** Fails the queued evaluations of the model. */
  async function settled(id: string): Promise<void> {
    await world.orm.em.fork().transactional(async (em) => {
      const model = await em.findOneOrFail(Model, id);
      const specification = model.specification!.id;
      const change = { state: 'failed', failure: failure('model_exited', WHY), finishedAt: new Date() } as const;
      await em.nativeUpdate(Evaluation, { specification, state: 'queued' }, change);
      await em.execute(`update run set state = 'failed', finished_at = now() where specification_id = ?`, [
        specification,
      ]);
      await settleModels(em, { specification, task: model.task.id });
    });
  }

  const get = (viewer: Viewer, path: string) =>
    world.call('GET', path, viewer === 'nobody' ? {} : { token: tokens[viewer] });

  const mayKnow = (viewer: Viewer, name: keyof typeof OWNERS): boolean =>
    viewer === OWNERS[name] || viewer === 'owner' || viewer === 'administrator';

  describe.each(VIEWERS.map((viewer) => [viewer]))('for %s', (viewer) => {
    it('is there by its id for its owner and the owner of the task, and for others as if it had never been', async () => {
      const absent = await get(viewer, '/models/00000000-0000-7000-8000-000000000000');
      for (const name of BROKEN) {
        const { status, body } = await get(viewer, `/models/${ids[name]}`);
        if (mayKnow(viewer, name)) expect([name, status, body.failure.code]).toEqual([name, 200, 'model_exited']);
        else expect([name, status, body.code, body.detail]).toEqual([name, 404, absent.body.code, absent.body.detail]);
      }
    });

    it('is in the list of models and in the search for the same people alone', async () => {
      const known = BROKEN.filter((name) => mayKnow(viewer, name));
      const listed = await get(viewer, '/tasks/tone/models?limit=200');
      const names = (listed.body.items as { name: string }[]).map(({ name }) => name);
      expect(names.toSorted()).toEqual([...known, 'good', 'half'].toSorted());

      const found = await get(viewer, '/search?q=broken');
      expect((found.body.models as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(known.toSorted());
    });

    it('compares for the same people alone', async () => {
      for (const name of BROKEN) {
        for (const named of [name, ids[name]]) {
          const { status, body } = await get(viewer, `/tasks/tone/compare?a=${ids['good']}&b=${named}`);
          if (mayKnow(viewer, name)) expect(body.code).not.toBe('unknown_model');
          else expect([status, body.code]).toEqual([404, 'unknown_model']);
        }
        const history = await get(viewer, `/tasks/tone/history?models=${ids[name]}`);
        expect([name, history.status]).toEqual([name, mayKnow(viewer, name) ? 200 : 404]);
      }
    });

    it('is on no board, in no export and on no page of a user', async () => {
      const paths = [
        '/tasks/tone/leaderboard',
        '/tasks/tone/leaderboard?format=csv',
        '/tasks/tone/leaderboard?format=latex',
        '/tasks/tone/history',
        '/tasks/tone',
        '/overview',
        ...Object.values(OWNERS).map((username) => `/users/${username}`),
      ];
      for (const path of paths) {
        const { status, body } = await get(viewer, path);
        expect([path, status]).toEqual([path, 200]);
        const text = JSON.stringify(body);
        expect([path, BROKEN.filter((name) => text.includes(name) || text.includes(ids[name]!))]).toEqual([path, []]);
      }
    });
  });

  it('is not among the columns that a page ranks by', async () => {
    const matrix = await fetch(`${world.url}/api/v1/tasks/tone/leaderboard/matrix`);
    const file = decodeMatrix(new Uint8Array(await matrix.arrayBuffer()));
    expect([...file.names].toSorted()).toEqual(['good', 'half']);
  });

  it('makes nobody findable who has submitted nothing else', async () => {
    const { body } = await get('nobody', '/search?q=cy');
    expect(body.people).toEqual([]);
    const ada = await get('nobody', '/search?q=ada');
    expect(ada.body.people).toMatchObject([{ username: 'ada' }]);
  });

  it('leaves boards of before, which named it', async () => {
    const em = world.orm.em.fork();
    const revision = await em.findOneOrFail(BoardRevision, { task: { slug: 'tone' } });
    const old: BoardModel = {
      ...{ id: ids['broken-by-cy']!, name: 'broken-by-cy', owner: 'cy', kind: 'container' },
      ...{ cells: {}, missing: { one: WHY, two: WHY }, pending: false },
    };
    const { content } = await new BoardRevisionRepository(em).whole(revision);
    const before = { ...content, models: [...content.models, old] };
    const { task, benchmarkVersion, publishedAt } = revision;
    em.create(BoardRevision, {
      task,
      benchmarkVersion,
      publishedAt,
      number: 0,
      content: before,
      digest: '0'.repeat(64),
    });
    await em.flush();
    const { status, body } = await get('nobody', '/tasks/tone/leaderboard?asOf=r0');
    expect([status, body.revision]).toEqual([200, 0]);
    expect(JSON.stringify(body)).not.toContain('broken');
  });

  it('is unlike a model that has scores and fails on one dataset: that stays for all, as incomplete', async () => {
    expect((await get('nobody', `/models/${ids['half']}`)).body).toMatchObject({ state: 'failed' });
    const { body } = await get('nobody', '/tasks/tone/leaderboard');
    expect((body.rows as { model: { name: string } }[]).map(({ model }) => model.name)).toEqual(['good']);
    expect(body.incomplete).toMatchObject([
      { model: { name: 'half' }, pending: false, missing: [{ dataset: 'two', why: 'the container exited' }] },
    ]);
    expect(JSON.stringify(body)).not.toContain(WHY);
  });

  it('is unlike a model that was scored on data of before and fails on all of now: that stays listed', async () => {
    const em = world.orm.em.fork();
    await em.nativeUpdate(Model, ids['broken-by-ben']!, { firstScoredAt: new Date() });
    try {
      await publishBoard(world, 'tone');
      const { body } = await get('stranger', '/tasks/tone/leaderboard');
      const names = (body.incomplete as { model: { name: string } }[]).map(({ model }) => model.name);
      expect(names.toSorted()).toEqual(['broken-by-ben', 'half']);
    } finally {
      await em.nativeUpdate(Model, ids['broken-by-ben']!, { firstScoredAt: null });
      await publishBoard(world, 'tone');
    }
  });

  it('ends the stream of events of others without a word about the failure', async () => {
    const { body } = await world.call('POST', '/tasks/tone/models', {
      token: tokens.ada,
      body: { name: 'followed', kind: 'container' },
    });
    await world.call('PUT', `/models/${body.id}/artifact`, { token: tokens.ada, body: 'followed' });
    const follow = async (viewer: Viewer) => {
      const headers = { authorization: `Bearer ${tokens[viewer]}` };
      const { body: stream } = await fetch(`${world.url}/api/v1/models/${body.id}/events`, { headers });
      const reader = stream!.pipeThrough(new TextDecoderStream()).getReader();
      let first = '';
      while (!/event: state[^]*\n\n/.test(first)) first += (await reader.read()).value ?? '';
      const rest = async (): Promise<string> => {
        let text = first;
        for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
        return text;
      };
      return { first, rest };
    };
    const [others, own] = [await follow('stranger'), await follow('ada')];
    expect(others.first).not.toContain('failed');
    await settled(body.id as string);
    expect(await own.rest()).toContain(WHY);
    const heard = await others.rest();
    expect(heard).not.toContain('failed');
    expect(heard).not.toContain(WHY);
  });
});
