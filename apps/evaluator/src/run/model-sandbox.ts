import { failure, type Failure } from '@assay/contracts';
import type { Evaluation, RunLease } from '@assay/evaluation';
import type { Sandbox, SandboxSpecification, StartOutcome } from '@assay/sandbox';
import type { AdmittedImage } from '@assay/submissions';
import { faultFailure, type Candour } from './failure-sentence.js';
import type { RunMaterial } from './run-material.js';

export const LOG_BYTES = 64 * 1024;
/** Until others may remove it: a clock that is set forward by an hour must not end what is at work. */
const GRACE_SECONDS = 7200;

/** How a run starts its model. `digest`: of the image that is installed. */
export function sandboxSpecification(
  lease: RunLease,
  material: RunMaterial,
  digest: string,
  image: AdmittedImage,
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

/** Hidden inputs that a run has seen may be anywhere in what the model wrote since. */
export const candourOf = (cells: readonly Evaluation[]): Candour =>
  cells.every((cell) => cell.datasetVersion.dataset.visibility !== 'hidden') ? 'everything' : 'codes';

/** What a model wrote until it was ready, and that the rest is not shown. */
export const hiddenLog = (startLog: string): string =>
  `${startLog}${startLog === '' || startLog.endsWith('\n') ? '' : '\n'}[What it wrote after it was ready is not shown: it has seen hidden examples.]\n`;

/** Why a model did not start. Files that it could not read are the likely reason, and it can't see them. */
export function startFailure(outcome: Exclude<StartOutcome, { kind: 'ready' }>, image: AdmittedImage): Failure {
  const why = faultFailure(outcome, { phase: 'start' }, 'everything');
  if (image.unreadable.length === 0) return why;
  const paths = image.unreadable.map((path) => `"${path}"`).join(', ');
  return failure(why.code, `${why.message} It runs as uid 65534, which can't read ${paths}.`);
}
