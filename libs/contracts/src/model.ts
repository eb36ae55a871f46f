import { z } from 'zod';
import { Failure } from './failure.js';
import {
  CalibrationResult,
  Estimate,
  Measures,
  PERTURBATIONS,
  type Perturbation,
  PerturbedResult,
  Repeatability,
  SliceResult,
  SliceSpread,
} from './metric.js';

export const ModelKind = z.enum(['container', 'onnx', 'predictions']);
export type ModelKind = z.infer<typeof ModelKind>;

export const Protocol = z.enum(['invocations']);
export type Protocol = z.infer<typeof Protocol>;

export const SubmitModel = z
  .strictObject({
    name: z.string().trim().min(1).max(120),
    kind: ModelKind,
    description: z.string().max(2_000).default(''),
    protocol: Protocol.default('invocations'),
    command: z.array(z.string().max(4_096)).max(64).optional(),
    card: z.string().max(100_000).default('').meta({ description: 'Markdown' }),
    trainedOn: z.array(z.string().max(200)).max(100).default([]),
    publish: z.boolean().default(true),
  })
  .meta({ id: 'SubmitModel' });
export type SubmitModel = z.infer<typeof SubmitModel>;

export const ModelCreated = z
  .object({ id: z.string(), upload: z.url().meta({ description: 'tus: create the upload here' }) })
  .meta({ id: 'ModelCreated' });
export type ModelCreated = z.infer<typeof ModelCreated>;

export const MODEL_STATES = [
  'awaiting-artifact',
  'admitting',
  'queued',
  'running',
  'scored',
  'failed',
  'cancelled',
] as const;
export const ModelState = z.enum(MODEL_STATES);
export type ModelState = z.infer<typeof ModelState>;

export const EVALUATION_STATES = ['queued', 'running', 'scored', 'failed', 'cancelled'] as const;
export const EvaluationState = z.enum(EVALUATION_STATES);
export type EvaluationState = z.infer<typeof EvaluationState>;

export const ArtifactReceived = z
  .object({
    id: z.string(),
    state: ModelState,
    artifact: z.object({ digest: z.string(), size: z.int() }),
  })
  .meta({ id: 'ArtifactReceived' });
export type ArtifactReceived = z.infer<typeof ArtifactReceived>;

export const EvaluationView = z
  .object({
    dataset: z.string(),
    version: z.int(),
    round: z.int().optional(),
    perturbation: z
      .enum(PERTURBATIONS)
      .optional()
      .meta({ description: 'the examples are perturbed versions of those of the dataset' }),
    state: EvaluationState,
    failure: Failure.optional(),
    examples: z.int(),
    invalid: z.int().optional().meta({ description: 'bad answers that the task tolerated; they count as wrong' }),
    metrics: z.record(z.string(), Estimate),
    measures: Measures.partial(),
    slices: z.record(z.string(), z.record(z.string(), SliceResult)),
    sliceSpreads: z.record(z.string(), z.record(z.string(), SliceSpread)).optional(),
    calibration: CalibrationResult.optional(),
    perturbed: PerturbedResult.optional(),
  })
  .meta({ id: 'Evaluation' });
export type EvaluationView = z.infer<typeof EvaluationView>;

export const ModelView = z
  .object({
    id: z.string(),
    task: z.string(),
    name: z.string(),
    owner: z.string(),
    kind: ModelKind,
    description: z.string(),
    card: z.string(),
    trainedOn: z.array(z.string()),
    protocol: Protocol,
    command: z.array(z.string()).optional(),
    createdAt: z.iso.datetime(),
    published: z.boolean(),
    withdrawn: z.boolean(),
    state: ModelState,
    failure: Failure.optional(),
    artifact: z
      .object({
        digest: z.string(),
        size: z.int(),
        archivedAt: z.iso.datetime().optional().meta({ description: 'since when its bytes are gone' }),
      })
      .optional(),
    evaluations: z.array(EvaluationView),
    measuring: z.boolean().optional().meta({ description: 'its costs are being measured again' }),
    repeatability: Repeatability.optional(),
  })
  .meta({ id: 'Model' });
export type ModelView = z.infer<typeof ModelView>;

export const ModelSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string(),
    kind: ModelKind,
    state: ModelState,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ModelSummary' });
export type ModelSummary = z.infer<typeof ModelSummary>;

export const Log = z
  .object({ log: z.string().meta({ description: 'The end of what the model wrote' }) })
  .meta({ id: 'Log' });
export type Log = z.infer<typeof Log>;

/** What the server-sent events of a model carry. */
export type ModelEvent =
  | { readonly type: 'state'; readonly state: ModelState; readonly failure?: Failure }
  | {
      readonly type: 'progress';
      readonly dataset: string;
      readonly perturbation?: Perturbation;
      readonly done: number;
      readonly total: number;
      readonly examplesPerSecond: number;
    }
  | {
      readonly type: 'score';
      readonly dataset: string;
      readonly perturbation?: Perturbation;
      readonly metrics: Readonly<Record<string, Estimate>>;
    };

export const isFinal = (state: ModelState): boolean =>
  state === 'scored' || state === 'failed' || state === 'cancelled';
