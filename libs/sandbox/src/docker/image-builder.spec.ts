import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extract } from 'tar-stream';
import { buildImage, planImage } from './image-builder.js';
import { layerTar, recipeLayer } from './image-layers.js';
import type { ImageRecipe } from './image-recipe.js';

describe('building an image', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-'));
    await mkdir(join(folder, 'code', 'inner'), { recursive: true });
    await writeFile(join(folder, 'code', 'inner', 'b.mjs'), 'b');
    await writeFile(join(folder, 'code', 'a.sh'), 'a', { mode: 0o700 });
    await symlink('a.sh', join(folder, 'code', 'link'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const recipe = (change: Partial<ImageRecipe> = {}): ImageRecipe => ({
    name: 'assay/test',
    layers: [{ files: { '/app': join(folder, 'code'), '/app/made.json': { content: '{}' } } }],
    entrypoint: ['/usr/local/bin/node', '/app/inner/b.mjs'],
    port: 8080,
    ...change,
  });

  it('takes a folder whole, with parents first and nothing of the host in it', async () => {
    const entries: string[] = [];
    const tar = extract();
    tar.on('entry', ({ name, mode, uid, mtime, type }, stream, next) => {
      entries.push(`${name} ${type ?? ''} ${(mode ?? 0).toString(8)} ${uid ?? ''} ${mtime?.getTime() ?? ''}`);
      stream.resume();
      stream.on('end', next);
    });
    const done = new Promise<void>((resolve) => tar.on('finish', () => resolve()));
    const layer = await recipeLayer(recipe().layers[0]!);
    for await (const piece of layerTar(layer)) tar.write(Buffer.from(piece));
    tar.end(null);
    await done;

    expect(entries).toEqual([
      'app directory 755 0 0',
      'app/a.sh file 755 0 0',
      'app/inner directory 755 0 0',
      'app/inner/b.mjs file 644 0 0',
      'app/link symlink 777 0 0',
      'app/made.json file 644 0 0',
    ]);
  });

  it('gives the same digest for the same content, whenever it was written, and another for other content', async () => {
    const first = await planImage(recipe());
    await utimes(join(folder, 'code', 'a.sh'), new Date(), new Date());
    const again = await planImage(recipe());
    const other = await planImage(recipe({ layers: [{ files: { '/app/x': { content: 'x' } } }] }));

    expect(again.digest).toBe(first.digest);
    expect(other.digest).not.toBe(first.digest);
    expect(other.layers[0]).toBe(first.layers[0]);
    expect((await planImage(recipe({ port: 9000 }))).digest).not.toBe(first.digest);
  });

  it('writes what docker load reads: one tag, and layers with the digests that the configuration names', async () => {
    const path = join(folder, 'image.tar');
    const image = await buildImage(recipe(), { path, tag: 'assay/test:1' });
    const found = await read(path);

    const [manifest] = JSON.parse(found.get('manifest.json')!.text);
    expect(manifest.RepoTags).toEqual(['assay/test:1']);
    const configuration = JSON.parse(found.get(manifest.Config)!.text);
    expect(configuration.rootfs.diff_ids).toEqual(image.layers);
    expect(manifest.Layers.map((layer: string) => `sha256:${found.get(layer)!.sha256}`)).toEqual(image.layers);
    expect(configuration.config).toMatchObject({
      Entrypoint: ['/usr/local/bin/node', '/app/inner/b.mjs'],
      ExposedPorts: { '8080/tcp': {} },
    });
  });

  it('writes the same archive compressed where the path ends with .zst', async () => {
    const [plain, compressed] = [join(folder, 'same.tar'), join(folder, 'same.tar.zst')];
    for (const path of [plain, compressed]) await buildImage(recipe(), { path, tag: 'assay/test:1' });

    const packed = await readFile(compressed);
    expect(zstdDecompressSync(packed).equals(await readFile(plain))).toBe(true);
    expect(packed.length).toBeLessThan((await stat(plain)).size / 2);
  });

  it('leaves out the layers that the engine has', async () => {
    const path = join(folder, 'small.tar');
    const { layers } = await planImage(recipe());
    await buildImage(recipe(), { path, tag: 'assay/test:1', without: new Set([layers[0]!]) });

    expect((await read(path)).size).toBe(3);
  });

  async function read(path: string): Promise<Map<string, { sha256: string; text: string }>> {
    const found = new Map<string, { sha256: string; text: string }>();
    const tar = extract();
    const done = new Promise<void>((resolve, reject) => tar.on('finish', () => resolve()).on('error', reject));
    tar.on('entry', ({ name, size }, stream, next) => {
      const hash = createHash('sha256');
      let text = '';
      stream.on('data', (chunk) => {
        hash.update(chunk as Buffer);
        if (size < 100_000) text += String(chunk);
      });
      stream.on('end', () => {
        found.set(name, { sha256: hash.digest('hex'), text });
        next();
      });
    });
    createReadStream(path).pipe(tar);
    await done;
    return found;
  }
});
