import { join } from 'node:path';
import { tarFolder } from '../../apps/cli/src/artifact/tar-folder.js';
import { runNode, successful } from '../../scripts/command.js';
import { buildSubmissionImage } from '../factories/models/submission-image.js';

/**
 * Writes the image archive of a container whose answers cost nothing: always the same label, or one
 * that depends on a hash of the text.
 * @param mark A different mark makes an image of different bytes, for which no evaluation exists.
 * @returns The path of the archive.
 */
export async function nullImage(
  folder: string,
  answers: 'constant' | 'hashed',
  mark: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = join(folder, `null-${answers}-${mark}.tar`);
  await buildSubmissionImage(
    {
      server: join(import.meta.dirname, 'null-model.mjs'),
      files: { '/app/mark': { content: mark } },
      environment: { ANSWERS: answers, ...environment },
    },
    path,
  );
  return path;
}

/**
 * Writes an ONNX bundle with `layers` layers of 512 × 512 and returns its folder. A different seed
 * gives different bytes.
 */
export async function costlyBundle(folder: string, layers: number, seed: number): Promise<string> {
  const bundle = join(folder, `costly-${layers}-${seed}`);
  await successful(runNode(['test/bench/costly-model.mjs', bundle, String(layers), String(seed)]));
  return bundle;
}

/**
 * Packs the folder of a bundle as the tar to submit.
 * @returns The path of the tar.
 */
export async function packed(folder: string): Promise<string> {
  const path = `${folder}.tar`;
  await tarFolder(folder, path);
  return path;
}
