import type {
  CalibrationResult,
  Estimate,
  EvaluationState,
  Failure,
  Measures,
  PerturbedResult,
  SliceResult,
  SliceSpread,
} from '@assay/contracts';
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
    /** By slicing field: the worst slice and the gap between slices, by metric. */
    sliceSpreads: p.json<Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>>().nullable(),
    /** Where the model gives probabilities. */
    calibration: p.json<CalibrationResult>().nullable(),
    /** Of a perturbed dataset version: the figures of each transform, and beside them. */
    perturbed: p.json<PerturbedResult>().nullable(),
    /** Names what the scores were computed with: metrics and their versions, slices, clusters, gold. Another name: to be computed anew. */
    scoringKey: p.string().length(64).nullable(),
    /** Blob of the metrics' resampled values: what joint intervals of ranks are made of. */
    resamples: p.string().length(64).nullable(),
    /** Bad answers within the task's tolerance; they count as wrong. */
    invalid: p.integer().default(0),
    /** Blob of the predictions file. */
    predictions: p.string().length(64).nullable(),
    /**
     * Ids of the dataset versions that the sandbox had seen which gave the predictions; none where no sandbox did. Null: nobody knows, so they are
     * as hidden as can be.
     */
    seen: p.json<readonly string[]>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    finishedAt: p.datetime().nullable(),
  },
});

/** One run specification on one dataset version: the cell of the table. Unique, so never computed twice. */
export class Evaluation extends EvaluationSchema.class {}
EvaluationSchema.setClass(Evaluation);
