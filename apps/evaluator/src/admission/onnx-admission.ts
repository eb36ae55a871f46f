import { join } from 'node:path';
import type { LeasedRun } from '../gateway/leased-run.js';
import type { AdmissionParts } from './container-admission.js';
import { inspectBundle } from './bundle-inspection.js';

const RUNNER_PORT = 8080;

/**
 * Inspects a bundle without loading it. The image that is started later is built from the bundle
 * itself.
 */
export async function admitBundle(
  run: LeasedRun,
  { workFolder }: Pick<AdmissionParts, 'workFolder'>,
  signal: AbortSignal,
): Promise<void> {
  const archive = {
    path: await run.artifact(),
    destination: join(workFolder, run.assignment.run, 'bundle'),
    maxUnpackedBytes: await run.unpackedLimit(),
    digest: 'computed' as const,
  };
  const inspection = await inspectBundle(archive, signal);
  if (inspection.kind === 'refused') return run.refuse(inspection.code, inspection.message);

  return run.admit({
    port: RUNNER_PORT,
    protocol: null,
    unpackedBytes: inspection.bundle.files.reduce((sum, { size }) => sum + size, 0),
    unreadable: [],
    contentDigest: inspection.bundle.digest ?? null,
  });
}
