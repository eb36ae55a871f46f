import { failure, type Failure } from '@assay/contracts';
import type { RunLease, RunLog } from '@assay/evaluation';
import type { Sandbox, SandboxData, SandboxSpecification, StartOutcome } from '@assay/sandbox';
import type { AdmittedImage } from '@assay/submissions';
import { faultFailure } from './failure-sentence.js';
import type { RunMaterial } from './run-material.js';

export const LOG_BYTES = 64 * 1024;
/** Until others may remove it: a clock that is set forward by an hour must not end what is at work. */
const GRACE_SECONDS = 7200;

/** An image that is installed. */
export interface InstalledImage {
  readonly digest: string;
  readonly image: AdmittedImage;
}

/** How a run starts its model for such data. */
export function sandboxSpecification(
  lease: RunLease,
  material: RunMaterial,
  { digest, image }: InstalledImage,
  data: SandboxData,
): SandboxSpecification {
  const { command, environment, limits, runtime } = material.specification.content;
  const seconds = limits.startSeconds + limits.evaluationSeconds + GRACE_SECONDS;
  return {
    image: digest,
    ...(command && { command }),
    environment,
    port: image.port,
    limits,
    runtime,
    data,
    labels: { run: lease.runId, attempt: lease.fence, deadline: Date.now() + seconds * 1000 },
  };
}

/** Works with a sandbox that has started, and stops it whatever happens. @throws the reason of `signal` where that came first */
export async function inSandbox<T>(sandbox: Sandbox, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  // an abort must not wait for an answer
  const stop = () => void sandbox.stop().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
    await sandbox.stop();
  }
}

/**
 * The log of a model as it is stored: of a sandbox that was given hidden data its length alone.
 * @param seen ids of the dataset versions that the sandbox had seen
 */
export const disclosedLog = (log: string, data: SandboxData, seen: readonly string[]): RunLog =>
  data === 'hidden'
    ? { log: null, logSeen: [], withheldBytes: Buffer.byteLength(log) }
    : { log, logSeen: seen, withheldBytes: null };

/** Why a model did not start. Files that it could not read are the likely reason, and it can't see them. */
export function startFailure(outcome: Exclude<StartOutcome, { kind: 'ready' }>, image: AdmittedImage): Failure {
  const why = faultFailure(outcome, { phase: 'start' }, 'full');
  if (image.unreadable.length === 0) return why;
  const paths = image.unreadable.map((path) => `"${path}"`).join(', ');
  return failure(why.code, `${why.message} It runs as uid 65534, which can't read ${paths}.`);
}
