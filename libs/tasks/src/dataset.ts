import type { DatasetRole, DatasetUse, HumanFigures, Perturbation, TransformName, Visibility } from '@assay/contracts';
import { DomainError, newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from './task.js';

const DatasetSchema = defineEntity({
  name: 'Dataset',
  uniques: [{ properties: ['task', 'name'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    /** As its owner calls it; of a perturbed dataset `<original>~<perturbation>`, which nobody can type. */
    name: p.string().length(80),
    role: p.string().length(10).$type<DatasetRole>(),
    round: p.integer().nullable(),
    use: p.string().length(10).$type<DatasetUse>(),
    visibility: p.string().length(10).$type<Visibility>(),
    /** When any of its content could first be read by anybody; null: never yet. What exposure is told by. */
    publicSince: p.datetime().nullable(),
    /** Ids of the models that its examples were collected against. */
    against: p.json<readonly string[]>().default([]),
    /** Of a perturbed dataset: what its variants are for. Null: the dataset is an original, as all that users name. */
    perturbation: p.string().length(10).$type<Perturbation>().nullable(),
    /** Of a perturbed dataset: what it was made of. */
    original: () => p.manyToOne(Dataset).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A named set of examples of a task; its content is in its versions. */
export class Dataset extends DatasetSchema.class {}
DatasetSchema.setClass(Dataset);

/** What one transform made of the originals. */
export interface AppliedTransform {
  /** `own`: pairs that the task's owner has uploaded. */
  readonly name: TransformName | 'own';
  readonly version: number;
  /** Variants: at most one for each original. */
  readonly variants: number;
  /** People's verdicts on a sample of the variants: how many were looked at, and of how many the label still holds. */
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
    /** sha256 of the bytes as they were put. */
    digest: p.string().length(64),
    /** 32 random bytes in hexadecimal. Secret while the data is not public. */
    salt: p.string().length(64),
    /** sha256(salt ‖ bytes as they were put); of perturbed versions, and where the bytes were put before there were salts, sha256(salt ‖ digest). */
    commitment: p.string().length(64),
    /** Blob of the examples as JSON Lines, each with its `id` first: what runs and scores read. */
    content: p.string().length(64),
    /** sha256 over ids and inputs alone: equal where only gold was corrected. */
    inputsDigest: p.string().length(64),
    examples: p.integer(),
    /** How often each gold label stands, where the output is a label: what the reference rows need. */
    goldCounts: p.json<Readonly<Record<string, number>>>().nullable(),
    /** How well people do, by metric, where it was collected here: written at its freeze. Null: nobody knows. */
    human: p.json<HumanFigures>().nullable(),
    /** Names of the fields that some example has, the first 200; null where it was taken in before they were kept. */
    fields: p.json<readonly string[]>().nullable(),
    /** Of a perturbed version: the version whose examples its variants perturb. */
    original: () => p.manyToOne(DatasetVersion).nullable(),
    /** Of a perturbed version. */
    transforms: p.json<readonly AppliedTransform[]>().nullable(),
    status: p.enum(['active', 'proposed', 'retired'] as const),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** The content of a dataset, by digest; never changed. */
export class DatasetVersion extends DatasetVersionSchema.class {}
DatasetVersionSchema.setClass(DatasetVersion);

/** For the owner of the task, who may know which datasets there are. */
export const unknownDataset = ({ slug }: Task, name: string): DomainError =>
  new DomainError('not-found', 'unknown_dataset', `"${slug}" has no dataset "${name.slice(0, 80)}".`);
