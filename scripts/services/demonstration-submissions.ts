import { join } from 'node:path';
import type { ModelKind } from '@assay/contracts';
import { buildImage, type ImageRecipe } from '@assay/sandbox/docker';
import { containerExamples, type ContainerExample, predictionsExample } from '../../sandboxes/examples/examples.js';
import { project } from '../command.js';

export interface DemonstrationSubmission {
  readonly title: string;
  readonly kind: ModelKind;
  readonly description: string;
  /** The path of the file to upload; what must be made is made in `directory`. */
  artifact(directory: string): Promise<string>;
}

const examples = join(project, 'sandboxes/examples');

/** What the demonstration submits, as a builder would: image archives, an ONNX bundle, a file of predictions. */
export const demonstrationSubmissions: readonly DemonstrationSubmission[] = [
  ...containerExamples.map((example) => ({
    ...example,
    artifact: async (directory: string): Promise<string> => {
      const path = join(directory, `${example.name}.tar`);
      await buildImage(recipe(example), { path, tag: `${example.name}:latest` });
      return path;
    },
  })),
  { ...predictionsExample, artifact: () => Promise.resolve(join(examples, predictionsExample.file)) },
];

function recipe({ name, files, entrypoint }: ContainerExample): ImageRecipe {
  const sources = Object.fromEntries(Object.entries(files).map(([path, source]) => [path, join(examples, source)]));
  return { name, layers: [{ files: sources }], entrypoint };
}
