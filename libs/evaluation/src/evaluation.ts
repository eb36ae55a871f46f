import type { Estimate, EvaluationState, Failure, Measures, SliceResult } from '@assay/contracts';
import { EVALUATION_STATES } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { RunSpecification } from '@assay/submissions';
import { DatasetVersion } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const EvaluationSchema = defineEntity({
  name: 'Evaluation',
  uniques: [{ properties: ['specification', 'datasetVersion'] }],
  indexes: [{ properties: ['datasetVersion', 'state'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    specification: () => p.manyToOne(RunSpecification),
    datasetVersion: () => p.manyToOne(DatasetVersion),
    state: p.enum(EVALUATION_STATES).default('queued').$type<EvaluationState>(),
    failure: p.json<Failure>().nullable(),
    /** The run that filled it, or is filling it. */
    run: p.uuid().nullable(),
    metrics: p.json<Readonly<Record<string, Estimate>>>().nullable(),
    measures: p.json<Measures>().nullable(),
    /** By field, then by value. */
    slices: p.json<Readonly<Record<string, Readonly<Record<string, SliceResult>>>>>().nullable(),
    /** Bad answers within the task's tolerance; they count as wrong. */
    invalid: p.integer().default(0),
    /** Blob of the predictions file. */
    predictions: p.string().length(64).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    finishedAt: p.datetime().nullable(),
  },
});

/** One run specification on one dataset version: the cell of the table. Unique, so never computed twice. */
export class Evaluation extends EvaluationSchema.class {}
EvaluationSchema.setClass(Evaluation);
