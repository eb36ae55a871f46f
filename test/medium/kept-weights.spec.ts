import { databaseOptions } from '@assay/persistence';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { Task } from '@assay/tasks';
import { expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../../apps/api/migrations/index.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';
import { databaseOn, testServer } from '../factories/worlds/test-services.js';

const MIGRATION = 'Migration20261129180000KeepDefaultWeights';

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
  const { url } = databaseOn(testServer(), new URL(world.url).pathname.slice(1));
  const options = databaseOptions({ url, entities: [Task], migrations, poolMax: 1 });
  const orm = await MikroORM.init({ ...options, logger: () => undefined });
  await orm.em.execute('delete from mikro_orm_migrations where name = ?', [MIGRATION]);

  await orm.migrator.up();

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
  await orm.close();
  await world.close();
});
