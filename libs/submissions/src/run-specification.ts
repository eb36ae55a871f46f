import { createHash } from 'node:crypto';
import type { Repeatability } from '@assay/contracts/metrics';
import type { ModelKind, Protocol } from '@assay/contracts/models';
import type { TaskDefinition, TaskLimits } from '@assay/contracts/tasks';
import { canonicalJson, newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Artifact } from './artifacts/artifact.js';

interface SpecificationContent {
  readonly artifact: string;
  readonly kind: ModelKind;
  readonly command: readonly string[] | null;
  readonly protocol: Protocol;
  readonly environment: Readonly<Record<string, string>>;
  /** The limits that affect the behaviour of a model. The limits on the upload size do not. */
  readonly limits: Omit<TaskLimits, 'artifact' | 'unpacked'>;
  readonly runtime: 'runc' | 'runsc';
  /**
   * ID of the only model with this specification, because its owner has added predictions to it. Absent
   * for models that share their results with others of the same content.
   */
  readonly entry?: string;
}

export const RunSpecificationSchema = defineEntity({
  name: 'RunSpecification',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    /** sha256 of the canonical JSON of `content`, in hexadecimal. */
    key: p.string().length(64).unique(),
    artifact: () => p.manyToOne(Artifact),
    content: p.json<SpecificationContent>(),
    /** Null until the model has been asked twice for the same examples. */
    repeatability: p.json<Repeatability>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * Everything that determines the behaviour of a model. Models with the same specification are
 * evaluated only once.
 */
export class RunSpecification extends RunSpecificationSchema.class {}
RunSpecificationSchema.setClass(RunSpecification);

/**
 * Returns the specification of `model`: everything that determines its behaviour, from the task
 * definition and the digest of its artifact.
 */
export function specify(
  definition: TaskDefinition,
  model: Pick<SpecificationContent, 'kind' | 'protocol'> & { readonly command?: readonly string[] | null | undefined },
  artifact: Pick<Artifact, 'digest'>,
): SpecificationContent {
  const { memory, cpus, pids, startSeconds, requestSeconds, evaluationSeconds, tolerance } = definition.limits;
  return {
    artifact: artifact.digest,
    kind: model.kind,
    command: model.command ?? null,
    protocol: model.protocol,
    environment: {},
    limits: { memory, cpus, pids, startSeconds, requestSeconds, evaluationSeconds, tolerance },
    // a predictions file may come before the runtime of the task is decided, and never runs
    runtime: definition.runtime ?? 'runc',
  };
}

/**
 * Returns the sha256 of the canonical JSON, in hexadecimal. Equal specifications have equal keys.
 */
export function specificationKey(content: SpecificationContent): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
