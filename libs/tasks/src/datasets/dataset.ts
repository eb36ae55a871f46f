import type { HumanFigures } from '@assay/contracts/annotating';
import type { DatasetRole, DatasetUse, Visibility } from '@assay/contracts/datasets';
import type { Perturbation } from '@assay/contracts/metrics';
import type { TransformName } from '@assay/contracts/tasks';
import { DomainError, newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from '../task.js';

const DatasetSchema = defineEntity({
  name: 'Dataset',
  uniques: [{ properties: ['task', 'name'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    /**
     * The owner's name for it. A perturbed dataset is named `<original>~<perturbation>`, which
     * cannot collide with a name that a user chooses.
     */
    name: p.string().length(80),
    role: p.string().length(10).$type<DatasetRole>(),
    round: p.integer().nullable(),
    use: p.string().length(10).$type<DatasetUse>(),
    visibility: p.string().length(10).$type<Visibility>(),
    /**
     * The time when any of its content became publicly readable; null if never. Determines
     * contamination.
     */
    publicSince: p.datetime().nullable(),
    /** Ids of the target models that its examples were collected against. */
    against: p.json<readonly string[]>().default([]),
    /** The kind of a perturbed dataset. Null for an original; users name only originals. */
    perturbation: p.string().length(10).$type<Perturbation>().nullable(),
    /** The original of a perturbed dataset. */
    original: () => p.manyToOne(Dataset).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A named set of examples of a task. Its versions contain the content. */
export class Dataset extends DatasetSchema.class {}
DatasetSchema.setClass(Dataset);

/** The result of one transform on the original examples. */
export interface AppliedTransform {
  /** `own`: pairs that the task's owner uploaded. */
  readonly name: TransformName | 'own';
  readonly version: number;
  /** Number of variants: at most one for each original. */
  readonly variants: number;
  /**
   * Human verdicts on a sample of the variants: the number checked, and the number whose label
   * still holds.
   */
  readonly validated: number;
  readonly kept: number;
}

const DatasetVersionSchema = defineEntity({
  name: 'DatasetVersion',
  uniques: [{ properties: ['dataset', 'digest'] }, { properties: ['dataset', 'number'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    dataset: () => p.manyToOne(Dataset).deleteRule('cascade'),
    number: p.integer(),
    /** sha256 of the bytes as uploaded. */
    digest: p.string().length(64),
    /** 32 random bytes in hexadecimal. Secret while the data is not public. */
    salt: p.string().length(64),
    /**
     * sha256(salt ‖ bytes as uploaded). For perturbed versions, and for uploads from before salts
     * were introduced: sha256(salt ‖ digest).
     */
    commitment: p.string().length(64),
    /**
     * Digest of the blob with the examples as JSON Lines, each with its `id`. Runs and scoring read
     * it.
     */
    content: p.string().length(64),
    /** sha256 over ids and inputs only, so it is equal if only gold was corrected. */
    inputsDigest: p.string().length(64),
    examples: p.integer(),
    /**
     * Number of examples per gold label if the output is a label; needed for the reference rows.
     */
    goldCounts: p.json<Readonly<Record<string, number>>>().nullable(),
    /**
     * Human performance by metric, recorded when a round's examples are frozen. Null: not known.
     */
    human: p.json<HumanFigures>().nullable(),
    /**
     * Names of the fields that occur in any example, at most 200. Null for versions from before
     * field names were recorded.
     */
    fields: p.json<readonly string[]>().nullable(),
    /** For a perturbed version: the version whose examples its variants perturb. */
    original: () => p.manyToOne(DatasetVersion).nullable(),
    /** For a perturbed version: the result of each transform. */
    transforms: p.json<readonly AppliedTransform[]>().nullable(),
    status: p.enum(['active', 'proposed', 'retired'] as const),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** The immutable content of a dataset, identified by its digest. */
export class DatasetVersion extends DatasetVersionSchema.class {}
DatasetVersionSchema.setClass(DatasetVersion);

/**
 * Returns the error for an unknown dataset, for the owner of the task, who may know which datasets
 * exist.
 */
export const unknownDataset = ({ slug }: Task, name: string): DomainError =>
  new DomainError('not-found', 'unknown_dataset', `"${slug}" has no dataset "${name.slice(0, 80)}".`);
