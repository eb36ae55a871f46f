import { databaseOptions } from '@assay/persistence';
import { Artifact } from '@assay/submissions/artifacts';
import { saltedDigest } from '@assay/tasks/datasets';
import { expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../../apps/api/migrations/index.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';
import { databaseOn, rowsOf, testServer } from '../factories/worlds/test-services.js';

const MIGRATION = 'Migration20261127040000SaltDatasetDigests';

it('commits to the digests of dataset versions from before there were salts', async () => {
  const world = await EvaluationWorld.create();
  const task = await world.task();
  await world.dataset(task, 'one');
  await world.dataset(task, 'two');
  const { url } = databaseOn(testServer(), new URL(world.url).pathname.slice(1));
  const options = databaseOptions({ url, entities: [Artifact], migrations, poolMax: 1 });
  const orm = await MikroORM.init({ ...options, logger: () => undefined });
  await orm.migrator.down({ migrations: [MIGRATION] });

  await orm.migrator.up();

  const versions = await rowsOf<{ digest: string; salt: string; commitment: string }>(
    url,
    'select digest, salt, commitment from dataset_version',
  );
  expect(new Set(versions.map(({ salt }) => salt)).size).toBe(2);
  for (const { digest, salt, commitment } of versions) {
    expect(salt).toMatch(/^[0-9a-f]{64}$/);
    expect(commitment).toBe(saltedDigest(salt, digest));
  }
  await orm.close();
  await world.close();
});
