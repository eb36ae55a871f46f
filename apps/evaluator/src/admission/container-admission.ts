import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, Protocol } from '@assay/contracts';
import { recordAdmission, recordRefusal } from '@assay/evaluation';
import { rebuildImageArchive } from '@assay/sandbox';
import type { BlobStore } from '@assay/storage';
import { failpoint } from '../failpoint.js';
import type { StageWork } from '../run/evaluation-runs.js';

export interface AdmissionParts {
  readonly blobs: BlobStore;
  readonly workFolder: string;
}

/** Rebuilds a submitted image into an archive that may be loaded, and keeps that. */
export function containerAdmission({ blobs, workFolder }: AdmissionParts): StageWork {
  return async (lease, { artifact, definition, specification }, signal) => {
    const folder = join(workFolder, lease.runId);
    await mkdir(folder, { recursive: true });
    const rebuilt = join(folder, `${randomUUID()}.tar`);
    const { command } = specification.content;
    const admission = await rebuildImageArchive(await blobs.path(artifact.digest), rebuilt, {
      digest: artifact.digest,
      maxUnpackedBytes: definition.limits.unpacked,
      workDirectory: folder,
      ...(command && { command }),
      signal,
    });
    if (admission.kind === 'refused') return recordRefusal(lease, failure(admission.code, admission.message));

    const { protocol, port, unpackedBytes, unreadable } = admission.image;
    if (protocol !== null && !Protocol.safeParse(protocol).success) {
      const text = `The image's label assay.protocol is "${protocol.slice(0, 40)}".`;
      return recordRefusal(lease, failure('unknown_protocol', text));
    }
    const { digest: archive } = await blobs.adopt(rebuilt);
    failpoint('before-admission', lease.runId);
    await recordAdmission(lease, { archive, port, protocol, unpackedBytes, unreadable });
    failpoint('after-admission', lease.runId);
  };
}
