import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Protocol } from '@assay/contracts/models';
import { rebuildImageArchive } from '@assay/sandbox';
import type { LeasedRun } from '../gateway/leased-run.js';
import type { ModelImages } from '../run/session/model-images.js';

export interface AdmissionParts {
  readonly images: Pick<ModelImages, 'keep'>;
  readonly workFolder: string;
}

/** Rebuilds a submitted image into an archive that is safe to load, and reports what it found. */
export async function admitContainer(
  run: LeasedRun,
  { images, workFolder }: AdmissionParts,
  signal: AbortSignal,
): Promise<void> {
  const { assignment } = run;
  const folder = join(workFolder, assignment.run);
  await mkdir(folder, { recursive: true });
  const { command } = assignment.specification;
  const archive = join(folder, 'image.tar');
  const admission = await rebuildImageArchive(await run.artifact(), archive, {
    digest: assignment.artifact.digest,
    maxUnpackedBytes: await run.unpackedLimit(),
    workDirectory: folder,
    ...(command && { command }),
    signal,
  });
  if (admission.kind === 'refused') return run.refuse(admission.code, admission.message);

  const { protocol, port, unpackedBytes, unreadable, contentDigest } = admission.image;
  if (protocol !== null && !Protocol.safeParse(protocol).success) {
    const text = `The image's label assay.protocol has the unknown value "${protocol.slice(0, 40)}".`;
    return run.refuse('unknown_protocol', text);
  }
  await images.keep(assignment.artifact.digest, archive);
  // other evaluators rebuild the image where it runs
  return run.admit({ port, protocol, unpackedBytes, unreadable, contentDigest });
}
