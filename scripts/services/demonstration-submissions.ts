import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelKind } from '@assay/contracts/models';
import { buildImage } from '@assay/sandbox/docker';
import { tarFolder } from '../../apps/cli/src/artifact/tar-folder.js';
import { containerExamples, ENTRYPOINT, onnxExample, predictionsExample } from '../../sandboxes/examples/examples.js';
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
    kind: 'container' as const,
    artifact: async (directory: string): Promise<string> => {
      const path = join(directory, `${example.name}.tar.zst`);
      const files = Object.entries(example.files).map(([target, source]) => [target, join(examples, source)] as const);
      await buildImage(
        { name: example.name, layers: [{ files: Object.fromEntries(files) }], entrypoint: ENTRYPOINT },
        { path, tag: `${example.name}:latest` },
      );
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
  await tarFolder(folder, `${folder}.tar`);
  return `${folder}.tar`;
}
