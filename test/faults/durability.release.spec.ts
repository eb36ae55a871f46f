import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvaluationView } from '@assay/contracts/models';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { misbehavingImage } from '../factories/hostile/misbehaving-image.js';
import { PARITY_TASK } from '../factories/models/parity-task.js';
import type { Followed } from '../factories/worlds/service-client.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import { type OwnPostgres, startOwnPostgres } from './own-servers.js';

jest.setTimeout(600_000);

const TASK = 'parity';
const SIZES = { first: 300, second: 200 };

/** A row of `evaluation`, with the name of its dataset. */
interface Cell {
  readonly dataset: string;
  readonly state: string;
  readonly run: string;
  readonly finished_at: Date;
}

describe('a service that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-durable-'));
  let postgres: OwnPostgres;
  let world: ServiceWorld;
  let image: string | undefined;
  let undisturbed: readonly EvaluationView[];

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    world = await ServiceWorld.start({}, postgres.database);
    await takeInTask(TASK, SIZES);
    undisturbed = (await world.untilFinal(await submit('undisturbed'))).model.evaluations;
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
    await postgres?.close();
  });

  it.each([
    ['after the claim of the run', 'after-claim', 0],
    ['after the start of the model', 'after-start', 0],
    ['in the middle of a dataset', 'mid-dataset', 0],
    ['before the first result is committed', 'before-commit', 0],
    ['after the first result is committed', 'after-commit', 1],
    ['before the second result is committed', 'before-commit:2', 1],
    ['after the second result is committed', 'after-commit:2', 2],
    ['after the run is committed', 'after-commit:3', 2],
  ])('%s has exactly one result for each evaluation', async (name, failpoint, committed) => {
    await world.stopEvaluator();
    await world.startEvaluator({ ASSAY_FAILPOINT: failpoint });
    const id = await submit(name);
    expect(await world.evaluator.ended).toBe('was ended by SIGKILL');
    const before = await cellsOf(id);
    expect(before.filter(({ state }) => state === 'scored')).toHaveLength(committed);

    await world.startEvaluator();
    const { model } = await world.untilFinal(id);

    expect(model).toMatchObject({ state: 'scored' });
    expect(model.evaluations.map(withoutCosts)).toEqual(undisturbed.map(withoutCosts));
    const after = await cellsOf(id);
    expect(after).toHaveLength(2);
    // committed results were not computed again
    for (const cell of before) if (cell.state === 'scored') expect(after).toContainEqual(cell);
    expect(await runsOf(id)).toEqual([{ state: 'done', attempts: failpoint === 'after-commit:3' ? 0 : 1 }]);
    await nothingIsLeft();
    await world.board(TASK, ({ rows }) => rows.some((row) => row.model.id === id));
  });

  it('after the claim of an admission admits what was submitted', async () => {
    await world.stopEvaluator();
    await world.startEvaluator({ ASSAY_FAILPOINT: 'after-claim' });
    const submission = { name: 'new', kind: 'container' } as const;
    const id = await world.submit(TASK, submission, await imageOf('new'));
    expect(await world.evaluator.ended).toBe('was ended by SIGKILL');
    expect(await world.model(id)).toMatchObject({ state: 'admitting' });

    await world.startEvaluator();
    expect((await world.untilFinal(id)).model.evaluations.map(withoutCosts)).toEqual(undisturbed.map(withoutCosts));
  });

  it('over and over gives a run up, and does not blame the model', async () => {
    await world.stopEvaluator();
    const id = await submit('given up');
    await world.startEvaluator({ ASSAY_FAILPOINT: 'after-claim' });
    await world.evaluator.ended;
    for (let death = 2; death <= 3; death++) {
      await world.startEvaluator({ ASSAY_FAILPOINT: 'after-start' });
      await world.evaluator.ended;
    }
    await world.startEvaluator();
    const { model } = await world.untilFinal(id);

    expect(model).toMatchObject({ state: 'failed', failure: { code: 'platform_failed', fault: 'platform' } });
    await nothingIsLeft();
    const again = await world.call('POST', `/models/${id}/rerun`, { token: await world.user('ada') });
    expect(again.status).toBe(202);
    expect((await world.untilFinal(id)).model.evaluations.map(withoutCosts)).toEqual(undisturbed.map(withoutCosts));
  });

  it('but asked to stop puts back what it holds', async () => {
    const id = await submit('interrupted', 'slow-in-the-end');
    await world.untilEvent(id, ({ type }) => type === 'progress');
    await world.stopEvaluator();

    expect(await world.residue()).toEqual([]);
    expect(await runsOf(id)).toEqual([{ state: 'queued', attempts: 0 }]);
    await world.startEvaluator();
    expect((await world.untilFinal(id)).model.state).toBe('scored');
  });

  it('while costs are measured once more leaves the model scored as it was', async () => {
    const id = await submit('measured again');
    const before = (await world.untilFinal(id)).model;
    await world.stopEvaluator();
    await world.startEvaluator({ ASSAY_FAILPOINT: 'after-start' });
    const asked = await world.call('POST', `/models/${id}/rerun?measures=true`, { token: await world.user('ada') });
    expect(asked).toMatchObject({ status: 202, body: { state: 'scored', measuring: true } });
    expect(await world.evaluator.ended).toBe('was ended by SIGKILL');
    expect(await world.residue()).not.toEqual([]);
    expect(await world.model(id)).toMatchObject({ state: 'scored', measuring: true });

    await world.startEvaluator();
    await world.until(async () => (await world.model(id)).measuring === false, 120_000);

    expect((await world.model(id)).evaluations.map(withoutCosts)).toEqual(before.evaluations.map(withoutCosts));
    expect(await runsOf(id)).toEqual([
      { state: 'done', attempts: 0 },
      { state: 'done', attempts: 1 },
    ]);
    const query = `select k.run from measurement k join model m on m.specification_id = k.specification_id
      where m.id = $1`;
    expect(await world.rows(query, [id])).toHaveLength(2);
    await nothingIsLeft();
  });

  it('continues with an upload where it was cut', async () => {
    const image = readFileSync(await imageOf('resumed'));
    const token = await world.user('ada');
    const created = await world.expect(201, 'POST', `/tasks/${TASK}/models`, {
      token,
      body: { name: 'resumed', kind: 'container' },
    });
    const { id, upload } = created.body as { id: string; upload: string };
    const tus = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
    const opened = await fetch(upload, { method: 'POST', headers: { ...tus, 'upload-length': String(image.length) } });
    expect(opened.status).toBe(201);
    const location = new URL(opened.headers.get('location')!, upload).href;

    await cutOff(location, tus, image);
    await world.restartApi();
    const offset = Number((await fetch(location, { method: 'HEAD', headers: tus })).headers.get('upload-offset'));
    expect(offset).toBeGreaterThan(0);
    expect(offset).toBeLessThan(image.length);
    const rest = await fetch(location, {
      method: 'PATCH',
      headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      body: image.subarray(offset),
    });

    expect(rest.status).toBe(204);
    const { model } = await world.untilFinal(id);
    expect(model).toMatchObject({ state: 'scored', artifact: { size: image.length } });
    await nothingIsLeft();
  });

  async function cellsOf(id: string): Promise<Cell[]> {
    return world.rows<Cell>(
      `select d.name as dataset, e.state, e.run, e.finished_at from evaluation e
        join model m on m.specification_id = e.specification_id
        join dataset_version v on v.id = e.dataset_version_id join dataset d on d.id = v.dataset_id
        where m.id = $1 order by d.name`,
      [id],
    );
  }

  /** Returns the runs of a model, except a measurement that has not started. */
  function runsOf(id: string): Promise<{ state: string; attempts: number }[]> {
    return world.rows(
      `select r.state, r.attempts from run r join model m on m.specification_id = r.specification_id
        where m.id = $1 and (r.purpose = 'evaluation' or r.started_at is not null) order by r.id`,
      [id],
    );
  }

  /**
   * Submits the common image. Another name gives another run specification, so that the model
   * really runs.
   */
  async function submit(name: string, way = 'honest'): Promise<string> {
    image ??= await imageOf('common');
    return world.submit(TASK, { name, kind: 'container', command: [way, name] }, image);
  }

  /**
   * Checks that nothing is left over. Call it while the evaluator is running again: it removes its
   * predecessor's leftovers when it starts.
   */
  async function nothingIsLeft(): Promise<void> {
    await world.until(async () => (await world.residue()).length === 0, 30_000).catch(() => undefined);
    expect(await world.residue()).toEqual([]);
  }

  /** Builds an image with unique bytes. */
  async function imageOf(name: string): Promise<string> {
    const path = join(folder, `${name}.tar.zst`);
    await misbehavingImage(`${name} of ${world.instance}`, path);
    return path;
  }

  async function takeInTask(
    slug: string,
    sizes: Readonly<Record<string, number>>,
    more: Partial<TaskDefinitionInput> = {},
  ): Promise<void> {
    await world.task({ ...parity(slug), ...more });
    for (const [name, size] of Object.entries(sizes)) {
      await world.dataset(slug, name, 'visibility=public', examples(name, size));
    }
  }

  describe('work that was done', () => {
    const SAME = 'reuse';
    let image: string;
    let first: Followed;

    beforeAll(async () => {
      await takeInTask(SAME, { first: 300 });
      image = await imageOf('reused');
      first = await world.untilFinal(await world.submit(SAME, { name: 'first', kind: 'container' }, image));
    });

    it('is not done again for the same specification, whoever submits it', async () => {
      const since = Date.now() / 1000;
      const id = await world.submit(SAME, { name: 'second', kind: 'container' }, image, 'bob');
      const { model } = await world.untilFinal(id, 'bob');

      expect(model).toMatchObject({ state: 'scored', owner: 'bob' });
      expect(model.evaluations).toEqual(first.model.evaluations);
      expect(await containersSince(since)).toEqual([]);
      const board = await world.board(SAME, ({ rows }) => rows.length === 2);
      expect(board.rows[0]!.metrics).toEqual(board.rows[1]!.metrics);
    });

    it('is kept when a dataset is added: only the new cells are evaluated', async () => {
      await world.submit(SAME, { name: 'other', kind: 'container', command: ['other'] }, image);
      const before = await world.board(SAME, ({ rows }) => rows.length === 3);
      const proposed = await world.call('PUT', `/tasks/${SAME}/datasets/second?visibility=public`, {
        token: world.admin,
        type: 'application/x-ndjson',
        body: examples('second', 200),
      });
      expect(proposed).toMatchObject({ status: 201, body: { status: 'proposed' } });
      const activation = `/tasks/${SAME}/benchmark-versions`;
      const preview = await world.call('POST', `${activation}?preview`, { token: world.admin, body: {} });
      expect(preview.body).toMatchObject({ number: 2, evaluations: 2 });
      const cells = await allCells();

      await world.expect(201, 'POST', activation, { token: world.admin, body: {} });
      const after = await world.board(SAME, ({ rows, datasets }) => rows.length === 3 && datasets.length === 2);

      const now = await allCells();
      expect(now).toEqual(expect.arrayContaining(cells));
      expect(now).toHaveLength(4);
      expect(after.benchmarkVersion).toBe(2);
      const { body } = await world.call('GET', `/tasks/${SAME}/leaderboard?asOf=v1`);
      expect(body).toEqual(before);
    });

    function allCells(): Promise<Cell[]> {
      return world.rows<Cell>(
        `select d.name as dataset, e.state, e.run, e.finished_at, e.metrics, e.specification_id from evaluation e
          join dataset_version v on v.id = e.dataset_version_id join dataset d on d.id = v.dataset_id
          join task t on t.id = d.task_id where t.slug = $1`,
        [SAME],
      );
    }

    /**
     * Returns the engine's `create` event of each container of this world, as lines of JSON.
     * @param since In seconds since 1970.
     */
    async function containersSince(since: number): Promise<string[]> {
      const events = await world.engine.docker.getEvents({
        since,
        until: Date.now() / 1000,
        filters: { type: ['container'], event: ['create'], label: [`assay.instance=${world.instance}`] },
      });
      const parts: string[] = [];
      for await (const part of events) parts.push(String(part));
      return parts
        .join('')
        .split('\n')
        .filter((line) => line !== '');
    }
  });

  describe('scores that are computed again', () => {
    const RESCORED = 'again';
    const CELLS = 8;
    const models: string[] = [];

    beforeAll(async () => {
      await takeInTask(RESCORED, SIZES, { weights: { accuracy: 1 } });
      for (let wrong = 1; wrong <= CELLS / 2; wrong++) {
        const file = predictions(SIZES, wrong);
        models.push(await world.submit(RESCORED, { name: `wrong ${wrong}`, kind: 'predictions' }, file));
      }
      for (const id of models) await world.untilFinal(id);
      await world.rows('create table written (evaluation uuid not null)');
      await world.rows(`create function note_written() returns trigger language plpgsql as
        $$ begin insert into written values (new.id); return new; end $$`);
      await world.rows(`create trigger written after update of metrics on evaluation
        for each row when (old.metrics is distinct from new.metrics) execute function note_written()`);
    });

    it.each([
      ['before one is written', 'before-score:3', 2, 'mcc'],
      ['after one is written', 'after-score:5', 5, 'balanced_accuracy'],
    ])('are all there, each written once, when it is killed %s', async (_, failpoint, written, metric) => {
      const before = await evaluationsOfAll();
      const runs = await world.rows('select id, state, fence from run order by id');
      await world.rows('truncate written');
      await world.stopWorker();
      world.startWorker({ ASSAY_FAILPOINT: failpoint });

      const { body } = await world.expect(200, 'PATCH', `/tasks/${RESCORED}`, {
        token: world.admin,
        body: { metrics: ['macro_f1', metric] },
      });
      expect(body.rescored).toBe(CELLS);
      expect(await world.worker.ended).toBe('was ended by SIGKILL');
      expect(await writtenOnes()).toHaveLength(written);
      world.startWorker();
      // the job of the killed worker stays locked for ten seconds
      await world.until(async () => (await writtenOnes()).length >= CELLS, 150_000);
      const board = await world.board(
        RESCORED,
        ({ rows }) => rows.length === models.length && rows.every(({ metrics }) => metrics[metric] !== undefined),
      );

      const ones = await writtenOnes();
      expect(new Set(ones).size).toBe(CELLS);
      expect(ones).toHaveLength(CELLS);
      const after = await evaluationsOfAll();
      for (const [index, { metrics }] of after.entries()) {
        expect(Object.keys(metrics).sort()).toEqual(['accuracy', 'macro_f1', metric].sort());
        expect(metrics['accuracy']).toEqual(before[index]!.metrics['accuracy']);
      }
      expect(board.incomplete).toEqual([]);
      expect(await world.rows('select id, state, fence from run order by id')).toEqual(runs);
    });

    async function writtenOnes(): Promise<string[]> {
      const rows = await world.rows<{ evaluation: string }>('select evaluation from written');
      return rows.map(({ evaluation }) => evaluation);
    }

    async function evaluationsOfAll(): Promise<EvaluationView[]> {
      const views = await Promise.all(models.map((id) => world.model(id)));
      return views.flatMap(({ evaluations }) => evaluations);
    }
  });
});

