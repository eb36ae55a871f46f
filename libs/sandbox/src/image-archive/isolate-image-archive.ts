import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { DockerArchiveWriter } from './docker-archive-writer.js';
import { readImageConfig } from './image-config.js';
import { readImageManifest } from './image-manifest.js';
import { encodeTarHeader, TAR_BLOCK, tarPadding } from './tar-header.js';
import { chunksOf, indexTar } from './tar-index.js';

const SECRET_BYTES = 32;
/**
 * A folder over which every container mounts its own, so that a live model sees the same files as
 * in a run.
 */
const SECRET_FOLDER = 'dev/';
const SECRET_NAME = `${SECRET_FOLDER}.assay-isolated`;

/**
 * Rewrites a docker-archive of the platform with an added lowest layer that no other image has. The
 * engine identifies a layer by all layers below it, so this image shares no file with any other
 * image, and the sandboxes of the two have no page of the page cache in common. The layer contains
 * a secret that the model cannot read, so that no one can submit an image with the same lowest
 * layer.
 *
 * @param digest the digest of the new image, whose tag is `assay/model:<digest>`
 */
export async function isolateImageArchive(source: string, destination: string, digest: string): Promise<void> {
  await using file = await open(source, 'r');
  const writer = await DockerArchiveWriter.create(destination);
  try {
    const { config, layers } = await readImageManifest(file, await indexTar(file));
    // an image without a command starts with the command of its submission
    const { kept } = readImageConfig(config, ['submitted']);
    await writer.addLayer(secretLayer());
    for (const layer of layers) await writer.addLayer(chunksOf(file, layer));
    await writer.finish(`assay/model:${digest}`, kept);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function secretLayer(): Buffer[] {
  const common = { uid: 0, gid: 0, modified: 0, target: '' } as const;
  return [
    encodeTarHeader({ ...common, name: SECRET_FOLDER, type: 'directory', size: 0, mode: 0o755 }),
    encodeTarHeader({ ...common, name: SECRET_NAME, type: 'file', size: SECRET_BYTES, mode: 0 }),
    randomBytes(SECRET_BYTES),
    Buffer.alloc(tarPadding(SECRET_BYTES)),
    Buffer.alloc(2 * TAR_BLOCK),
  ];
}
