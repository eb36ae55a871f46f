import { mkdir, open, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { localEngine } from '../check/local-engine.js';
import { usageFailure } from '../command-failure.js';
import type { Output } from '../output.js';

/**
 * Saves an image of the local engine into `folder`, as `docker save` does, and returns the path of
 * the file. Reuses an existing file, so that its upload can be resumed.
 *
 * @throws CommandFailure if there is no engine or no such image
 */
export async function savedImage(name: string, folder: string, output: Output): Promise<string> {
  const engine = await localEngine();
  const image = await engine.image(name).catch((error: unknown) => {
    throw usageFailure(
      `File not found: ${name}. No Docker engine was found to look for a local image of that name: ${String(error)}`,
    );
  });
  if (!image) throw usageFailure(`No file and no local image is called ${name}.`);

  const path = join(folder, `${image.Id.replace('sha256:', '')}.tar`);
  if (existsSync(path)) return path;
  output.tell(`Saving the image ${name} …`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}.part`;
  try {
    const saved = await engine.docker.getImage(name).get();
    // opened here, because a stream created with a path opens its file lazily: possibly after a
    // failure, when the file has already been removed
    const file = await open(partial, 'w', 0o600);
    await pipeline(saved, file.createWriteStream());
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
  return path;
}
