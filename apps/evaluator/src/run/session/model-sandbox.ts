import { failure, type Failure } from '@assay/contracts/models';
import type { Sandbox, SandboxData, SandboxSpecification, StartOutcome } from '@assay/sandbox';
import type { AdmittedFacts, Assignment } from '@assay/contracts/gateway';
import type { RunLog } from '../../gateway/leased-run.js';
import { faultFailure } from '../failure-sentence.js';

export const LOG_BYTES = 64 * 1024;
/**
 * Seconds until others may remove a sandbox, after the time that its run may take. A clock that is
 * set forward by an hour must not end active work.
 */
const GRACE_SECONDS = 7200;

/** An installed image. */
export interface InstalledImage {
  readonly digest: string;
  readonly image: AdmittedFacts;
}

/** Returns the specification of the sandbox in which a run starts its model for this data. */
export function sandboxSpecification(
  { run, fence, specification }: Assignment,
  { digest, image }: InstalledImage,
  data: SandboxData,
): SandboxSpecification {
  const { command, environment, limits, runtime } = specification;
  const seconds = limits.startSeconds + limits.evaluationSeconds + GRACE_SECONDS;
  return {
    image: digest,
    ...(command && { command }),
    environment,
    port: image.port,
    limits,
    runtime,
    data,
    labels: { run, attempt: fence, deadline: Date.now() + seconds * 1000 },
  };
}

/**
 * Runs `work` with a started sandbox, and stops the sandbox in any case.
 *
 * @throws the reason of `signal` if it was aborted before the start of `work`
 */
export async function inSandbox<T>(sandbox: Sandbox, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  // stops the sandbox immediately, because an abort must not wait for a response
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
 * Returns the log of a model as it is stored; for a sandbox with hidden data only its length in
 * bytes.
 * @param seen IDs of the dataset versions that the sandbox has seen
 */
export const disclosedLog = (log: string, data: SandboxData, seen: readonly string[]): RunLog =>
  data === 'hidden'
    ? { log: null, logSeen: [], withheldBytes: Buffer.byteLength(log) }
    : { log, logSeen: seen, withheldBytes: null };

/**
 * Returns why a model did not start. Names the files that its user could not read: they are a
 * likely cause that the model itself cannot detect.
 */
export function startFailure(outcome: Exclude<StartOutcome, { kind: 'ready' }>, image: AdmittedFacts): Failure {
  const why = faultFailure(outcome, { phase: 'start' }, 'full');
  if (image.unreadable.length === 0) return why;
  const paths = image.unreadable.map((path) => `"${path}"`).join(', ');
  return failure(why.code, `${why.message} It runs as uid 65534, which cannot read ${paths}.`);
}
