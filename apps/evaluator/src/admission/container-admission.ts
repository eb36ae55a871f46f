import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Protocol } from '@assay/contracts/models';
import { rebuildImageArchive } from '@assay/sandbox';
import type { LeasedRun } from '../gateway/leased-run.js';

/** Rebuilds a submitted image into an archive that is safe to load. */
export async function admitContainer(run: LeasedRun, workFolder: string, signal: AbortSignal): Promise<void> {
  const { assignment } = run;
  const folder = join(workFolder, assignment.run);
  await mkdir(folder, { recursive: true });
  const archive = join(folder, `${randomUUID()}.tar`);
  const { command } = assignment.specification;
  const admission = await rebuildImageArchive(await run.artifact(), archive, {
    digest: assignment.artifact.digest,
    maxUnpackedBytes: await run.unpackedLimit(),
    workDirectory: folder,
    ...(command && { command }),
    signal,
  });
  if (admission.kind === 'refused') return run.refuse(admission.code, admission.message);

  const { protocol, port, unpackedBytes, unreadable } = admission.image;
  if (protocol !== null && !Protocol.safeParse(protocol).success) {
    const text = `The image's label assay.protocol has the unknown value "${protocol.slice(0, 40)}".`;
    return run.refuse('unknown_protocol', text);
  }
  return run.admit({ archive, port, protocol, unpackedBytes, unreadable });
}
