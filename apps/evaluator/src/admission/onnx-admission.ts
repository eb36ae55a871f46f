import { join } from 'node:path';
import { failpoint } from '@assay/observability';
import type { StageWork } from '@assay/evaluation/execution';
import type { AdmissionParts } from './container-admission.js';
import { inspectBundle } from './bundle-inspection.js';
import { UnpackedLimit } from './unpacked-limit.js';

const RUNNER_PORT = 8080;

/**
 * Inspects a bundle without loading it. The image that is started later is built from the bundle
 * itself, which is in the blob store.
 */
export function onnxAdmission({ blobs, workFolder, storage }: AdmissionParts): StageWork {
  return async (lease, { artifact, definition }, signal) => {
    const limit = await UnpackedLimit.of(lease, definition.limits, storage);
    const archive = {
      path: await blobs.path(artifact.digest),
      destination: join(workFolder, lease.runId, 'bundle'),
      maxUnpackedBytes: limit.bytes,
    };
    const inspection = await inspectBundle(archive, signal);
    if (inspection.kind === 'refused') return limit.refuse(inspection.code, inspection.message);

    failpoint('before-admission', lease.runId);
    await limit.admit({
      archive: artifact.digest,
      port: RUNNER_PORT,
      protocol: null,
      unpackedBytes: inspection.bundle.files.reduce((sum, { size }) => sum + size, 0),
      unreadable: [],
    });
    failpoint('after-admission', lease.runId);
  };
}
