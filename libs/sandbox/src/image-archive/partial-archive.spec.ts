import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DockerArchiveWriter } from './docker-archive-writer.js';
import { partialArchive } from './partial-archive.js';
import { indexTar, readRange } from './tar-index.js';

const CONFIGURATION = { Entrypoint: ['/serve'], Cmd: [], Env: [], WorkingDir: '/' };

describe('an archive without layers of the engine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-partial-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function archive(contents: readonly string[]): Promise<string> {
    const path = join(folder, 'image.tar');
    const writer = await DockerArchiveWriter.create(path);
    for (const content of contents) await writer.addLayer([Buffer.from(content)]);
    await writer.finish('assay/model:tag', CONFIGURATION);
    return path;
  }

  /** Returns the contents of the layers that are sent, by their place, and the other files. */
  async function sent(contents: readonly string[], count: number) {
    const path = await archive(contents);
    const whole = await filesOf(path);
    const { content, size, leftOut } = await partialArchive(path, (layers) => {
      expect(layers).toHaveLength(contents.length);
      return Promise.resolve(count);
    });
    const bytes = await buffer(content);
    expect(bytes).toHaveLength(size);
    expect(leftOut).toHaveLength(count);
    await writeFile(join(folder, 'sent.tar'), bytes);
    const files = await filesOf(join(folder, 'sent.tar'));
    for (const [name, text] of Object.entries(files)) expect(whole[name]).toBe(text);
    expect(files['manifest.json']).toBe(whole['manifest.json']);
    return Object.keys(files).flatMap((name) => (name.endsWith('.tar') ? [files[name]!] : []));
  }

  it.each([
    ['none', 0, ['first', 'second '.repeat(200), 'third']],
    ['the lowest', 1, ['second '.repeat(200), 'third']],
    ['two', 2, ['third']],
    ['all', 3, []],
  ])('has all files beside them: %s', async (_, count, left) => {
    expect(await sent(['first', 'second '.repeat(200), 'third'], count)).toEqual(left);
  });

  it('keeps a layer that occurs again above them', async () => {
    expect(await sent(['twice', 'once', 'twice'], 2)).toEqual(['twice']);
  });

  it('is the whole file, byte for byte, if the engine has none', async () => {
    const path = await archive(['first', 'second']);
    const { content } = await partialArchive(path, () => Promise.resolve(0));
    await using file = await open(path, 'r');
    expect((await buffer(content)).equals(await file.readFile())).toBe(true);
  });
});

async function filesOf(path: string): Promise<Record<string, string>> {
  await using file = await open(path, 'r');
  const { files } = await indexTar(file);
  const found: Record<string, string> = {};
  for (const [name, range] of files) found[name] = (await readRange(file, range)).toString();
  return found;
}
