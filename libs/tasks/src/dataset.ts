import type { DatasetRole, DatasetUse, Visibility } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from './task.js';

const DatasetSchema = defineEntity({
  name: 'Dataset',
  uniques: [{ properties: ['task', 'name'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    name: p.string().length(63),
    role: p.string().length(10).$type<DatasetRole>(),
    round: p.integer().nullable(),
    use: p.string().length(10).$type<DatasetUse>(),
    visibility: p.string().length(10).$type<Visibility>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A named set of examples of a task; its content is in its versions. */
export class Dataset extends DatasetSchema.class {}
DatasetSchema.setClass(Dataset);

const DatasetVersionSchema = defineEntity({
  name: 'DatasetVersion',
  uniques: [{ properties: ['dataset', 'digest'] }, { properties: ['dataset', 'number'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    dataset: () => p.manyToOne(Dataset).deleteRule('cascade'),
    number: p.integer(),
    /** sha256 of the bytes as they were put. */
    digest: p.string().length(64),
    /** Blob of the examples as JSON Lines, each with its `id` first: what runs and scores read. */
    content: p.string().length(64),
    /** sha256 over ids and inputs alone: equal where only gold was corrected. */
    inputsDigest: p.string().length(64),
    examples: p.integer(),
    /** How often each gold label stands, where the output is a label: what the reference rows need. */
    goldCounts: p.json<Readonly<Record<string, number>>>().nullable(),
    status: p.enum(['active', 'proposed', 'retired'] as const),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** The content of a dataset, by digest; never changed. */
export class DatasetVersion extends DatasetVersionSchema.class {}
DatasetVersionSchema.setClass(DatasetVersion);
