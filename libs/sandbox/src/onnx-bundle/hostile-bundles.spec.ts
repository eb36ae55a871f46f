import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bundleFiles, bundleOf, hostileBundles, zipOf } from '../../../../test/factories/hostile/hostile-bundles.js';
import { bundleDigest } from './graph-digest.js';
import { inspectOnnxBundle, type BundleInspection } from './inspect-onnx-bundle.js';

const RUNS = 300;
/** Bytes that an archive may unpack to. */
const UNPACKED = 24 << 20;
/** The time limit for any damaged archive. A parser that hangs takes longer. */
const SECONDS = 10;
/** Stands for the digest of a bundle that has none. */
const DIGEST = '-'.repeat(64);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onnx-bundle-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function inspect(archive: Buffer): Promise<BundleInspection> {
  writeFileSync(join(folder, 'upload'), archive);
  const limits = { maxUnpackedBytes: UNPACKED, signal: AbortSignal.timeout(SECONDS * 1000) };
  const inspection = await inspectOnnxBundle(join(folder, 'upload'), join(folder, 'bundle'), limits);
  if (inspection.kind === 'refused') expect(readdirSync(folder)).toEqual(['upload']);
  else expect(bundleDigest(inspection.bundle) ?? DIGEST).toHaveLength(64);
  return inspection;
}

describe('a hostile bundle', () => {
  it.each(hostileBundles(2 * UNPACKED))('is refused: $what', async ({ archive, code, sentence }) => {
    expect(await inspect(await archive())).toEqual({
      kind: 'refused',
      code,
      message: expect.stringMatching(sentence),
    });
  });
});

describe('a damaged bundle', () => {
  const zip = zipOf(Object.entries(bundleFiles()).map(([name, content]) => ({ name, content })));

  it('is refused or admitted in time wherever it is cut and whatever bytes in it are changed', async () => {
    const tar = await bundleOf(bundleFiles());
    const archives = [zip, tar, gzipSync(tar)];
    const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 2 }),
        fc.array(change, { maxLength: 4 }),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        async (which, changes, cut) => {
          const altered = Buffer.from(archives[which]!);
          for (const [share, byte] of changes) altered[Math.floor(share * (altered.length - 1))] = byte;
          const inspection = await inspect(altered.subarray(0, Math.floor(altered.length * (cut ?? 1))));
          rmSync(join(folder, 'bundle'), { recursive: true, force: true });
          if (cut === null && changes.length === 0) expect(inspection.kind).toBe('admitted');
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('is refused or admitted in time whatever bytes of its model are changed', async () => {
    const plain = bundleFiles()['model.onnx'] as Buffer;
    const change = fc.tuple(fc.nat({ max: plain.length - 1 }), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const altered = Buffer.from(plain);
        for (const [at, byte] of changes) altered[at] = byte;
        await inspect(await bundleOf(bundleFiles({ 'model.onnx': altered })));
        rmSync(join(folder, 'bundle'), { recursive: true, force: true });
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
});
