import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import {
  filesOf,
  globalHeader,
  hostileImages,
  LAYOUTS,
  plainFrame,
  skippedFrames,
  untidyParts,
} from '../../../../test/factories/hostile/hostile-images.js';
import { tarOf } from '../../../../test/factories/models/submitted-images.js';
import { type UnpackedBudget, unpacking } from './compression.js';
import { type ImageAdmission, rebuildImageArchive } from './rebuild-image-archive.js';

const MEBIBYTE = 1 << 20;
/** Bytes that an archive may unpack to. */
const UNPACKED = 24 * MEBIBYTE;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-image-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function admit(archive: Buffer): Promise<ImageAdmission> {
  await writeFile(join(folder, 'in.tar'), archive);
  return rebuildImageArchive(join(folder, 'in.tar'), join(folder, 'out.tar'), {
    digest: 'd'.repeat(64),
    maxUnpackedBytes: UNPACKED,
    workDirectory: folder,
  });
}

describe.each(LAYOUTS)('a hostile archive (%s)', (layout) => {
  const here = hostileImages(4 * UNPACKED).filter(({ layouts = LAYOUTS }) => layouts.includes(layout));

  it.each(here)('is refused: $what', async ({ archive, code, sentence }) => {
    const bytes = await archive(layout);
    const admission = await admit(bytes);

    expect(admission).toEqual({ kind: 'refused', code, message: expect.stringMatching(sentence) });
    expect(await readdir(folder)).toEqual(['in.tar']);
  });

  it('is made harmless where it can be', async () => {
    const { entries, config, tags } = untidyParts(['assay/relay:1', 'assay/onnx-runner:1']);
    const layer = { tar: await tarOf([{ name: 'serve' }, ...entries]) };
    const image = { layers: [layer], config: { ...config, Cmd: ['/serve'] }, ...(tags && { tags }) };

    expect(await admit(await tarOf(filesOf(image, layout)))).toMatchObject({ kind: 'admitted', image: { layers: 1 } });
    const written = (await readFile(join(folder, 'out.tar'))).toString('latin1');
    expect(/"RepoTags":[^\]]*\]/.exec(written)![0]).toBe(`"RepoTags":["assay/model:${'d'.repeat(64)}"]`);
    for (const gone of ['assay/relay', 'assay-probe/tag', 'Volumes', 'Healthcheck', 'OnBuild', 'dev/sda', 'pipe']) {
      expect([gone, written.includes(gone)]).toEqual([gone, false]);
    }
    expect(written.includes('etc/assay-probe')).toBe(true);
  });
});

describe('compressed data of many parts', () => {
  const drained = async (packed: Buffer, budget: UnpackedBudget): Promise<number> => {
    const content = unpacking('zstd', budget)(Readable.from([packed]));
    while (!(await content.next()).done);
    return budget.used;
  };

  it('is gone through at once where they are to be skipped: 250,000 in 2 MB', async () => {
    const tar = await tarOf([{ name: 'serve' }]);
    const packed = Buffer.concat([skippedFrames(2_000_000), plainFrame(tar), skippedFrames(800)]);

    const admission = await admit(await tarOf(filesOf({ layers: [{ tar, packed }] }, 'saved')));

    expect(admission).toMatchObject({ kind: 'admitted', image: { unpackedBytes: tar.length } });
  });

  it('is refused where each needs a decoder, in all layers together', async () => {
    const frames = Buffer.concat(Array.from({ length: 20 }, () => plainFrame(Buffer.from('x'))));

    await expect(drained(frames, { limit: 1000, used: 0, frames: 249_980 })).resolves.toBe(20);
    await expect(drained(frames, { limit: 1000, used: 0, frames: 249_981 })).rejects.toThrow('250000 zstd frames');
  });

  it('ends early where a part that is to be skipped is longer than the rest', async () => {
    const cut = Buffer.from('502a4d18ffffff7f0000', 'hex');
    const tar = await tarOf([{ name: 'serve' }]);
    const packed = Buffer.concat([plainFrame(tar), cut]);

    expect(await admit(await tarOf(filesOf({ layers: [{ tar, packed }] }, 'saved')))).toMatchObject({
      code: 'archive_truncated',
    });
  });
});

it('an extended header for all entries counts for none, as for docker', async () => {
  const tar = globalHeader('14 path=other\n', 2);

  expect(await admit(gzipSync(await tarOf(filesOf({ layers: [{ tar }] }, 'saved'))))).toMatchObject({
    kind: 'admitted',
  });
  expect((await readFile(join(folder, 'out.tar'))).includes('other')).toBe(false);
});
