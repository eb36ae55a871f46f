import { readdirSync } from 'node:fs';
import { SignedResult, SigningKey } from '@assay/leaderboard/results';
import { Outbox, OutboxEvent } from '@assay/persistence/outbox';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyResult } from '../../../apps/cli/src/verify/verify-result.js';
import { rotateSigningKey } from '../../../apps/worker/src/signing/signing-keys-file.js';
import { scoredModel, type ScoredModel } from '../../factories/models/scored-models.js';
import { until } from '../../factories/until.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { type SigningWorker, signingWorker } from '../../factories/worlds/signing-worker.js';

const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  quota: { perDay: 100, total: 100 },
};
const LINES = Array.from({ length: 12 }, (_, id) => JSON.stringify({ id, text: `t${id}`, label: 'positive' })).join(
  '\n',
);
const UNAVAILABLE = { status: 503, body: { code: 'signing_unavailable', detail: expect.any(String) } };

describe('a signed result', () => {
  let world: ApiWorld;
  let owner: string;
  const workers: SigningWorker[] = [];

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('PUT', '/tasks/moods/datasets/first?visibility=public', {
      token: owner,
      type: 'application/x-ndjson',
      body: LINES,
    });
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
  });
  afterAll(() => world.close());

  async function startWorker(): Promise<SigningWorker> {
    const worker = await signingWorker(world);
    workers.push(worker);
    return worker;
  }
  /** Stops a worker after it has published its key. */
  async function publishKey(): Promise<SigningWorker> {
    const worker = await startWorker();
    await worker.stop();
    return worker;
  }
  const model = (name: string, given: Partial<ScoredModel> = {}): Promise<string> =>
    scoredModel(world, {
      slug: 'moods',
      name,
      token: owner,
      answer: (_, { index }) => ({ text: index % 3 ? 'positive' : 'negative', probabilities: [0.25, 0.75] }),
      ...given,
    });
  /** As when a model has its last score. */
  async function settled(id: string): Promise<void> {
    const em = world.orm.em.fork();
    Outbox.add(em, 'model.settled', { modelId: id, state: 'scored' });
    await em.flush();
    await until(async () => (await stored(id)) !== null);
  }
  const get = (id: string) => world.call('GET', `/models/${id}/result`);
  const textOf = async (id: string): Promise<string> => (await fetch(`${world.url}/api/v1/models/${id}/result`)).text();
  const stored = (id: string) => world.orm.em.fork().findOne(SignedResult, { model: id });
  const requests = (id: string) =>
    world.orm.em.fork().count(OutboxEvent, { type: 'result.requested', payload: { modelId: id } });
  const trusted = async (): Promise<string> => JSON.stringify((await world.call('GET', '/signing-key')).body);

  it('is unavailable while no worker has started, and models are shown all the same', async () => {
    const id = await model('alone');
    await world.orm.em.fork().nativeDelete(SigningKey, {});

    const answer = await get(id);

    expect(answer).toMatchObject(UNAVAILABLE);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await world.call('GET', '/signing-key')).toMatchObject(UNAVAILABLE);
    expect((await world.call('GET', `/models/${id}`)).status).toBe(200);
    expect(await requests(id)).toBe(0);
  });

  it('is unavailable after ten seconds if no worker signs it', async () => {
    await publishKey();
    const id = await model('awaited');

    const [one, other] = await Promise.all([get(id), get(id)]);

    expect(one).toMatchObject(UNAVAILABLE);
    expect(other).toMatchObject(UNAVAILABLE);
    // requested every two seconds, and not once more for the second request
    expect(await requests(id)).toBeLessThanOrEqual(6);
  });

  it('is signed by the worker when a model has its scores, before anybody asks', async () => {
    const worker = await startWorker();
    const [one, two] = [await model('one'), await model('two')];

    await settled(one);
    await settled(two);

    const [first, second] = [await textOf(one), await textOf(two)];
    expect(verifyResult(first, await trusted()).result.model.name).toBe('one');
    expect(verifyResult(second, await trusted()).result.model.name).toBe('two');
    expect(await requests(one)).toBe(0);
    expect(await textOf(one)).toBe(first);
    // the key is in the home of the worker only
    expect(readdirSync(worker.home)).toEqual(['signing-keys.json']);
    expect(readdirSync(world.home).filter((name) => name.startsWith('signing-key'))).toEqual([]);
  });

  it('is requested again if its job was lost', async () => {
    await publishKey();
    const id = await model('lost');
    const em = world.orm.em.fork();

    const answer = get(id);
    await until(async () => (await requests(id)) === 1);
    await em.nativeUpdate(OutboxEvent, {}, { deliveredAt: new Date() });
    await startWorker();

    expect((await answer).status).toBe(200);
    expect(await requests(id)).toBeGreaterThan(1);
  });

  it('follows new scores', async () => {
    await startWorker();
    const id = await model('scored again');
    const before = verifyResult(await textOf(id), await trusted());

    await world.orm.em.fork().execute(
      `update evaluation set metrics = jsonb_set(metrics, '{accuracy,value}', '0.5') from model
          where model.specification_id = evaluation.specification_id and model.id = ?`,
      [id],
    );

    const after = verifyResult(await textOf(id), await trusted());
    expect(before.result.evaluations[0]!.metrics['accuracy']!.value).not.toBe(0.5);
    expect(after.result.evaluations[0]!.metrics['accuracy']!.value).toBe(0.5);
  });

  it('is signed with the new key once the key was replaced', async () => {
    const worker = await startWorker();
    const id = await model('before the rotation');
    const before = verifyResult(await textOf(id), await trusted());

    const { keyId } = await rotateSigningKey(worker.home);
    await until(async () => (await world.call('GET', '/signing-key')).body.keyId === keyId);

    const after = verifyResult(await textOf(id), await trusted());
    expect(after.signature.keyId).toBe(keyId);
    expect(after.result.evaluations[0]!.retiredKey).toMatchObject({ keyId: before.signature.keyId });
    expect(await stored(id)).toMatchObject({ keyId });
  });

  it('is not signed as the API would have it, but as the database says', async () => {
    await startWorker();
    const id = await model('forged');
    const text = await textOf(id);
    const forged = (await stored(id))!.result.replaceAll('"owner":"owner"', '"owner":"other"');
    await world.orm.em.fork().nativeUpdate(SignedResult, { model: id }, { result: forged });

    expect(await textOf(id)).toBe(text);
    expect((await stored(id))!.result).not.toBe(forged);
  });

  it('leaves no name of a deleted account behind', async () => {
    await startWorker();
    const token = await world.user('builder');
    const id = await model('of a builder', { token });
    await settled(id);
    expect((await stored(id))!.result).toContain('"owner":"builder"');

    const body = { password: 'builder-has-a-password', text: 'keep' };
    expect((await world.call('POST', '/me/deletion', { token, body })).status).toBe(200);

    expect(await stored(id)).toBeNull();
    const { result } = verifyResult(await textOf(id), await trusted());
    expect(result.model.owner).not.toBe('builder');
  });
});
