import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, Protocol } from '@assay/contracts/models';
import { recordRefusal } from '@assay/evaluation/outcomes';
import { rebuildImageArchive } from '@assay/sandbox';
import type { BlobStore } from '@assay/storage';
import { failpoint } from '@assay/observability';
import type { StageWork } from '@assay/evaluation/execution';
import { type OwnersStorage, UnpackedLimit } from './unpacked-limit.js';

export interface AdmissionParts {
  readonly blobs: BlobStore;
  readonly workFolder: string;
  /** Default: unlimited storage for every owner. */
  readonly storage?: OwnersStorage;
}

/** Rebuilds a submitted image into an archive that is safe to load, and stores the archive. */
export function containerAdmission({ blobs, workFolder, storage }: AdmissionParts): StageWork {
  return async (lease, { artifact, definition, specification }, signal) => {
    const folder = join(workFolder, lease.runId);
    await mkdir(folder, { recursive: true });
    const rebuilt = join(folder, `${randomUUID()}.tar`);
    const { command } = specification.content;
    const limit = await UnpackedLimit.of(lease, definition.limits, storage);
    const admission = await rebuildImageArchive(await blobs.path(artifact.digest), rebuilt, {
      digest: artifact.digest,
      maxUnpackedBytes: limit.bytes,
      workDirectory: folder,
      ...(command && { command }),
      signal,
    });
    if (admission.kind === 'refused') return limit.refuse(admission.code, admission.message);

    const { protocol, port, unpackedBytes, unreadable } = admission.image;
    if (protocol !== null && !Protocol.safeParse(protocol).success) {
      const text = `The image's label assay.protocol has the unknown value "${protocol.slice(0, 40)}".`;
      return recordRefusal(lease, failure('unknown_protocol', text));
    }
    const blob = await blobs.adopt(rebuilt);
    failpoint('before-admission', lease.runId);
    const isAdmitted = await limit.admit({ archive: blob.digest, port, protocol, unpackedBytes, unreadable });
    if (!isAdmitted) await blobs.withdraw(blob);
    failpoint('after-admission', lease.runId);
  };
}
