import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Estimate } from '@assay/contracts/metrics';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { verifyDataset } from '../../../apps/cli/src/verify/verify-dataset.js';
import { retirementOf, verifyResult } from '../../../apps/cli/src/verify/verify-result.js';
import { rotateSigningKey } from '../../../apps/worker/src/signing/signing-keys-file.js';
import { until } from '../../factories/until.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { type SigningWorker, signingWorker } from '../../factories/worlds/signing-worker.js';

const TASK = {
  slug: 'sentiment',
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  metrics: ['macro_f1', 'mcc'],
};
const LINES = [0, 1, 2].map((id) => JSON.stringify({ id, text: `t${id}`, label: 'positive' })).join('\n');
const estimate = (value: number): Estimate => ({ value, low: value - 0.1, high: value + 0.1, standardError: 0.05 });

describe('what leaves the service', () => {
  let world: ApiWorld;
  let worker: SigningWorker;
  let owner: string;
  let model: string;

  beforeAll(async () => {
    world = await apiWorld();
    worker = await signingWorker(world);
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('PUT', '/tasks/sentiment/datasets/first?visibility=public', {
      token: owner,
      type: 'application/x-ndjson',
      body: LINES,
    });
    model = await submit('Bag of words', true);
  });
  afterAll(async () => {
    await worker.close();
    await world.close();
  });

  async function submit(name: string, publish: boolean, slug = 'sentiment'): Promise<string> {
    const { body } = await world.call('POST', `/tasks/${slug}/models`, {
      token: owner,
      body: { name, kind: 'container', publish },
    });
    await world.call('PUT', `/models/${body.id}/artifact`, { token: owner, body: name });
    return body.id as string;
  }

  async function score(id: string, finishedAt = new Date()): Promise<void> {
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, id);
    for (const cell of await em.find(Evaluation, { specification: specification!.id })) {
      Object.assign(cell, {
        state: 'scored',
        finishedAt,
        metrics: { accuracy: estimate(0.7), macro_f1: estimate(0.6), mcc: estimate(0.5) },
      });
    }
    await em.flush();
  }

  const resultText = async (id: string): Promise<string> => {
    const response = await fetch(`${world.url}/api/v1/models/${id}/result`);
    return response.text();
  };

  it('is nothing before there are scores', async () => {
    const { status, body } = await world.call('GET', `/models/${model}/result`);
    expect([status, body.code]).toEqual([409, 'not_scored_yet']);
  });

  it('is a result that anybody can check, the same bytes each time, and after a restart', async () => {
    await score(model);

    const text = await resultText(model);
    const { body: key } = await world.call('GET', '/signing-key');
    const { result } = verifyResult(text, key.publicKey as string);

    expect(result.model).toMatchObject({ id: model, name: 'Bag of words', owner: 'owner' });
    expect(result.evaluations).toEqual([
      expect.objectContaining({ dataset: 'first', version: 1, examples: 3, metrics: expect.any(Object) }),
    ]);
    // the dataset was public before the model was submitted
    expect(result.evaluations[0]!.marks).toEqual(['contaminated']);
    expect(result.evaluations[0]!.datasetDigest).toMatch(/^[0-9a-f]{64}$/);
    await world.restart();
    expect(await resultText(model)).toBe(text);
    await worker.restart();
    expect(await resultText(model)).toBe(text);
    expect(statSync(join(worker.home, 'signing-keys.json')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(world.home, 'signing-keys.json'))).toBe(false);
  });

  it('says which scores and signatures are from before the key was replaced', async () => {
    const id = await submit('Long ago', true);
    await score(id, new Date('2026-01-02T03:04:05Z'));
    const earlier = await world.call('GET', '/signing-key');
    const early = await resultText(id);
    await worker.stop();
    // restores the file layout of an earlier version
    const { current } = JSON.parse(readFileSync(join(worker.home, 'signing-keys.json'), 'utf8')) as { current: string };
    writeFileSync(join(worker.home, 'signing-key.pem'), current, { mode: 0o600 });
    rmSync(join(worker.home, 'signing-keys.json'));

    await worker.restart();

    expect(readdirSync(worker.home)).not.toContain('signing-key.pem');
    const keys = (await world.call('GET', '/signing-key')).body;
    const mark = { keyId: earlier.body.keyId as string, retiredAt: keys.retired[0].retiredAt as string };
    expect(keys.keyId).not.toBe(mark.keyId);
    expect(keys.retired).toEqual([{ ...mark, publicKey: earlier.body.publicKey }]);
    const trusted = JSON.stringify(keys);
    expect(retirementOf(verifyResult(early, trusted), trusted)).toBe(mark.retiredAt);
    const late = verifyResult(await resultText(id), trusted);
    expect(retirementOf(late, trusted)).toBeNull();
    expect(late.result.evaluations).toEqual([expect.objectContaining({ dataset: 'first', retiredKey: mark })]);
    const shown = async () => (await world.call('GET', `/models/${id}`)).body.evaluations as object[];
    // the API caches the retired keys for a second
    await until(async () => 'retiredKey' in (await shown())[0]!);
    expect(await shown()).toEqual([expect.objectContaining({ retiredKey: mark })]);

    await score(id, new Date());
    expect(await shown()).toEqual([expect.not.objectContaining({ retiredKey: mark })]);
    const again = await rotateSigningKey(worker.home);
    await until(async () => (await world.call('GET', '/signing-key')).body.keyId === again.keyId);
    const { body } = await world.call('GET', '/signing-key');
    expect(body).toMatchObject({ keyId: again.keyId, retired: [mark, { keyId: keys.keyId }] });
    expect(verifyResult(await resultText(id), JSON.stringify(body)).signature.keyId).toBe(again.keyId);
  });

  it('is a model-index for a model card', async () => {
    const response = await fetch(`${world.url}/api/v1/models/${model}/model-index`);

    expect(response.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(parse(await response.text())).toEqual({
      'model-index': [
        {
          name: 'Bag of words',
          results: [
            {
              task: { type: 'text-classification', name: 'Sentiment' },
              dataset: { type: 'sentiment/first', name: 'Sentiment: first', revision: 'v1' },
              metrics: [
                expect.objectContaining({ type: 'accuracy', name: 'accuracy', value: 0.7 }),
                expect.objectContaining({
                  type: 'f1',
                  name: 'macro_f1',
                  value: 0.6,
                  args: {
                    average: 'macro',
                    unit: 'ratio',
                    confidence_interval_95: [expect.any(Number), 0.7],
                    marks: ['contaminated'],
                  },
                }),
                expect.objectContaining({ type: 'matthews_correlation', name: 'mcc', value: 0.5 }),
              ],
              source: { name: 'Assay', url: `http://localhost:${new URL(world.url).port}/api/v1/models/${model}` },
            },
          ],
        },
      ],
    });
  });

  it('is each version of a public dataset, with what machines need to read it', async () => {
    const path = '/tasks/sentiment/datasets/first/versions';
    const { body } = await world.call('GET', path);
    expect(body.items).toEqual([
      expect.objectContaining({ version: 1, examples: 3, status: 'active', address: expect.stringMatching(/1$/) }),
    ]);

    const content = Buffer.from(await (await fetch(`${world.url}/api/v1${path}/1/content`)).arrayBuffer());
    const description = await fetch(`${world.url}/api/v1${path}/1/croissant`);
    const croissant = (await description.json()) as Record<string, never>;

    expect(description.headers.get('content-type')).toBe('application/ld+json; charset=utf-8');
    expect(croissant).toMatchObject({
      '@type': 'sc:Dataset',
      conformsTo: 'http://mlcommons.org/croissant/1.0',
      name: 'sentiment-first',
      version: '1.0.0',
      distribution: [
        {
          '@type': 'cr:FileObject',
          encodingFormat: 'application/jsonlines',
          contentSize: `${content.length} B`,
          sha256: createHash('sha256').update(content).digest('hex'),
          contentUrl: `${body.items[0].address}/content`,
        },
      ],
    });
    const [{ field }] = croissant['recordSet'] as unknown as [{ field: { name: string }[] }];
    const first = JSON.parse(content.toString().split('\n')[0]!) as object;
    expect(field.map(({ name }) => name).toSorted()).toEqual(Object.keys(first).toSorted());
  });

  it('is nothing of a dataset that is not public, but for the owner of the task', async () => {
    await world.call('PUT', '/tasks/sentiment/datasets/secret', {
      token: owner,
      type: 'application/x-ndjson',
      body: LINES,
    });
    const versions = '/tasks/sentiment/datasets/secret/versions';
    for (const path of [versions, `${versions}/1/content`, `${versions}/1/croissant`]) {
      expect((await world.call('GET', path)).status).toBe(404);
      expect((await world.call('GET', path, { token: owner })).status).toBe(200);
    }
    expect((await world.call('GET', `${versions}/2/content`, { token: owner })).status).toBe(404);
  });

  it('names data that is not public by a salted commitment, which opens when it is published', async () => {
    const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');
    const [bytes, plain] = [Buffer.from(LINES), sha256(Buffer.from(LINES))];
    const result = async () => verifyResult(await resultText(id), null).result;
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug: 'sealed' } });
    const put = () =>
      world.call('PUT', '/tasks/sealed/datasets/set?visibility=inputs', {
        token: owner,
        type: 'application/x-ndjson',
        body: LINES,
      });

    const first = await put();
    const { digest } = first.body as { digest: string };
    const duplicates = { examples: 0, conflicting: 0, first: [], elsewhere: [], sentences: [] };
    const version = { name: 'set', version: 1, digest, examples: 3, status: 'active' };
    expect(first.body).toEqual({ ...version, warnings: [], duplicates });
    expect(digest).toMatch(/^sha256-salted:[0-9a-f]{64}$/);
    expect(await put()).toMatchObject({ status: 200, body: first.body });
    const id = await submit('Sealed', true, 'sealed');
    await score(id);
    const early = await result();
    expect(early.evaluations[0]).toMatchObject({ datasetDigest: digest, seed: digest });
    expect(early.evaluations[0]).not.toHaveProperty('salt');

    const { body } = await world.call('PATCH', '/tasks/sealed/datasets/set', {
      token: owner,
      body: { visibility: 'public' },
    });
    const { salt } = body as { salt: string };
    expect(salt).toMatch(/^[0-9a-f]{64}$/);
    expect(body).toMatchObject({ digest: plain, plainDigest: `sha256:${plain}`, commitment: digest });
    expect(digest).toBe(`sha256-salted:${sha256(Buffer.from(salt, 'hex'), bytes)}`);
    const { datasets } = (await world.call('GET', '/tasks/sealed')).body;
    expect(datasets).toMatchObject([{ digest: plain, commitment: digest, salt }]);
    const late = await result();
    await verifyDataset(early, 'set', Readable.from([bytes]), salt);
    await verifyDataset(late, 'set', Readable.from([bytes]), null);
    const { inputsDigest } = late.evaluations[0]!;
    const committed = sha256(Buffer.from(salt, 'hex'), Buffer.from(inputsDigest, 'hex'));
    expect(early.evaluations[0]!.inputsDigest).toBe(`sha256-salted:${committed}`);
  });

  it('has the metrics in the order of the task, whatever order the database keeps', async () => {
    const { body } = await world.call('GET', `/models/${model}`);
    expect(Object.keys(body.evaluations[0].metrics as object)).toEqual(['accuracy', 'macro_f1', 'mcc']);
  });

  it('is nothing of a model that one may not see', async () => {
    const hidden = await submit('Mine', false);
    await score(hidden);
    const other = await world.user('other');
    for (const path of ['result', 'model-index']) {
      const { status } = await world.call('GET', `/models/${hidden}/${path}`, { token: other });
      expect(status).toBe(404);
    }
    const { status } = await world.call('GET', `/models/${hidden}/result`, { token: owner });
    expect(status).toBe(200);
  });
});
