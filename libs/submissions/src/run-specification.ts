import type { ModelKind, Protocol, Repeatability, TaskLimits } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Artifact } from './artifact.js';

/** The limits that decide how a model behaves; those on the size of the upload do not. */
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

const RunSpecificationSchema = defineEntity({
  name: 'RunSpecification',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    /** sha256 of the canonical JSON of `content`. */
    key: p.string().length(64).unique(),
    artifact: () => p.manyToOne(Artifact),
    content: p.json<SpecificationContent>(),
    /** Null: not asked twice yet. */
    repeatability: p.json<Repeatability>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** What decides a model's behaviour. Two models with the same specification are one computation. */
export class RunSpecification extends RunSpecificationSchema.class {}
RunSpecificationSchema.setClass(RunSpecification);