const parity = (slug: string): TaskDefinitionInput => ({
  slug,
  ...PARITY_TASK,
  metrics: ['macro_f1'],
  slices: ['length'],
  limits: { memory: '160MiB' },
  quota: { perDay: 100 },
});

/** Examples with texts of many lengths. Every fourth gold label is wrong. */
function examples(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const text = `${name} ${index}${'x'.repeat(index % 17)}`;
    const isEven = (text.length % 2 === 0) !== (index % 4 === 0);
    const label = isEven ? 'even' : 'odd';
    return `${JSON.stringify({ id: index, text, label, length: index % 3 })}\n`;
  }).join('');
}

/** A predictions file in which `wrong` of every ten predictions are the other label. */
function predictions(sizes: Readonly<Record<string, number>>, wrong: number): Buffer {
  const lines = Object.entries(sizes).flatMap(([dataset, size]) =>
    Array.from({ length: size }, (_, index) => {
      const length = `${dataset} ${index}${'x'.repeat(index % 17)}`.length;
      const isEven = (length % 2 === 0) !== index % 10 < wrong;
      return `${JSON.stringify({ dataset, id: String(index), prediction: isEven ? 'even' : 'odd' })}\n`;
    }),
  );
  return Buffer.from(lines.join(''));
}

/** Returns the part of an evaluation that is the same in every run of the same model. */
const withoutCosts = ({ measures: _, ...rest }: EvaluationView): Omit<EvaluationView, 'measures'> => rest;

/** Sends a third of the file and closes the connection. */
function cutOff(url: string, headers: Readonly<Record<string, string>>, file: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const upload = request(url, {
      method: 'PATCH',
      headers: {
        ...headers,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'content-length': file.length,
      },
    });
    upload.on('error', () => undefined);
    upload.on('close', resolve);
    upload.write(file.subarray(0, Math.floor(file.length / 3)), () => upload.destroy());
  });
}
