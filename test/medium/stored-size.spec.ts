import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { ModelKind } from '@assay/contracts/models';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { RunLeases } from '@assay/evaluation/runs';
import { User } from '@assay/identity';
import { fakeModel, FakeSandboxDriver } from '@assay/sandbox';
import { Model } from '@assay/submissions';
import { Artifact, UserStorageService } from '@assay/submissions/artifacts';
import type { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OwnersStorage } from '@assay/evaluation/gateway';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { runStages } from '../factories/worlds/run-stages.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';
import { onnxModel } from '../factories/models/onnx-bundles.js';
import { savedImageFiles, tarOf } from '../factories/models/submitted-images.js';

const MIB = 2 ** 20;
const UNPACKED = 24 * MIB;
/** Returns unique bytes that compress to almost nothing. */
const filler = (): Buffer => {
  const bytes = Buffer.alloc(UNPACKED);
  bytes.write(randomUUID());
  return bytes;
};

/** `refused`: the archive has a defect that shows only after it is unpacked completely. */
type Verdict = 'admitted' | 'refused';
interface Archive {
  readonly kind: ModelKind;
  readonly make: (verdict: Verdict) => Promise<Buffer>;
}

/**
 * Returns wrong layer digests for the image's configuration if the archive is to be refused. By
 * default the digests match.
 */
const diffIdsFor = (verdict: Verdict) => verdict === 'refused' && { diffIds: [`sha256:${'0'.repeat(64)}`] };

/** Archives of a few kilobytes that unpack to more than `UNPACKED`. */
const ARCHIVES: Readonly<Record<string, Archive>> = {
  'an image with a compressed layer': {
    kind: 'container',
    make: async (verdict) => {
      const tar = await tarOf([{ name: 'serve', mode: 0o755, content: filler() }]);
      const layers = [{ tar, packed: gzipSync(tar, { level: 9 }) }];
      return tarOf(savedImageFiles({ layers, ...diffIdsFor(verdict) }));
    },
  },
  'an image that is compressed as a whole': {
    kind: 'container',
    make: async (verdict) => {
      const tar = await tarOf([{ name: 'serve', mode: 0o755, content: filler() }]);
      return gzipSync(await tarOf(savedImageFiles({ layers: [{ tar }], ...diffIdsFor(verdict) })));
    },
  },
  'an ONNX bundle': {
    kind: 'onnx',
    make: async (verdict) =>
      gzipSync(
        await tarOf([
          { name: 'weights.bin', content: filler() },
          { name: 'model.onnx', content: onnxModel() },
          {
            name: 'tokenizer.json',
            content: '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}}}',
          },
          { name: 'tokenizer_config.json', content: '{"model_max_length": 128}' },
          ...(verdict === 'admitted'
            ? [{ name: 'config.json', content: '{"id2label": {"0": "negative", "1": "positive"}}' }]
            : []),
        ]),
      ),
  },
};

