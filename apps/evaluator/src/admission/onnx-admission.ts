import { join } from 'node:path';
import { failure } from '@assay/contracts';
import { recordAdmission, recordRefusal } from '@assay/evaluation';
import { inspectOnnxBundle } from '@assay/sandbox';
import { failpoint } from '../failpoint.js';
import type { StageWork } from '../run/evaluation-runs.js';
import type { AdmissionParts } from './container-admission.js';

const RUNNER_PORT = 8080;

/** Inspects a bundle without loading it. What starts later is made of the bundle itself, which the blob store has. */
export function onnxAdmission({ blobs, workFolder }: AdmissionParts): StageWork {
  return async (lease, { artifact, definition }, signal) => {
    const folder = join(workFolder, lease.runId, 'bundle');
    const inspection = await inspectOnnxBundle(await blobs.path(artifact.digest), folder, {
      maxUnpackedBytes: definition.limits.unpacked,
      signal,
    });
    if (inspection.kind === 'refused') return recordRefusal(lease, failure(inspection.code, inspection.message));

    failpoint('before-admission', lease.runId);
    await recordAdmission(lease, {
      archive: artifact.digest,
      port: RUNNER_PORT,
      protocol: null,
      unpackedBytes: inspection.bundle.files.reduce((sum, { size }) => sum + size, 0),
      unreadable: [],
    });
    failpoint('after-admission', lease.runId);
  };
}
