import { AuditEntry } from '@assay/identity/audit';
import { Model, RunSpecificationRepository } from '@assay/submissions';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { countLockWaits } from '../../factories/worlds/lock-waits.js';
import { rowsOf } from '../../factories/worlds/test-services.js';
import { until } from '../../factories/until.js';

const TASK = {
  slug: 'sentiment',
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const ROUNDS = 15;
const CHANGES = ['withdraw', 'cancel', 'rerun', 'publish'] as const;

let world: ApiWorld;
/** Two models that share a run specification. */
let models: readonly { readonly token: string; readonly id: string }[];

beforeAll(async () => {
  world = await apiWorld({ ASSAY_CHANGES_PER_MINUTE: '100000' });
  const [owner, ada, bob] = await Promise.all([world.user('owner'), world.user('ada'), world.user('bob')]);
  await world.call('POST', '/tasks', { token: owner, body: TASK });
  const lines = [1, 2, 3].map((id) => JSON.stringify({ id, text: `t${id}`, label: 'positive' })).join('\n');
  const put = { token: owner, type: 'application/x-ndjson', body: lines };
  await world.call('PUT', '/tasks/sentiment/datasets/static', put);
  models = await Promise.all([ada, bob].map(async (token) => ({ token, id: await submitted(token) })));
});
afterAll(() => world.close());

it('takes changes of models that share a specification at the same time, without a deadlock', async () => {
  const answers = [];
  for (let round = 0; round < ROUNDS; round++) {
    const calls = models.flatMap(({ token, id }) => [
      ...CHANGES.map((change) => world.call('POST', `/models/${id}/${change}`, { token })),
      world.call('PATCH', `/models/${id}`, { token, body: { loop: round % 2 === 0 } }),
      upload(id, token),
    ]);
    answers.push(...(await Promise.all(calls)));
  }

  const unexpected = answers.filter(({ status }) => ![200, 202, 409].includes(status));
  expect(unexpected.map(({ status, body }) => [status, body])).toEqual([]);
  for (const { token, id } of models) {
    const { body } = await world.call('GET', `/models/${id}`, { token });
    expect(body.withdrawn).toBe(await lastWithdrawn(id));
  }
  // a connection reports its deadlocks when it closes, at the latest
  await world.restart();
  const counted = await rowsOf(
    world.ownerUrl,
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(counted).toEqual([{ deadlocks: 0 }]);
});

it.each(CHANGES)('locks the specification before the model: %s', async (change) => {
  const { id, token } = models[0]!;
  // a run that ends has locked the specification, and then changes its models
  await whileWaiting(id, change, token, (tx) =>
    tx.execute('select id from model where id = ? for no key update nowait', [id]),
  );
});

it('changes a model as it is under the locks, not as it was before', async () => {
  const { id, token } = models[0]!;
  const set = (withdrawn: boolean) => (tx: EntityManager) => tx.nativeUpdate(Model, id, { withdrawn });
  await set(true)(world.orm.em.fork());
  await whileWaiting(id, 'withdraw', token, set(false));
  expect((await world.call('GET', `/models/${id}`, { token })).body.withdrawn).toBe(true);
});

/**
 * Locks the model's specification in a transaction, and runs `work` in it once `change` waits for
 * that lock. Then awaits the change.
 */
async function whileWaiting(
  id: string,
  change: string,
  token: string,
  work: (tx: EntityManager) => Promise<unknown>,
): Promise<void> {
  const em = world.orm.em.fork();
  const { specification } = await em.findOneOrFail(Model, id);
  const changed = await em.fork().transactional(async (tx) => {
    await new RunSpecificationRepository(tx).lock(specification!.id);
    const answer = world.call('POST', `/models/${id}/${change}`, { token });
    await until(async () => (await countLockWaits(em)) > 0);
    await work(tx);
    return { answer };
  });
  expect([200, 202, 409]).toContain((await changed.answer).status);
}

async function submitted(token: string): Promise<string> {
  const body = { name: 'm', kind: 'container' };
  const { id } = (await world.call('POST', '/tasks/sentiment/models', { token, body })).body as { id: string };
  await upload(id, token);
  return id;
}

const upload = (id: string, token: string) =>
  world.call('PUT', `/models/${id}/artifact`, { token, type: 'application/x-tar', body: 'the same bytes' });

/** True if the last audited change withdrew the model. */
async function lastWithdrawn(id: string): Promise<boolean> {
  const actions = ['model.withdrawn', 'model.published'] as const;
  const where = { subjectId: id, action: { $in: [...actions] } };
  const entry = await world.orm.em.fork().findOneOrFail(AuditEntry, where, { orderBy: { id: 'desc' } });
  return entry.action === 'model.withdrawn';
}
