import { failure } from '@assay/contracts/models';
import { EvaluationRepository, EvaluationRequests } from '@assay/evaluation/evaluations';
import { databaseOptions } from '@assay/persistence';
import { type Model, RunSpecification } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../../apps/api/migrations/index.js';
import { EvaluationWorld, sha256 } from '../factories/worlds/evaluation-world.js';

const MIGRATION = 'Migration20261127020000RecordSeenDatasets';
const EXITED = failure('model_exited', 'After 3 of 20 examples, it exited with code 77.');

describe('what was stored before sandboxes were told apart', () => {
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  let task: Task;
  const request = (model: Model) => world.transaction((em) => requests.requestMissing(em, task, model.specification!));

  /**
   * Ends the queued work of a model as an earlier version did: with answers, or with the failure
   * `why`.
   */
  async function ended(model: Model, why: typeof EXITED | null): Promise<void> {
    const { em } = world;
    const [state, id] = [why ? 'failed' : 'scored', model.specification!.id];
    const of = `specification_id = ?`;
    await em.execute(
      `update evaluation set state = ?, failure = ?::jsonb, predictions = ?, finished_at = now() where ${of} and state = 'queued'`,
      [state, why && JSON.stringify(why), why ? null : sha256(id), id],
    );
    await em.execute(
      `update run set state = 'done', failure = ?::jsonb, log = 'log of then', finished_at = now() where ${of}`,
      [why && JSON.stringify(why), id],
    );
    await em.execute(`update model set state = ?, failure = ?::jsonb where ${of}`, [
      state,
      why && JSON.stringify(why),
      id,
    ]);
    const repeated = { compared: 10, different: 0, why: 'A second container: it exited with code 77.' };
    await em.nativeUpdate(RunSpecification, id, { repeatability: repeated });
  }

  async function migratedAgain(): Promise<void> {
    const orm = await MikroORM.init(
      databaseOptions({ url: world.ownerUrl, entities: [RunSpecification], migrations, poolMax: 2 }),
    );
    try {
      await orm.migrator.down({ migrations: [MIGRATION] });
      await orm.migrator.up({ migrations: [MIGRATION] });
    } finally {
      await orm.close();
    }
  }

  let early: Model;
  let predictions: Model;
  let mixed: Model;
  let failed: Model;
  let secret: DatasetVersion;
  beforeAll(async () => {
    world = await EvaluationWorld.create();
    task = await world.task();
    await world.dataset(task, 'open');
    early = await world.model(task, { admitted: true });
    predictions = await world.model(task, { kind: 'predictions' });
    for (const each of [early, predictions]) {
      await request(each);
      await ended(each, null);
    }
    secret = await world.dataset(task, 'secret', { visibility: 'hidden' });
    [mixed, failed] = [await world.model(task, { admitted: true }), await world.model(task, { admitted: true })];
    for (const each of [early, mixed, failed]) await request(each);
    for (const each of [early, mixed]) await ended(each, null);
    await ended(failed, EXITED);
    await migratedAgain();
  }, 300_000);
  afterAll(() => world.close());

  /** Returns the names of the datasets to which everybody may read the model's answers. */
  async function readable(model: Model): Promise<string[]> {
    const cells = await world.cells(model);
    const ids = await new EvaluationRepository(world.em).readable(cells);
    return cells.filter(({ id }) => ids.has(id)).map(({ datasetVersion }) => datasetVersion.dataset.name);
  }

  it('withdraws the answers of a run that saw hidden data too, and no others', async () => {
    expect(await readable(mixed)).toEqual([]);
    expect(await readable(early)).toEqual(['open']);
    expect(await readable(predictions)).toEqual(['open']);
  });

  it.each([
    ['a dataset version that is gone', '["00000000-0000-7000-8000-000000000000"]'],
    ['data that nobody knows', null],
  ])('withholds the answers of a sandbox that has seen %s', async (_, seen) => {
    const [cell] = await world.cells(early);
    const { em } = world;
    const [before] = await em.execute<{ seen: unknown }[]>('select seen from evaluation where id = ?', [cell!.id]);
    const tell = (value: string | null) =>
      em.execute('update evaluation set seen = ?::jsonb where id = ?', [value, cell!.id]);
    await tell(seen);
    expect(await readable(early)).toEqual([]);
    await tell(JSON.stringify(before!.seen));
    expect(await readable(early)).toEqual(['open']);
  });

  it('keeps the logs, for users who may read all that their sandboxes had seen', async () => {
    const [run] = await world.runs(mixed);
    expect(run).toMatchObject({ log: 'log of then', logSeen: expect.arrayContaining([secret.id]) });
  });

  it('leaves of failures the code', async () => {
    const stored = [await world.state(failed), ...(await world.cells(failed)), ...(await world.runs(failed))].map(
      (each) => each.failure,
    );
    expect(stored).toHaveLength(4);
    for (const each of stored) {
      expect(each).toMatchObject({ code: 'model_exited', fault: 'model', next: EXITED.next });
      expect(each!.message).not.toMatch(/\d/);
    }
    const { repeatability } = await world.em.findOneOrFail(RunSpecification, failed.specification!.id);
    expect(repeatability).toEqual({ compared: 10, different: 0 });
  });
});
