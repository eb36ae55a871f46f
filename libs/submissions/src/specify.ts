import { createHash } from 'node:crypto';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { canonicalJson } from '@assay/kernel';
import type { Artifact } from './artifacts/artifact.js';
import type { Model } from './model.js';
import type { RunLimits, SpecificationContent } from './run-specification.js';

/**
 * Returns the specification of `model`: everything that determines its behaviour, from the task
 * definition and the digest of its artifact.
 */
export function specify(
  definition: TaskDefinition,
  model: Model,
  artifact: Pick<Artifact, 'digest'>,
): SpecificationContent {
  return {
    artifact: artifact.digest,
    kind: model.kind,
    command: model.command ?? null,
    protocol: model.protocol,
    environment: {},
    limits: runLimits(definition.limits),
    runtime: definition.runtime,
  };
}

function runLimits({
  memory,
  cpus,
  pids,
  startSeconds,
  requestSeconds,
  evaluationSeconds,
  tolerance,
}: RunLimits): RunLimits {
  return { memory, cpus, pids, startSeconds, requestSeconds, evaluationSeconds, tolerance };
}

/**
 * Returns the sha256 of the canonical JSON, in hexadecimal. Equal specifications have equal keys.
 */
export function specificationKey(content: SpecificationContent): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
