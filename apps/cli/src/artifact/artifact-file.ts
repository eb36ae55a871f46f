import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ModelKind } from '@assay/contracts/models';
import { usageFailure } from '../command-failure.js';
import { cacheFolder } from '../connection/settings.js';
import type { Output } from '../output.js';
import { kindOfFile, kindOfFolder } from './artifact-kind.js';
import { tarFolder } from './tar-folder.js';

/** A submission as a single file. */
export interface ArtifactFile {
  readonly kind: ModelKind;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
  /** Deletes a file that was created for the upload. Keeps a file that the user named. */
  discard(): Promise<void>;
}

/**
 * Returns the submission as one file: the named file itself, a folder packed as a tar archive, or
 * an image saved from the local engine.
 *
 * @throws CommandFailure if the path does not exist or its kind cannot be determined
 */
export async function artifactFile(given: string, kind: ModelKind | undefined, output: Output): Promise<ArtifactFile> {
  const found = await stat(given).catch(() => null);
  if (!found) {
    if ((kind !== undefined && kind !== 'container') || !isImageName(given))
      throw usageFailure(`File not found: ${given}.`);
    // only local images need the Docker client, so it is loaded on demand
    const { savedImage } = await import('./saved-image.js');
    return described('container', await savedImage(given, cacheFolder(), output), 'made');
  }
  if (!found.isDirectory()) return described(kind ?? (await kindOfFile(given)), resolve(given), 'given');

  const folderKind = kind ?? (await kindOfFolder(given));
  if (folderKind === 'predictions') throw usageFailure(`${given} is a folder. Predictions must be one file.`);
  await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
  const path = join(cacheFolder(), `${createHash('sha256').update(resolve(given)).digest('hex')}.folder.tar`);
  await tarFolder(given, path);
  return described(folderKind, path, 'made');
}

/**
 * True if the text can be an image reference (roughly the grammar of the distribution
 * specification). A path that starts with a dot or a slash cannot.
 */
const isImageName = (text: string): boolean =>
  /^[a-z0-9][\w.:/@-]*$/i.test(text) && !/\.(tar|tgz|gz|zip|jsonl|onnx)$/.test(text);

async function described(kind: ModelKind, path: string, origin: 'given' | 'made'): Promise<ArtifactFile> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return {
    kind,
    path,
    size: (await stat(path)).size,
    digest: hash.digest('hex'),
    discard: () => (origin === 'made' ? rm(path, { force: true }) : Promise.resolve()),
  };
}
