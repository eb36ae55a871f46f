import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { ModelKind } from '@assay/contracts/models';
import { extract } from 'tar-stream';
import { usageFailure } from '../command-failure.js';

/**
 * Returns the kind of model in a folder: an ONNX export or an OCI image layout.
 *
 * @throws CommandFailure if the folder contains neither
 */
export async function kindOfFolder(folder: string): Promise<ModelKind> {
  const names = await readdir(folder);
  if (names.includes('model.onnx')) return 'onnx';
  if (names.includes('oci-layout')) return 'container';
  const found = names.slice(0, 8).join(', ') || 'nothing';
  throw usageFailure(`${folder} has neither a model.onnx nor an image layout. It contains ${found}.`);
}

/**
 * Returns the kind of a file by its first bytes, and of a tar archive by the names of its entries.
 *
 * @throws CommandFailure if the format is not recognised
 */
export async function kindOfFile(path: string): Promise<ModelKind> {
  const start = await firstBytes(path, 512);
  const magic = start.toString('latin1');
  if (magic.startsWith('PK')) return 'onnx';
  // only images are compressed with zstd or xz
  if (magic.startsWith('\x28\xb5\x2f\xfd') || magic.startsWith('\xfd7zXZ')) return 'container';
  const isGzip = magic.startsWith('\x1f\x8b');
  if (isGzip || magic.slice(257, 262) === 'ustar') return (await kindOfTar(path, isGzip)) ?? 'container';
  if (/^(\xef\xbb\xbf)?\s*\{/.test(magic)) return 'predictions';
  throw usageFailure(
    `${basename(path)} is not a tar, zip or JSON Lines file. Give an image (docker save), an ONNX export or predictions, or name its kind with --kind.`,
  );
}

/** Returns the kind that the name of a tar entry indicates, or null if the name is inconclusive. */
export function kindOfEntry(name: string): ModelKind | null {
  const plain = name.replace(/^\.\//, '');
  if (/^(manifest\.json|index\.json|oci-layout|repositories|blobs\/|[0-9a-f]{64}(\.json|\/|$))/.test(plain)) {
    return 'container';
  }
  return /(^|\/)(model\.onnx|tokenizer(_config)?\.json)$/.test(plain) ? 'onnx' : null;
}

async function kindOfTar(path: string, isGzip: boolean): Promise<ModelKind | null> {
  const source = createReadStream(path);
  const entries = extract();
  const unpacked = isGzip ? source.pipe(createGunzip()) : source;
  // a damaged archive is not reported here: the admission on the server does that
  for (const stream of [source, unpacked]) stream.on('error', (error: Error) => entries.destroy(error));
  unpacked.pipe(entries);
  try {
    for await (const entry of entries) {
      const kind = kindOfEntry(entry.header.name);
      if (kind) return kind;
      entry.resume();
    }
  } catch {
    return null;
  } finally {
    source.destroy();
  }
  return null;
}

async function firstBytes(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
