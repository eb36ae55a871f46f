import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extract } from 'tar-stream';
import { filePieces, type TarEntry, tarPieces, writePieces } from './tar-pieces.js';

describe('a tar in pieces', () => {
  const large = randomBytes(2_500_000);
  let folder: string;
  let path: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-tar-'));
    path = join(folder, 'large');
    await writeFile(path, large);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const file = (name: string, size: number, content: TarEntry['content']): TarEntry => ({
    header: { name, type: 'file', mode: 0o644, mtime: new Date(0), size },
    ...(content && { content }),
  });

  it('has every entry whole: of several pieces, of a whole block, empty, and under a long name', async () => {
    const long = `${'folder/'.repeat(40)}ü.bin`;
    const block = randomBytes(512);
    const written = join(folder, 'written.tar');
    await writePieces(
      written,
      tarPieces([
        { header: { name: 'folder', type: 'directory', mode: 0o755, mtime: new Date(0) } },
        file('large', large.length, filePieces(path, large.length)),
        file('empty', 0, undefined),
        file('block', block.length, [block.subarray(0, 100), block.subarray(100)]),
        file(long, 3, [Buffer.from('abc')]),
      ]),
    );

    const found: [string, Buffer][] = [];
    const tar = extract();
    createReadStream(written).pipe(tar);
    for await (const entry of tar) found.push([entry.header.name, await buffer(entry)]);
    expect(found.map(([name, content]) => [name, content.length])).toEqual([
      ['folder', 0],
      ['large', large.length],
      ['empty', 0],
      ['block', 512],
      [long, 3],
    ]);
    expect(found[1]![1].equals(large)).toBe(true);
    expect(found[3]![1].equals(block)).toBe(true);
  });

  it.each(['refused.tar', 'refused.tar.zst'])(
    'is refused where a file has another size than was planned: %s',
    async (name) => {
      const pieces = (size: number): Promise<void> =>
        writePieces(join(folder, name), tarPieces([file('large', size, filePieces(path, size))]));

      await expect(pieces(large.length - 1)).rejects.toThrow('has 2500000 bytes, not 2499999');
      await expect(pieces(large.length + 1)).rejects.toThrow('has 2500000 bytes, not 2500001');
    },
  );
});
