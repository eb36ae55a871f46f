import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';

import { encodeTarHeader, TAR_BLOCK, tarPadding } from './tar-header.js';

/** The part of an image configuration that the platform keeps. */
export interface ImageConfiguration {
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly WorkingDir: string;
}

export interface WrittenLayer {
  /** The sha256 of the uncompressed tar, as `sha256:…`. */
  readonly diffId: string;
  /** The size of the uncompressed tar, in bytes. */
  readonly size: number;
}

const WRITE_BYTES = 1024 * 1024;
const WRITE_BUFFERS = 512;

/**
 * Writes a docker-archive with one image, in the format that `docker load` reads. Call `addLayer`
 * from the lowest layer to the highest, then `finish`; call `discard` at any point. The same layers
 * and configuration give the same bytes. Throws the errors of the file system.
 */
export class DockerArchiveWriter {
  private readonly layers: WrittenLayer[] = [];
  private readonly starts: number[] = [];
  private position = 0;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async create(path: string): Promise<DockerArchiveWriter> {
    return new DockerArchiveWriter(path, await open(path, 'w'));
  }

  /**
   * Appends a layer.
   * @param tar the bytes of the uncompressed layer
   */
  async addLayer(tar: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<WrittenLayer> {
    const start = this.position;
    this.position += TAR_BLOCK;
    const hash = createHash('sha256');
    let size = 0;
    for await (const part of batches(tar)) {
      for (const buffer of part) {
        hash.update(buffer);
        size += buffer.length;
      }
      await this.append(part);
    }

    const layer = { diffId: `sha256:${hash.digest('hex')}`, size };
    // an image may contain the same layer twice (usually an empty one); the archive stores its
    // bytes once
    if (this.layers.some(({ diffId }) => diffId === layer.diffId)) {
      this.position = start;
    } else {
      await this.append([Buffer.alloc(tarPadding(size))]);
      await this.file.write(fileHeader(layerName(layer), size), 0, TAR_BLOCK, start);
    }
    this.layers.push(layer);
    this.starts.push(start);
    return layer;
  }

  /** Removes the layer that was added last. */
  withdrawLayer(): void {
    this.layers.pop();
    this.position = this.starts.pop() ?? 0;
  }

  /**
   * Completes the archive. Returns the image's ID, `sha256:…`, which is the digest of its
   * configuration.
   */
  async finish(tag: string, configuration: ImageConfiguration): Promise<string> {
    const config = JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: configuration,
      rootfs: { type: 'layers', diff_ids: this.layers.map(({ diffId }) => diffId) },
    });
    const id = createHash('sha256').update(config).digest('hex');
    await this.addFile(`${id}.json`, config);
    const manifest = [{ Config: `${id}.json`, RepoTags: [tag], Layers: this.layers.map(layerName) }];
    await this.addFile('manifest.json', JSON.stringify(manifest));
    await this.append([Buffer.alloc(2 * TAR_BLOCK)]);
    // a final layer that was a duplicate or was withdrawn may have left bytes after the end
    await this.file.truncate(this.position);
    await this.file.close();
    return `sha256:${id}`;
  }

  /** Removes the file. Does not fail if the archive was finished or discarded before. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }

  private async addFile(name: string, content: string): Promise<void> {
    const bytes = Buffer.from(content);
    await this.append([fileHeader(name, bytes.length), bytes, Buffer.alloc(tarPadding(bytes.length))]);
  }

  private async append(buffers: readonly Uint8Array[]): Promise<void> {
    // not concatenated: copying every byte would create garbage faster than it is collected
    let rest = buffers.filter(({ length }) => length > 0);
    while (rest.length > 0) {
      const { bytesWritten } = await this.file.writev(rest, this.position);
      this.position += bytesWritten;
      rest = without(rest, bytesWritten);
    }
  }
}

/** Returns what is left of `buffers` after the first `count` bytes. */
function without(buffers: readonly Uint8Array[], count: number): Uint8Array[] {
  let done = count;
  let index = 0;
  while (index < buffers.length && done >= buffers[index]!.length) done -= buffers[index++]!.length;
  return index === buffers.length ? [] : [buffers[index]!.subarray(done), ...buffers.slice(index + 1)];
}

function fileHeader(name: string, size: number): Buffer {
  return encodeTarHeader({ name, type: 'file', size, mode: 0o644, uid: 0, gid: 0, modified: 0, target: '' });
}

function layerName({ diffId }: WrittenLayer): string {
  return `${diffId.slice('sha256:'.length)}.tar`;
}

/** Groups small pieces, because one write per piece is slow for a layer of many small files. */
async function* batches(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const buffer of source) {
    batch.push(buffer);
    bytes += buffer.length;
    if (bytes < WRITE_BYTES && batch.length < WRITE_BUFFERS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
