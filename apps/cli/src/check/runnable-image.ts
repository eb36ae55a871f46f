import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure, Protocol } from '@assay/contracts';
import { inspectOnnxBundle, rebuildImageArchive, type InstallableImage } from '@assay/sandbox';
import { buildImage, projectFolder } from '@assay/sandbox/docker';
import { onnxModelImage } from '../../../../sandboxes/onnx-runner/image.js';
import type { ArtifactFile } from '../artifact/artifact-file.js';
import { usageFailure } from '../command-failure.js';
import { checkRefusal, refused } from './check-refusal.js';
import type { CheckTerms } from './check-terms.js';

/** What passed the admission, ready to be started. */
export interface RunnableImage extends InstallableImage {
  readonly port: number;
  /** What it is, in a few words. */
  readonly description: string;
}

export interface AdmissionParts {
  readonly terms: CheckTerms;
  /** An empty folder for what is made on the way. */
  readonly folder: string;
  readonly command?: readonly string[];
}

/** The server's own admission of an image. @throws CommandFailure where the server would refuse */
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
    throw refused('unknown_protocol', `The image's label assay.protocol is "${protocol}".`);
  }
  const closed = unreadable.length > 0 ? `; not readable for the user it runs as: ${unreadable.join(', ')}` : '';
  return { digest, archive, port, description: `${layers} layers, port ${port}${closed}` };
}

/** The server's own admission of an ONNX bundle, and the runner around it. @throws CommandFailure likewise */
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

/** Not the artifact's own: an evaluator on the same engine may have that image in use. */
const digestHere = ({ digest }: ArtifactFile): string => createHash('sha256').update(`check ${digest}`).digest('hex');

/**
 * A folder with the runner's own files beside the packages that it needs. These are large, so a CLI that was installed
 * without the project has them only where somebody wanted them.
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
    'The bundle passes the inspection. To run it as well, the runtime has to be installed beside the CLI:\n' +
      `  npm install --global --ignore-scripts ${PACKAGES.join(' ')}`,
  );
}
