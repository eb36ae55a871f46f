import { createHash } from 'node:crypto';
import type { TaskDefinition } from '@assay/contracts';
import type { Artifact } from './artifact.js';
import type { Model } from './model.js';
import type { RunLimits, SpecificationContent } from './run-specification.js';

/** What decides the behaviour of `model`, submitted to a task so defined, with these bytes. */
export function specify(definition: TaskDefinition, model: Model, artifact: Artifact): SpecificationContent {
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

/** sha256 of the canonical JSON (keys in order, RFC 8785's way for plain values): the same specification, the same key. */
export function specificationKey(content: SpecificationContent): string {
  return createHash('sha256').update(canonical(content)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
