import type {
  CalibrationResult,
  Estimate,
  Measures,
  PerturbedResult,
  SliceResult,
  SliceSpread,
} from '@assay/contracts/metrics';
import { EVALUATION_STATES, type EvaluationState, type Failure } from '@assay/contracts/models';
import { newId, type TransitionTable } from '@assay/kernel';
import { RunSpecification } from '@assay/submissions';
import { DatasetVersion } from '@assay/tasks/datasets';
import { defineEntity, p } from '@mikro-orm/core';
import { Evaluator } from '../evaluators/evaluator.js';

/**
 * The legal transitions of an evaluation. A scored one is scored again when the definition of the
 * task changes, and is queued again when its answers are withdrawn.
 */
export const EVALUATION_TRANSITIONS = {
  queued: ['running', 'scored', 'failed', 'cancelled'],
  running: ['queued', 'scored', 'failed', 'cancelled'],
  scored: ['queued', 'scored', 'failed'],
  failed: ['queued'],
  cancelled: ['queued'],
} as const satisfies TransitionTable<EvaluationState>;

/** The states of an evaluation without a result. */
export const OPEN_EVALUATION_STATES = ['queued', 'running'] as const satisfies readonly EvaluationState[];

/** The figures on the part of a dataset that was not written against a model. */
export interface RestScore {
  readonly examples: number;
  readonly metrics: Readonly<Record<string, Estimate>>;
  readonly sliceSpreads: Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>;
  /** The blob of the resampled values of the metrics. */
  readonly resamples: string | null;
}

export const EvaluationSchema = defineEntity({
  name: 'Evaluation',
  uniques: [{ properties: ['specification', 'datasetVersion'] }],
  indexes: [
    { properties: ['datasetVersion', 'state'] },
    {
      name: 'evaluation_own_evaluator',
      expression: `create index "evaluation_own_evaluator" on "evaluation" ("evaluator_id") where "evaluator_id" is not null`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    specification: () => p.manyToOne(RunSpecification),
    datasetVersion: () => p.manyToOne(DatasetVersion),
    state: p.enum(EVALUATION_STATES).default('queued').$type<EvaluationState>(),
    failure: p.json<Failure>().nullable(),
    /** The run that filled the cell, or is filling it. */
    run: p.uuid().nullable(),
    /**
     * The evaluator that gave the answers, if it belongs to a user. Null: an evaluator of the service gave
     * them, they were uploaded, or it is not known.
     */
    evaluator: () => p.manyToOne(Evaluator).deleteRule('set null').nullable(),
    metrics: p.json<Readonly<Record<string, Estimate>>>().nullable(),
    measures: p.json<Measures>().nullable(),
    /** By field, then by value. */
    slices: p.json<Readonly<Record<string, Readonly<Record<string, SliceResult>>>>>().nullable(),
    /** The worst slice and the gap between slices, by slicing field, then by metric. */
    sliceSpreads: p.json<Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>>().nullable(),
    /** Null if the model gives no probabilities. */
    calibration: p.json<CalibrationResult>().nullable(),
    /**
     * For a perturbed dataset version: the figures of each transform, and the combined figures of
     * the transforms that rank.
     */
    perturbed: p.json<PerturbedResult>().nullable(),
    /**
     * Identifies everything that the scores were computed with: metrics and their versions, slices,
     * clusters, gold. If the expected key differs, the scores must be recomputed.
     */
    scoringKey: p.string().length(64).nullable(),
    /**
     * By metric, how it compared texts, in sacreBLEU's notation. Null before metrics recorded it.
     */
    signatures: p.json<Readonly<Record<string, string>>>().nullable(),
    /**
     * The number of answers whose label is not the most probable one by their own probabilities.
     * Null if no answer had probabilities, or if it was not counted.
     */
    labelDiffers: p.integer().nullable(),
    /**
     * The blob of the resampled values of the metrics, from which joint rank intervals are
     * computed.
     */
    resamples: p.string().length(64).nullable(),
    /**
     * For a dataset that was collected against the model: the figures on the examples that were written
     * against other models. Null if there are none, or if it is not known which they are.
     */
    rest: p.json<RestScore>().nullable(),
    /** The number of invalid answers that the task tolerated. They count as wrong. */
    invalid: p.integer().default(0),
    /** The blob of the predictions file. */
    predictions: p.string().length(64).nullable(),
    /**
     * IDs of the dataset versions that the sandbox had seen when it gave the predictions; empty if
     * no sandbox was involved. Null if unknown: the predictions are then treated as if the sandbox
     * had seen hidden data.
     */
    seen: p.json<readonly string[]>().nullable(),
    /**
     * The indexes of the examples that were also sent as single, timed requests. Null if there are
     * none, or if the answers have been scored.
     */
    timed: p.json<readonly number[]>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    finishedAt: p.datetime().nullable(),
  },
});

/**
 * One run specification on one dataset version: a cell of the results table. The pair is unique, so
 * nothing is computed twice.
 */
export class Evaluation extends EvaluationSchema.class {}
EvaluationSchema.setClass(Evaluation);

/** SQL for the digests of blobs that evaluations refer to, by kind. */
export const evaluationBlobs = {
  predictions: `select predictions as digest from evaluation where predictions is not null`,
  resamples: `select resamples as digest from evaluation where resamples is not null
    union select rest ->> 'resamples' from evaluation where rest ->> 'resamples' is not null`,
} as const;
