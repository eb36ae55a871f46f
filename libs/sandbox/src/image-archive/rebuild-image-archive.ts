import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { HeaderBudget } from '../bounded-tar.js';
import { imageRefused, Refusal, type RefusalCode } from '../refusal.js';
import { type Compression, compressionOf, type UnpackedBudget, unpacking } from './compression.js';
import { dataFault } from './data-fault.js';
import { DockerArchiveWriter } from './docker-archive-writer.js';
import { readImageConfig } from './image-config.js';
import { ImageContents } from './image-contents.js';
import { type ArchivedFile, readImageManifest } from './image-manifest.js';
import { rewriteLayer } from './layer-rewriter.js';
import { chunksOf, indexTar } from './tar-index.js';

export interface RebuildOptions {
  /**
   * The sha256 of the artifact, in hexadecimal. The tag of the rebuilt image is
   * `assay/model:<digest>`.
   */
  readonly digest: string;
  /** The most bytes of all layers together, uncompressed. */
  readonly maxUnpackedBytes: number;
  /** An existing folder on this host, for the plain tar of an archive that is itself compressed. */
  readonly workDirectory: string;
  /** The submission's command, which replaces that of the image. */
  readonly command?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Bytes that manifests, configurations and headers may take in addition to the layers. */
const OVERHEAD_BYTES = 32 * 1024 * 1024;

/** The facts about an image that was rebuilt. */
export interface AdmittedImage {
  readonly architecture: 'amd64';
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** Variables as `NAME=value`. */
  readonly environment: readonly string[];
  /** An absolute path, or empty. */
  readonly workingDirectory: string;
  /** The single TCP port of EXPOSE, or 8080 if there is not exactly one. */
  readonly port: number;
  /** The value of the label `assay.protocol`. */
  readonly protocol: string | null;
  readonly layers: number;
  /** The bytes of all layers together, uncompressed. */
  readonly unpackedBytes: number;
  /**
   * The first ten paths of the working directory or the command that uid 65534, the user of models,
   * cannot read.
   */
  readonly unreadable: readonly string[];
  /**
   * The SHA-256 of the layers and of the kept part of the configuration. Tags, dates, compression and the
   * layout of the archive do not count.
   */
  readonly contentDigest: string;
}

/**
 * The result of the admission of an image. `message` says what is wrong, where, and with which
 * numbers.
 */
export type ImageAdmission =
  | { readonly kind: 'admitted'; readonly image: AdmittedImage }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

/**
 * Rebuilds a submitted image as a docker-archive that is safe to load: one image, one tag of the
 * platform, rewritten layer entries, and only the permitted part of the configuration.
 *
 * `source` is the path of the output of `docker save`, or of an OCI image layout as a tar; either
 * may be compressed. The archive is streamed, so memory does not grow with the image. Unless the
 * image is admitted, no file remains at `destination`.
 *
 * @throws the errors of the file system, and the reason of an aborted `signal`
 */
export async function rebuildImageArchive(
  source: string,
  destination: string,
  options: RebuildOptions,
): Promise<ImageAdmission> {
  if (!/^[0-9a-f]{64}$/.test(options.digest)) throw new TypeError(`Not a sha256: ${options.digest}`);

  const writer = await DockerArchiveWriter.create(destination);
  try {
    const image = await withPlainTar(source, options, (file) => rebuild(file, writer, options));
    return { kind: 'admitted', image };
  } catch (error) {
    await writer.discard();
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, message: error.message };
    throw error;
  }
}

async function rebuild(file: FileHandle, writer: DockerArchiveWriter, options: RebuildOptions): Promise<AdmittedImage> {
  const { config, layers } = await readImageManifest(file, await indexTar(file));
  const { kept, diffIds, port, protocol } = readImageConfig(config, options.command);
  if (diffIds.length !== layers.length) {
    throw imageRefused(`The image has ${layers.length} layers, but its configuration has ${diffIds.length} digests.`);
  }

  checkPackedSize(layers, options.maxUnpackedBytes);

  const contents = new ImageContents(kept.WorkingDir, [...kept.Entrypoint, ...(options.command ?? kept.Cmd)]);
  const budget: UnpackedBudget & HeaderBudget = { limit: options.maxUnpackedBytes, used: 0, frames: 0, bytes: 0 };
  for (const [index, layer] of layers.entries()) {
    try {
      const { used, frames, bytes } = budget;
      const rewrite = () => rewriteLayer(file, layer, diffIds[index]!, contents, budget, options.signal);
      contents.startLayer();
      await writer.addLayer(rewrite());
      if (!contents.hasSuperseded) continue;

      writer.withdrawLayer();
      contents.restartLayer();
      Object.assign(budget, { used, frames, bytes });
      await writer.addLayer(rewrite());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const place = `Layer ${index + 1} of ${layers.length} (${layer.name.slice(0, 100)})`;
      throw new Refusal(error.code, `${place}: ${error.message}`, { cause: error });
    }
  }
  contents.checkWorkingDirectory();
  await writer.finish(`assay/model:${options.digest}`, kept);

  return {
    architecture: 'amd64',
    entrypoint: kept.Entrypoint,
    command: kept.Cmd,
    environment: kept.Env,
    workingDirectory: kept.WorkingDir,
    port,
    protocol,
    layers: layers.length,
    unpackedBytes: budget.used,
    unreadable: contents.unreadable,
    contentDigest: createHash('sha256')
      .update(JSON.stringify([kept.Entrypoint, kept.Cmd, kept.Env, kept.WorkingDir, diffIds]))
      .digest('hex'),
  };
}

/**
 * Bounds the packed bytes as well: a manifest may name one layer 127 times, and a layer that
 * unpacks to nothing takes time too.
 */
function checkPackedSize(layers: readonly ArchivedFile[], maxUnpackedBytes: number): void {
  const packed = layers.reduce((sum, { size }) => sum + size, 0);
  if (packed <= maxUnpackedBytes + OVERHEAD_BYTES) return;
  throw new Refusal(
    'unpacked_too_large',
    `The packed layers of the image have ${packed} bytes; the limit for the unpacked image is ${maxUnpackedBytes}.`,
  );
}

/**
 * Calls `use` with the archive as a plain tar, because layers are read by offset, which a
 * compressed file does not allow.
 */
async function withPlainTar<T>(
  source: string,
  options: RebuildOptions,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  await using file = await open(source, 'r');
  const compression = await compressionOf(file, { offset: 0, size: (await file.stat()).size });
  if (compression === 'none') return await use(file);

  const plain = join(options.workDirectory, `${options.digest}.plain.tar`);
  try {
    await unpack(file, plain, compression, options);
    await using unpacked = await open(plain, 'r');
    return await use(unpacked);
  } finally {
    await rm(plain, { force: true });
  }
}

async function unpack(
  file: FileHandle,
  destination: string,
  compression: Compression,
  { maxUnpackedBytes, signal }: RebuildOptions,
): Promise<void> {
  const budget = { limit: maxUnpackedBytes + OVERHEAD_BYTES, used: 0, frames: 0 };
  const source = chunksOf(file, { offset: 0, size: (await file.stat()).size });
  // opened here: a stream that opens the file itself could do so after the archive was refused and
  // the file removed
  const output = await open(destination, 'w');
  try {
    await pipeline(source, unpacking(compression, budget), output.createWriteStream(), signal ? { signal } : {});
  } catch (error) {
    const fault = dataFault(error);
    if (!(fault instanceof Refusal)) throw fault;
    throw new Refusal(fault.code, `The archive is compressed. ${fault.message}`, { cause: error });
  }
}
