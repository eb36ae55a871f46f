import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ModelKind } from '@assay/contracts/models';
import { buildImage, type ImageRecipe } from '@assay/sandbox/docker';
import { pack } from 'tar-stream';
import {
  containerExamples,
  type ContainerExample,
  onnxExample,
  predictionsExample,
} from '../../sandboxes/examples/examples.js';
import { trainAndExport } from '../../sandboxes/examples/onnx-bow/train.mjs';
import { project } from '../command.js';

export interface DemonstrationSubmission {
  readonly title: string;
  readonly kind: ModelKind;
  readonly description: string;
  /**
   * Returns the path of the file to upload. Files that must be built are written to `directory`.
   */
  artifact(directory: string): Promise<string>;
}

const examples = join(project, 'sandboxes/examples');

/**
 * The submissions of the demonstration, in the forms that builders use: image archives, an ONNX
 * bundle and a predictions file.
 */
export const demonstrationSubmissions: readonly DemonstrationSubmission[] = [
  ...containerExamples.map((example) => ({
    ...example,
    artifact: async (directory: string): Promise<string> => {
      const path = join(directory, `${example.name}.tar.zst`);
      await buildImage(recipe(example), { path, tag: `${example.name}:latest` });
      return path;
    },
  })),
  { ...onnxExample, artifact: exportOnnx },
  { ...predictionsExample, artifact: () => Promise.resolve(join(examples, predictionsExample.file)) },
];

/** Trains the ONNX example and packs its export as a tar archive. */
async function exportOnnx(directory: string): Promise<string> {
  const folder = join(directory, onnxExample.name);
  await mkdir(folder);
  await trainAndExport(join(examples, onnxExample.training), folder);
  const archive = pack();
  for (const name of await readdir(folder)) archive.entry({ name }, await readFile(join(folder, name)));
  archive.finalize();
  const path = `${folder}.tar`;
  await pipeline(archive, createWriteStream(path));
  return path;
}

function recipe({ name, files, entrypoint }: ContainerExample): ImageRecipe {
  const sources = Object.fromEntries(Object.entries(files).map(([path, source]) => [path, join(examples, source)]));
  return { name, layers: [{ files: sources }], entrypoint };
}
