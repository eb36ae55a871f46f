import type { Repeatability } from '@assay/contracts/metrics';
import type { ModelKind, Protocol } from '@assay/contracts/models';
import type { TaskLimits } from '@assay/contracts/tasks';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Artifact } from './artifacts/artifact.js';

/** The limits that affect the behaviour of a model. The limits on the upload size do not. */
export type RunLimits = Omit<TaskLimits, 'artifact' | 'unpacked'>;

export interface SpecificationContent {
  readonly artifact: string;
  readonly kind: ModelKind;
  readonly command: readonly string[] | null;
  readonly protocol: Protocol;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  readonly runtime: 'runc' | 'runsc';
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