describe('what an artifact takes of its owner’s storage', () => {
  let world: EvaluationWorld;
  const requests = new EvaluationRequests();

  beforeAll(async () => {
    world = await EvaluationWorld.create();
  });
  afterAll(() => world.close());

  const storage = () => new UserStorageService(world.em, world.blobs, 100 * MIB);

  async function taskOf(limit: number): Promise<Task> {
    const task = await world.task();
    await world.dataset(task, 'one');
    await setLimit(task, limit);
    return task;
  }
  const setLimit = (task: Task, storageLimit: number) =>
    world.em.nativeUpdate(User, { id: task.owner.id }, { storageLimit });

  async function submitted(task: Task, name: string, verdict: Verdict = 'admitted'): Promise<Model> {
    const { kind, make } = ARCHIVES[name]!;
    const { digest, size } = await world.blobs.put(Readable.from([await make(verdict)]));
    const model = await world.model(task, { digest, kind });
    await world.em.execute('update artifact set size = ? where digest = ?', [size, digest]);
    await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    return model;
  }

  /**
   * Runs the queued admissions, but no evaluation. Checks that the work folder is empty afterwards.
   */
  async function admit(owners: OwnersStorage = storage()): Promise<void> {
    const workFolder = join(world.folder, 'work');
    const driver = new FakeSandboxDriver(() => fakeModel.exits(1));
    const runner = () => Promise.reject(new Error('there is no engine here'));
    const { em, blobs, locks } = world;
    const stages = runStages({ em, driver, runner, blobs, workFolder, locks, storage: owners });
    const runs = new EvaluationRuns(em, new RunLeases(em, 'evaluator'), stages, workFolder);
    const waiting = await em.execute<{ id: string }[]>(
      `select id from run where state = 'queued' and stage = 'admission'`,
    );
    for (const { id } of waiting) await runs.execute(id, 'admission');
    // an image that was admitted is kept for its first run
    expect((await readdir(workFolder)).filter((name) => !name.startsWith('rebuilt-'))).toEqual([]);
  }

  async function admitAgain(model: Model): Promise<void> {
    await world.transaction(async (em) => requests.rerun(em, await em.findOneOrFail(Model, model.id)));
    await admit();
  }

  const used = async (task: Task) => (await storage().of(task.owner.id)).artifacts;
  const storedBlobs = async (): Promise<number> => (await Array.fromAsync(world.blobs.list())).length;

  it.each(Object.keys(ARCHIVES))('counts before it is written: %s', async (name) => {
    const task = await taskOf(UNPACKED - MIB);
    const model = await submitted(task, name);
    const uploaded = await used(task);
    const blobs = await storedBlobs();

    await admit();

    expect(await world.state(model)).toMatchObject({
      state: 'failed',
      failure: {
        code: 'storage_quota',
        fault: 'model',
        message: expect.stringMatching(/^Unpacked, the artifact would take more than the 2[23](\.\d)? MiB left/),
      },
    });
    expect(await storedBlobs()).toBe(blobs);
    expect(await used(task)).toBe(uploaded);
    expect(uploaded).toBeLessThan(MIB);

    await setLimit(task, 2 * UNPACKED);
    await admitAgain(model);

    expect(await world.state(model)).toMatchObject({ state: 'queued', failure: null });
    const { image } = await world.em.findOneOrFail(Artifact, model.specification!.artifact.id);
    expect(await used(task)).toBe(uploaded + image!.unpackedBytes);
    if (ARCHIVES[name]!.kind === 'container') expect(image!.unpackedBytes).toBeGreaterThan(UNPACKED);
    expect((await storage().things(task.owner.id))[0]!.bytes).toBe(await used(task));
  });

  it.each(Object.keys(ARCHIVES))('is unpacked no further than its owner has room for: %s', async (name) => {
    const task = await taskOf(UNPACKED - MIB);
    const model = await submitted(task, name, 'refused');

    await admit();
    expect(await world.state(model)).toMatchObject({ failure: { code: 'storage_quota' } });

    // if there is room for everything, the defect at its end is found
    await setLimit(task, 2 * UNPACKED);
    await admitAgain(model);
    expect(await world.state(model)).toMatchObject({
      failure: { code: expect.stringMatching(/^(image_refused|bundle_incomplete)$/) },
    });
  });

  it('is counted once more where it is recorded, since others may end at the same time', async () => {
    const task = await taskOf(2 * UNPACKED);
    const model = await submitted(task, 'an image with a compressed layer');
    const blobs = await storedBlobs();
    const owners = storage();
    const others: OwnersStorage = {
      roomFor: async (...given) => {
        const room = await owners.roomFor(...given);
        await setLimit(task, MIB);
        return room;
      },
      expectRoomFor: (...given) => owners.expectRoomFor(...given),
    };

    await admit(others);

    expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'storage_quota' } });
    expect(await storedBlobs()).toBe(blobs);
  });
});
