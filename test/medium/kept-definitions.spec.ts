import { databaseOptions } from '@assay/persistence';
import { benchmarkChanges, BenchmarkVersion, boardPart, StaleBoardRepository } from '@assay/tasks/benchmarks';
import { Task } from '@assay/tasks';
import { expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../../apps/api/migrations/index.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';
import { databaseOn, testServer } from '../factories/worlds/test-services.js';

it('keeps the default weights of tasks from before CPU time was weighed', async () => {
  const world = await EvaluationWorld.create();
  const plain = await world.task();
  const perturbed = await world.task({ perturbations: { robustness: ['case'] } });
  const chosen = await world.task({ weights: { accuracy: 1 } });
  for (const task of [plain, perturbed, chosen]) await world.dataset(task, 'one');
  const em = world.em;
  for (const benchmark of await em.find(BenchmarkVersion, { task: perturbed.id })) {
    benchmark.definition = { ...benchmark.definition, perturbations: perturbed.definition.perturbations! };
  }
  await em.flush();
  await migrateAgain(world, 'Migration20261129180000KeepDefaultWeights');

  const weightsOf = async ({ id }: Task) => [
    (await em.findOneOrFail(Task, id, { refresh: true })).definition.weights,
    ...(await em.find(BenchmarkVersion, { task: id }, { refresh: true })).map(({ definition }) => definition.weights),
  ];
  const before = { accuracy: 4, throughput: 1, memory: 1 };
  expect(await weightsOf(plain)).toEqual([before, before]);
  expect(await weightsOf(perturbed)).toEqual([
    { ...before, robustness: 1 },
    { ...before, robustness: 1 },
  ]);
  expect(await weightsOf(chosen)).toEqual([{ accuracy: 1 }, { accuracy: 1 }]);
  await world.close();
});

it('keeps the default weights of tasks from before fairness_mean and robustness_mean were weighed', async () => {
  const world = await EvaluationWorld.create();
  const plain = await world.task();
  const perturbed = await world.task({ perturbations: { robustness: ['case'] } });
  const chosen = await world.task({ perturbations: { robustness: ['case'] }, weights: { accuracy: 1 } });

  await migrateAgain(world, 'Migration20261130160000KeepPerturbationWeights');

  const weightsOf = async ({ id }: Task) =>
    (await world.em.findOneOrFail(Task, id, { refresh: true })).definition.weights;
  expect(await weightsOf(plain)).toBeUndefined();
  expect(await weightsOf(perturbed)).toEqual({ accuracy: 4, cpu_time: 1, memory: 1, robustness: 1 });
  expect(await weightsOf(chosen)).toEqual({ accuracy: 1 });
  await world.close();
});

it('keeps the runtime of tasks from before the service decided it', async () => {
  const world = await EvaluationWorld.create();
  const plain = await world.task();
  const isolated = await world.task({ runtime: 'runsc' });

  await migrateAgain(world, 'Migration20261130061000KeepRuntimes');

  const runtimeOf = async ({ id }: Task) =>
    (await world.em.findOneOrFail(Task, id, { refresh: true })).definition.runtime;
  expect(await runtimeOf(plain)).toBe('runc');
  expect(await runtimeOf(isolated)).toBe('runsc');
  await world.close();
});

it('releases a benchmark version with fixed exchange rates for tasks from before them', async () => {
  const world = await EvaluationWorld.create();
  const em = world.em;
  const ranked = await world.task({ weights: { accuracy: 4, throughput: 1 } });
  const empty = await world.task();
  await world.dataset(ranked, 'one');
  for (const task of [ranked, empty]) {
    const { exchange: _exchange, ...before } = task.definition;
    task.definition = before as Task['definition'];
  }
  const old = await em.findOneOrFail(BenchmarkVersion, { task: ranked.id });
  const { exchange: _exchange, exchangeRates: _rates, referenceCosts: _references, ...definition } = old.definition;
  old.definition = definition;
  await em.flush();

  await migrateAgain(world, 'Migration20261130120000UseFixedRates');

  for (const { id } of [ranked, empty]) {
    expect((await em.findOneOrFail(Task, id, { refresh: true })).definition.exchange).toBe('fixed');
  }
  const versions = await em.find(BenchmarkVersion, { task: ranked.id }, { orderBy: { number: 'asc' }, refresh: true });
  expect(versions.map(({ number, amrs }) => [number, amrs])).toEqual([
    [1, null],
    [2, null],
  ]);
  const [before, after] = versions as [BenchmarkVersion, BenchmarkVersion];
  expect(before.definition).toEqual(definition);
  expect(after.definition).toEqual(boardPart((await em.findOneOrFail(Task, ranked.id)).definition));
  expect([after.datasets, after.definition.weights]).toEqual([before.datasets, before.definition.weights]);
  const contents = [before, after].map(({ definition, metricVersions }) => ({
    definition,
    metricVersions,
    datasets: [],
  }));
  expect(benchmarkChanges(contents[0]!, contents[1]!).map(({ text }) => text)).toEqual([
    'Scores use fixed exchange rates.',
  ]);
  expect(await new StaleBoardRepository(em).isStale(ranked.id)).toBe(true);
  expect(await em.count(BenchmarkVersion, { task: empty.id })).toBe(0);
  await world.close();
});

/** Runs a migration on the database of a world, as if it had not run yet. */
async function migrateAgain(world: EvaluationWorld, migration: string): Promise<void> {
  const { url } = databaseOn(testServer(), new URL(world.url).pathname.slice(1));
  const options = databaseOptions({ url, entities: [Task], migrations, poolMax: 1 });
  const orm = await MikroORM.init({ ...options, logger: () => undefined });
  await orm.em.execute('delete from mikro_orm_migrations where name = ?', [migration]);
  await orm.migrator.up();
  await orm.close();
}
