import { Blob as NodeBlob } from 'node:buffer';
import { DecompressionStream as NodeDecompression } from 'node:stream/web';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { artifactProblem, seemingKind } from './artifact-check.js';

/** A tar of empty and filled entries, with no more of its format than tells them apart. */
function tarOf(entries: Readonly<Record<string, number>>): Buffer {
  return Buffer.concat(
    Object.entries(entries).map(([name, size]) => {
      const entry = Buffer.alloc(512 * (1 + Math.ceil(size / 512)));
      entry.write(name, 0);
      entry.write(size.toString(8).padStart(11, '0'), 124);
      entry.write('ustar', 257);
      return entry;
    }),
  );
}

const seems = (bytes: string | Uint8Array, name = 'file') => seemingKind(new NodeBlob([bytes]) as Blob, name);

describe('seemingKind', () => {
  const { Blob: domBlob, DecompressionStream: domDecompression } = globalThis;

  beforeAll(() => {
    // the DOM of the tests cannot read a Blob as a stream, nor decompress one
    Object.assign(globalThis, { DecompressionStream: NodeDecompression, Blob: NodeBlob });
  });
  afterAll(() => {
    Object.assign(globalThis, { DecompressionStream: domDecompression, Blob: domBlob });
  });

  it.each([
    ['what docker save writes', tarOf({ 'blobs/': 0, 'manifest.json': 10 }), 'container'],
    ['what older ones write', tarOf({ [`${'a'.repeat(64)}/layer.tar`]: 2_000 }), 'container'],
    ['an export behind larger files', tarOf({ 'notes.txt': 5_000, 'export/tokenizer.json': 10 }), 'onnx'],
    ['a compressed export', gzipSync(tarOf({ './config.json': 600, './model.onnx': 70_000 })), 'onnx'],
    ['a compressed image', gzipSync(tarOf({ 'oci-layout': 30 })), 'container'],
    ['a zip', 'PK\x03\x04rest', 'onnx'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), 'container'],
    ['JSON Lines', '{"id": 1}\n', 'predictions'],
    ['JSON Lines with a mark of their order', '\ufeff {"id": 1}\n', 'predictions'],
    ['a text', 'hello', null],
    ['a gzip of nothing that is a tar', gzipSync('hello'), 'container'],
    ['a damaged gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'container'],
  ])('%s', async (_what, bytes, kind) => expect(await seems(bytes)).toBe(kind));

  it('knows a model without its tokenizer by its name', async () => {
    expect(await seems('\x08\x07', 'Model.ONNX')).toBe('bare-onnx');
  });
});

describe('artifactProblem', () => {
  it.each([
    [0, 'container', 'container', { severity: 'refused', code: 'empty' }],
    [101, 'container', 'container', { severity: 'refused', code: 'too_large' }],
    [100, 'container', 'container', null],
    [5, 'bare-onnx', 'onnx', { severity: 'refused', code: 'bare_onnx' }],
    [5, null, 'container', { severity: 'doubtful', code: 'unknown_kind' }],
    [5, 'onnx', 'container', { severity: 'doubtful', code: 'other_kind', seems: 'onnx' }],
  ] as const)('%i bytes of %s as %s', (size, seeming, kind, problem) =>
    expect(artifactProblem(size, seeming, kind, 100)).toEqual(problem),
  );
});
