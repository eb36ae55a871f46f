import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  layoutBlobs,
  layoutFiles,
  savedImageFiles,
  tarOf,
} from '../../../../test/factories/models/submitted-images.js';
import { type ImageAdmission, rebuildImageArchive } from './rebuild-image-archive.js';

const RUNS = 150;
const SECONDS = 5;

describe('a damaged archive', () => {
  const archives: Buffer[] = [];
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-image-'));
    const tar = await tarOf([
      { name: 'serve', mode: 0o755, content: 'x'.repeat(3000) },
      { name: `${'folder/'.repeat(20)}long`, content: 'y' },
      { name: 'link', type: 'link', linkname: 'serve' },
      { name: 's', type: 'symlink', linkname: 'serve' },
    ]);
    const second = await tarOf([{ name: '.wh.s' }]);
    for (const packed of [tar, gzipSync(tar), zstdCompressSync(tar)]) {
      const image = { layers: [{ tar, packed }, { tar: second }] };
      const { files, descriptor } = layoutBlobs(image);
      archives.push(await tarOf(savedImageFiles(image)), await tarOf(layoutFiles(files, [descriptor])));
    }
    archives.push(gzipSync(archives[0]!), zstdCompressSync(archives[0]!));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is refused in time wherever it is cut, and leaves nothing', async () => {
    const cut = fc.tuple(fc.nat({ max: 7 }), fc.double({ min: 0, max: 1, noNaN: true }));

    await fc.assert(
      fc.asyncProperty(cut, async ([which, share]) => {
        const archive = archives[which]!;
        const length = Math.floor(archive.length * share);
        const admission = await admit(archive.subarray(0, length));
        // the zeros at the end of a tar carry nothing
        if (length < archive.length - 2048 && which < 6) expect(admission.kind).toBe('refused');
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('is refused or admitted in time whatever bytes in it are changed', async () => {
    const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 255 }));

    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 7 }), fc.array(change, { minLength: 1, maxLength: 4 }), async (which, changes) => {
        const altered = Buffer.from(archives[which]!);
        for (const [share, byte] of changes) altered[Math.floor(share * (altered.length - 1))] = byte;
        await admit(altered);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('is refused or admitted in time whatever a layer has in its headers, checksums being right', async () => {
    const change = fc.tuple(fc.nat({ max: 511 }), fc.nat({ max: 255 }));

    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 5 }), fc.array(change, { minLength: 1, maxLength: 3 }), async (block, changes) => {
        const tar = Buffer.from(
          await tarOf([
            { name: 'a', content: 'a' },
            { name: 'naïve', type: 'link', linkname: 'a' },
            { name: 'd/', type: 'directory' },
          ]),
        );
        const header = tar.subarray(block * 512, block * 512 + 512);
        for (const [at, byte] of changes) header[at] = byte;
        header.fill(' ', 148, 156);
        const sum = header.reduce((total, byte) => total + byte, 0);
        header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
        await admit(await tarOf(savedImageFiles({ layers: [{ tar }] })));
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  async function admit(archive: Buffer): Promise<ImageAdmission> {
    const [source, destination] = [join(folder, 'in.tar'), join(folder, 'out.tar')];
    await writeFile(source, archive);
    const signal = AbortSignal.timeout(SECONDS * 1000);
    const options = { digest: 'd'.repeat(64), maxUnpackedBytes: 1e8, workDirectory: folder, signal };
    const admission = await Promise.race([
      rebuildImageArchive(source, destination, options),
      new Promise<never>((_, reject) => {
        setTimeout(reject, SECONDS * 2000, new Error('It hangs')).unref();
      }),
    ]);
    expect(await readdir(folder)).toEqual(admission.kind === 'refused' ? ['in.tar'] : ['in.tar', 'out.tar']);
    return admission;
  }
});
