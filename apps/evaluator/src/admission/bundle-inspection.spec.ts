import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bundleFiles, zipOf } from '../../../../test/factories/hostile/hostile-bundles.js';
import { inspectBundle } from './bundle-inspection.js';

describe('inspectBundle', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-inspection-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const inspect = (
    files: Readonly<Record<string, string | Buffer>>,
    {
      signal = new AbortController().signal,
      ...more
    }: { readonly signal?: AbortSignal; readonly heapMebibytes?: number } = {},
  ) => {
    upload(files);
    const path = join(folder, 'upload');
    return inspectBundle({ path, destination: join(folder, 'bundle'), maxUnpackedBytes: 100e6, ...more }, signal);
  };
  const upload = (files: Readonly<Record<string, string | Buffer>>): void => {
    const entries = Object.entries(bundleFiles(files)).map(([name, content]) => ({ name, content }));
    writeFileSync(join(folder, 'upload'), zipOf(entries));
  };
  /** A model with four million fields, the most that are read. */
  const slow = { 'model.onnx': Buffer.alloc(8_000_000, Buffer.from([0x28, 0x07])) };

  it('unpacks a bundle and returns what it has', async () => {
    const inspection = await inspect({});
    expect(inspection).toMatchObject({ kind: 'admitted', bundle: { opset: { '': 17 } } });
    expect(readdirSync(join(folder, 'bundle'))).not.toEqual([]);
  });

  it('parses in another thread', async () => {
    upload(slow);
    const whole = process.cpuUsage();
    const here = process.threadCpuUsage();
    const path = join(folder, 'upload');
    const bundle = { path, destination: join(folder, 'bundle'), maxUnpackedBytes: 100e6 };
    expect(await inspectBundle(bundle, new AbortController().signal)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('no graph'),
    });
    // CPU time, because this thread may have to wait for a core
    expect(process.threadCpuUsage(here).user).toBeLessThan(process.cpuUsage(whole).user / 2);
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('ends in the middle when it is aborted, and leaves nothing', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const inspection = inspect(slow, { signal: abort.signal });
    setImmediate(() => abort.abort(reason));
    await expect(inspection).rejects.toBe(reason);
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('refuses what takes more memory than its thread may have, and leaves nothing', async () => {
    expect(await inspect({}, { heapMebibytes: 4 })).toEqual({
      kind: 'refused',
      code: 'bundle_refused',
      message: 'The bundle takes too much memory to inspect.',
    });
    expect(readdirSync(folder)).toEqual(['upload']);
  });

  it('throws an error of the file system', async () => {
    const archive = { path: join(folder, 'none'), destination: join(folder, 'bundle'), maxUnpackedBytes: 1 };
    await expect(inspectBundle(archive, new AbortController().signal)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
