import type { HumanFigures } from '@assay/contracts/annotating';
import type { DatasetRole, DatasetUse, Visibility } from '@assay/contracts/datasets';
import type { Perturbation } from '@assay/contracts/metrics';
import type { TransformName } from '@assay/contracts/tasks';
import { type Actor, AuditLog, type AuditRecord } from '@assay/identity/audit';
import { DomainError, newId } from '@assay/kernel';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';
import { Task } from '../task.js';
import { publishedDigest } from './commitment.js';

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
    /** Until when the listed submitters may read the IDs and inputs of a hidden dataset; null if they may not. */
    inputsUntil: p.datetime().nullable(),
    /** Ids of the target models that its examples were collected against. */
    against: p.json<readonly string[]>().default([]),
    /** True if a round that was collected here was frozen as this dataset. */
    collected: p.boolean().default(false),
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
     * Number of examples per gold label, or per set of gold labels if the output is several labels;
     * needed for the reference rows. Empty: too many sets. Null for other outputs, and for several
     * labels until a board of the version is published.
     */
    goldCounts: p.json<Readonly<Record<string, number>>>().nullable(),
    /**
     * The number of examples whose inputs are those of an earlier example. Null: not counted.
     */
    repeats: p.integer().nullable(),
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

/** Returns the settings that a dataset shares with its perturbed datasets. */
export const datasetSettings = ({ role, round, use, visibility, publicSince, against }: Dataset) => ({
  role,
  round: round ?? null,
  use,
  visibility,
  publicSince: publicSince ?? null,
  against,
});

/** Returns the dataset as a subject of the audit log. */
export const auditedDataset = ({ slug }: Task, { id, name }: Dataset): AuditRecord['subject'] => ({
  kind: 'dataset',
  id,
  name: `${slug}/${name}`,
});

/** Records in the audit log that a version of a dataset was put. */
export function recordPut(em: EntityManager, actor: Actor, task: Task, version: DatasetVersion): void {
  const { dataset, number, examples } = version;
  const { digest } = publishedDigest(version, dataset.visibility);
  const to = { version: number, digest, examples };
  AuditLog.record(em, actor, { action: 'dataset.put', subject: auditedDataset(task, dataset), to });
}

/** The storage that the owner of a task has left. */
export interface DatasetRoom {
  /** Called with the number of bytes as they are stored. Throws if they do not fit. */
  readonly onBytes: (count: number) => Promise<void>;
  /**
   * Throws if the data that `owner` stores now exceeds their limit. Nothing else of theirs can grow
   * until the transaction ends.
   */
  readonly expect: (em: EntityManager, owner: string) => Promise<void>;
}

/** The number of verdicts below which a transform is not judged. */
const ENOUGH_VERDICTS = 30;
const MIN_KEPT_SHARE = 0.95;

/**
 * Returns whether a transform's variants count in `fairness` and `robustness`. They do not if
 * people found that too many labels no longer hold.
 */
export const transformRanks = ({ validated, kept }: Pick<AppliedTransform, 'validated' | 'kept'>): boolean =>
  validated < ENOUGH_VERDICTS || kept >= MIN_KEPT_SHARE * validated;

/** SQL for the digests of blobs that datasets refer to. */
export const tasksBlobs = { datasets: `select content as digest from dataset_version` } as const;
