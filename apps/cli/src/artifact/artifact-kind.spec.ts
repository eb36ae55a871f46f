import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { kindOfEntry, kindOfFile, kindOfFolder } from './artifact-kind.js';
import { tarFolder } from './tar-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'assay-kind-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

async function tarOf(...names: readonly string[]): Promise<string> {
  const source = mkdtempSync(join(folder, 'source-'));
  for (const name of names) writeFileSync(join(source, name), name);
  await tarFolder(source, `${source}.tar`);
  return `${source}.tar`;
}

describe('the kind of a submission', () => {
  it.each([
    ['manifest.json', 'container'],
    ['./oci-layout', 'container'],
    ['blobs/sha256/abc', 'container'],
    [`${'a'.repeat(64)}/layer.tar`, 'container'],
    ['export/model.onnx', 'onnx'],
    ['tokenizer.json', 'onnx'],
    ['README.md', null],
  ])('%s in a tar tells: %s', (name, kind) => {
    expect(kindOfEntry(name)).toBe(kind);
  });

  it('is recognised by the first bytes of a file', async () => {
    expect(await kindOfFile(file('a.zip', 'PK\x03\x04rest'))).toBe('onnx');
    expect(await kindOfFile(file('a.jsonl', '{"dataset": "a"}\n'))).toBe('predictions');
    expect(await kindOfFile(file('a.tar.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0])))).toBe('container');
    await expect(kindOfFile(file('a.txt', 'words'))).rejects.toThrow('name its kind with --kind');
  });

  it('is recognised by what is in a tar, compressed or not', async () => {
    const bundle = await tarOf('README.md', 'model.onnx');
    const { readFileSync } = await import('node:fs');
    expect(await kindOfFile(bundle)).toBe('onnx');
    expect(await kindOfFile(file('a.tgz', gzipSync(readFileSync(bundle))))).toBe('onnx');
    expect(await kindOfFile(await tarOf('manifest.json'))).toBe('container');
    // damaged: the server's admission says how
    expect(await kindOfFile(file('b.tgz', gzipSync(readFileSync(bundle)).subarray(0, 40)))).toBe('container');
  });

  it('is recognised by what is in a folder', async () => {
    const exported = mkdtempSync(join(folder, 'export-'));
    await expect(kindOfFolder(exported)).rejects.toThrow('It contains nothing.');
    writeFileSync(join(exported, 'model.onnx'), '');
    expect(await kindOfFolder(exported)).toBe('onnx');
  });
});
