import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure, Protocol } from '@assay/contracts/models';
import { inspectOnnxBundle, rebuildImageArchive, type InstallableImage } from '@assay/sandbox';
import { buildImage, projectFolder } from '@assay/sandbox/docker';
import { onnxModelImage } from '../../../../sandboxes/onnx-runner/image.js';
import type { ArtifactFile } from '../artifact/artifact-file.js';
import { usageFailure } from '../command-failure.js';
import { checkRefusal, refused } from './check-refusal.js';
import type { CheckTerms } from './check-terms.js';

/** An image that passed admission and is ready to be started. */
export interface RunnableImage extends InstallableImage {
  readonly port: number;
  /** A short description, such as the number of layers and the port. */
  readonly description: string;
}

export interface AdmissionParts {
  readonly terms: CheckTerms;
  /** An empty folder for intermediate files. */
  readonly folder: string;
  readonly command?: readonly string[];
}

/**
 * Admits an image with the same code as the server.
 *
 * @throws CommandFailure if the server would refuse the image
 */
export async function admitImage(artifact: ArtifactFile, parts: AdmissionParts): Promise<RunnableImage> {
  const archive = join(parts.folder, 'rebuilt.tar');
  const digest = digestHere(artifact);
  const admission = await rebuildImageArchive(artifact.path, archive, {
    digest,
    maxUnpackedBytes: parts.terms.limits.unpacked,
    workDirectory: parts.folder,
    ...(parts.command && { command: parts.command }),
  });
  if (admission.kind === 'refused') throw checkRefusal(failure(admission.code, admission.message));

  const { protocol, port, layers, unreadable } = admission.image;
  if (protocol !== null && !Protocol.safeParse(protocol).success) {
    throw refused('unknown_protocol', `The image's label assay.protocol has the unknown value "${protocol}".`);
  }
  const closed = unreadable.length > 0 ? `; not readable for the user it runs as: ${unreadable.join(', ')}` : '';
  return { digest, archive, port, description: `${layers} layers, port ${port}${closed}` };
}

/**
 * Admits an ONNX bundle with the same code as the server, and builds the runner image around it.
 *
 * @throws CommandFailure if the server would refuse the bundle or the ONNX runtime is not installed
 */
export async function admitBundle(artifact: ArtifactFile, { terms, folder }: AdmissionParts): Promise<RunnableImage> {
  const inspection = await inspectOnnxBundle(artifact.path, join(folder, 'bundle'), {
    maxUnpackedBytes: terms.limits.unpacked,
  });
  if (inspection.kind === 'refused') throw checkRefusal(failure(inspection.code, inspection.message));

  const { files, purpose } = inspection.bundle;
  const archive = join(folder, 'rebuilt.tar');
  const digest = digestHere(artifact);
  await buildImage(onnxModelImage(await runnerFolder(folder), files), { path: archive, tag: `assay/model:${digest}` });
  const labels = purpose.kind === 'classification' ? `, labels ${purpose.labels.join(', ')}` : '';
  return { digest, archive, port: 8080, description: `${purpose.kind}${labels}` };
}

/**
 * Returns a digest that differs from the artifact's own: an evaluator on the same engine may be
 * using the image with that digest.
 */
const digestHere = ({ digest }: ArtifactFile): string => createHash('sha256').update(`check ${digest}`).digest('hex');

/**
 * Creates a folder that links the runner's own files and the packages that it needs. The packages
 * are large, so a CLI that was installed without the project has them only if they were installed
 * explicitly.
 */
async function runnerFolder(folder: string): Promise<string> {
  const joined = join(folder, 'runner');
  await mkdir(joined);
  await symlink(join(projectFolder(), 'sandboxes'), join(joined, 'sandboxes'));
  await symlink(packagesFolder(), join(joined, 'node_modules'));
  return joined;
}

const PACKAGES = ['onnxruntime-node@1.30.0', 'onnxruntime-common@1.30.0', 'tokenizers@0.23.2'] as const;

function packagesFolder(): string {
  const places = [join(projectFolder(), 'node_modules'), dirname(projectFolder())];
  const names = PACKAGES.map((name) => name.split('@')[0]!);
  const found = places.find((place) => names.every((name) => existsSync(join(place, name, 'package.json'))));
  if (found !== undefined) return found;
  throw usageFailure(
    'The bundle passed the inspection. To run it as well, install the runtime next to the CLI:\n' +
      `  npm install --global --ignore-scripts ${PACKAGES.join(' ')}`,
  );
}
