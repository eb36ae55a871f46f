import { AuditEntry } from '@assay/identity';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/api-world.js';
import { rowsOf } from '../../factories/test-services.js';

const TASK = {
  slug: 'sentiment',
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const ROUNDS = 15;

let world: ApiWorld;

beforeAll(async () => {
  world = await apiWorld({ ASSAY_CHANGES_PER_MINUTE: '100000' });
});
afterAll(() => world.close());

it('takes changes of models that share a specification at the same time, without a deadlock', async () => {
  const [owner, ada, bob] = await Promise.all([world.user('owner'), world.user('ada'), world.user('bob')]);
  await world.call('POST', '/tasks', { token: owner, body: TASK });
  const lines = [1, 2, 3].map((id) => JSON.stringify({ id, text: `t${id}`, label: 'positive' })).join('\n');
  const put = { token: owner, type: 'application/x-ndjson', body: lines };
  await world.call('PUT', '/tasks/sentiment/datasets/static', put);
  const models = await Promise.all([ada, bob].map(async (token) => ({ token, id: await submitted(token) })));
  const changes = ['withdraw', 'cancel', 'rerun', 'publish'];

  const answers = [];
  for (let round = 0; round < ROUNDS; round++) {
    const calls = models.flatMap(({ token, id }) => [
      ...changes.map((change) => world.call('POST', `/models/${id}/${change}`, { token })),
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
  // a connection reports its deadlocks at its end at the latest
  await world.restart();
  const counted = await rowsOf(
    world.ownerUrl,
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(counted).toEqual([{ deadlocks: 0 }]);
});

async function submitted(token: string): Promise<string> {
  const body = { name: 'm', kind: 'container' };
  const { id } = (await world.call('POST', '/tasks/sentiment/models', { token, body })).body as { id: string };
  await upload(id, token);
  return id;
}

const upload = (id: string, token: string) =>
  world.call('PUT', `/models/${id}/artifact`, { token, type: 'application/x-tar', body: 'the same bytes' });

/** Whether the last of the audited changes withdrew the model. */
async function lastWithdrawn(id: string): Promise<boolean> {
  const actions = ['model.withdrawn', 'model.published'] as const;
  const where = { subjectId: id, action: { $in: [...actions] } };
  const entry = await world.orm.em.fork().findOneOrFail(AuditEntry, where, { orderBy: { id: 'desc' } });
  return entry.action === 'model.withdrawn';
}
