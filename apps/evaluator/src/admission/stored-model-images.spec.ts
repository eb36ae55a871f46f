import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { fakeModel, FakeSandboxDriver, type InstallableImage, SandboxUnavailable } from '@assay/sandbox';
import { planImage, projectFolder } from '@assay/sandbox/docker';
import type { ImageFacts } from '../gateway/leased-run.js';
import type { AdmittedArtifact } from '../run/session/model-images.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pack } from 'tar-stream';
import { onnxRunnerImage } from '../../../../sandboxes/onnx-runner/image.js';
import { onnxModel } from '../../../../test/factories/models/onnx-bundles.js';
import { savedImageFiles, tarOf } from '../../../../test/factories/models/submitted-images.js';
import { StoredModelImages } from './stored-model-images.js';

const BUNDLE = {
  'model.onnx': onnxModel(),
  'tokenizer.json': '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}}}',
  'tokenizer_config.json': '{"model_max_length": 128}',
  'config.json': '{"id2label": {"0": "negative", "1": "positive"}}',
};

class CountingDriver extends FakeSandboxDriver {
  readonly installs: string[] = [];

  override install(image: InstallableImage): Promise<void> {
    this.installs.push(image.digest);
    return super.install(image);
  }
}

describe('StoredModelImages', () => {
  let folder: string;
  let driver: CountingDriver;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-images-'));
    driver = new CountingDriver(() => fakeModel.exits(0));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const never = new AbortController().signal;
  const artifact = (kind: 'container' | 'onnx'): AdmittedArtifact => ({
    kind,
    digest: 'd'.repeat(64),
    command: null,
    source: () => Promise.resolve(join(folder, 'upload')),
  });
  const imagesWith = (runner: { id: string; layers: readonly string[] }) =>
    new StoredModelImages({
      driver,
      runner: () => Promise.resolve({ tag: 'runner', ...runner }),
      workFolder: folder,
    });

  function bundle(more: Readonly<Record<string, Buffer>> = {}): Promise<Buffer> {
    const tar = pack();
    for (const [name, content] of Object.entries({ ...BUNDLE, ...more })) tar.entry({ name }, content);
    tar.finalize();
    return buffer(tar);
  }

  async function uploadContainer(): Promise<void> {
    const layer = await tarOf([{ name: 'serve', mode: 0o755, content: 'x' }]);
    writeFileSync(join(folder, 'upload'), await tarOf(savedImageFiles({ layers: [{ tar: layer }] })));
  }

  it('rebuilds and installs a container once, whoever runs it again, and leaves no file of it', async () => {
    await uploadContainer();
    const images = imagesWith({ id: 'runner', layers: [] });

    const found: ImageFacts[] = [];
    const uploaded = { ...artifact('container'), onRebuilt: (image: ImageFacts) => found.push(image) };

    for (let run = 0; run < 2; run++) expect(await images.install(uploaded, never)).toBe('d'.repeat(64));

    expect(found).toEqual([{ port: 8080, protocol: null, unpackedBytes: expect.any(Number) }]);
    expect(driver.installs).toEqual(['d'.repeat(64)]);
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('installs the archive that admission has just rebuilt, and keeps only the newest', async () => {
    const images = imagesWith({ id: 'runner', layers: [] });
    const kept = Array.from({ length: 6 }, (_, index) => String(index).repeat(64));
    for (const digest of kept) {
      writeFileSync(join(folder, 'archive'), digest);
      await images.keep(digest, join(folder, 'archive'));
    }
    expect(readdirSync(folder)).toEqual(kept.slice(4).map((digest) => `rebuilt-${digest}.tar`));

    const newest = { ...artifact('container'), digest: kept[5]! };
    const unneeded = {
      source: () => Promise.reject(new Error('not needed')),
      onRebuilt: () => {
        throw new Error('this host has admitted it');
      },
    };
    expect(await images.install({ ...newest, ...unneeded }, never)).toBe(kept[5]);
    expect(readdirSync(folder)).toEqual(kept.slice(4, 5).map((digest) => `rebuilt-${digest}.tar`));
  });

  it('installs a live container once, as an image that is not that of its runs', async () => {
    await uploadContainer();
    const images = imagesWith({ id: 'runner', layers: [] });

    const run = await images.install(artifact('container'), never);
    const live = await images.install(artifact('container'), never, 'live');
    await images.install(artifact('container'), never, 'live');

    expect(live).toMatch(/^[0-9a-f]{64}$/);
    expect(driver.installs).toEqual([run, live]);
    expect(new Set(driver.installs).size).toBe(2);
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('blames nobody but the platform for an upload that is refused now', async () => {
    writeFileSync(join(folder, 'upload'), 'no image');
    const images = imagesWith({ id: 'runner', layers: [] });

    await expect(images.install(artifact('container'), never)).rejects.toThrow(SandboxUnavailable);
    expect(driver.installs).toEqual([]);
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('inspects a bundle again before it composes one: how far it unpacks, and for how long', async () => {
    const images = imagesWith({ id: 'runner', layers: [] });
    writeFileSync(join(folder, 'upload'), gzipSync(await bundle({ 'weights.bin': Buffer.alloc(65 * 2 ** 20) })));
    await expect(images.install(artifact('onnx'), never)).rejects.toThrow(/unpacks to more than 100 times/);

    // four million fields take seconds to read
    const slow = Buffer.alloc(8_000_000, Buffer.from([0x28, 0x07]));
    writeFileSync(join(folder, 'upload'), await bundle({ 'model.onnx': slow }));
    const over = new AbortController();
    const installed = images.install(artifact('onnx'), over.signal);
    setImmediate(() => over.abort(new Error('the time is over')));
    await expect(installed).rejects.toThrow('the time is over');

    expect(driver.installs).toEqual([]);
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('composes a bundle once for each version of the runner, and leaves no file of it', async () => {
    writeFileSync(join(folder, 'upload'), await bundle());
    const { layers } = await planImage(onnxRunnerImage(projectFolder()));
    const composed = (id: string) =>
      createHash('sha256')
        .update(`onnx ${id} ${'d'.repeat(64)}`)
        .digest('hex');

    for (const id of ['first', 'first', 'second']) {
      expect(await imagesWith({ id, layers }).install(artifact('onnx'), never)).toBe(composed(id));
    }

    expect(driver.installs).toEqual([composed('first'), composed('second')]);
    expect(readdirSync(folder)).toEqual(['upload']);
  });
});
