import { z } from 'zod';
import { RetiredKeyMark } from '../results/retired-key.js';
import { shownName } from '../text/shown-name.js';
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
} from '../metrics/metric.js';

export const ModelKind = z.enum(['container', 'onnx', 'predictions']);
export type ModelKind = z.infer<typeof ModelKind>;

export const Protocol = z.enum(['invocations']);
export type Protocol = z.infer<typeof Protocol>;

export const SubmitModel = z
  .strictObject({
    name: shownName(120),
    kind: ModelKind,
    description: z.string().max(2_000).default(''),
    protocol: Protocol.default('invocations'),
    command: z.array(z.string().max(4_096)).max(64).optional(),
    card: z.string().max(100_000).default('').meta({ description: 'Markdown' }),
    trainedOn: z.array(shownName(200)).max(100).default([]),
    publish: z.boolean().default(true),
  })
  .meta({ id: 'SubmitModel' });
export type SubmitModel = z.infer<typeof SubmitModel>;

/** The properties of a model that can change after submission. */
export const PatchModel = z
  .strictObject({ loop: z.boolean().meta({ description: 'false: it is kept out of the loop, and leaves it' }) })
  .meta({ id: 'PatchModel' });
export type PatchModel = z.infer<typeof PatchModel>;

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

/**
 * The part of a task's quota that a user has used. Failures of admission, of the platform and of
 * the task do not count.
 */
export const QuotaView = z
  .object({
    perDay: z.int().meta({ description: 'submissions that the task allows a user in a day' }),
    total: z.int().meta({ description: 'and in all' }),
    usedToday: z.int().meta({ description: 'since midnight UTC' }),
    used: z.int().meta({ description: 'in all' }),
    resetsAt: z.iso.datetime().meta({ description: 'when the day ends' }),
  })
  .meta({ id: 'Quota' });
export type QuotaView = z.infer<typeof QuotaView>;

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
    dataset: z.string().meta({ description: 'its name' }),
    version: z.int().meta({ description: 'number of the version; of a perturbed one that of its original' }),
    round: z.int().optional().meta({ description: 'number of the round that it is of' }),
    perturbation: z
      .enum(PERTURBATIONS)
      .optional()
      .meta({ description: 'the examples are perturbed versions of those of the dataset' }),
    state: EvaluationState.meta({ description: 'how far it is' }),
    failure: Failure.optional().meta({ description: 'of a failed one: what happened, the party at fault, what to do' }),
    examples: z.int().meta({ description: 'how many the model is asked about' }),
    invalid: z.int().optional().meta({ description: 'bad answers that the task tolerated; they count as wrong' }),
    metrics: z.record(z.string(), Estimate).meta({ description: 'by metric' }),
    measures: Measures.partial().meta({ description: 'what it cost; empty where nothing ran here' }),
    slices: z
      .record(z.string(), z.record(z.string(), SliceResult))
      .meta({ description: 'by field and value: the metrics on those examples alone' }),
    sliceSpreads: z
      .record(z.string(), z.record(z.string(), SliceSpread))
      .optional()
      .meta({ description: 'by field and metric: how far its slices are apart' }),
    calibration: CalibrationResult.optional().meta({
      description: 'with probabilities: how far they can be taken at their word',
    }),
    perturbed: PerturbedResult.optional().meta({
      description: 'of a perturbed version: what perturbing does to the answers',
    }),
    answersWithdrawn: z.boolean().optional().meta({
      description:
        'true: the dataset is readable, but the sandbox that gave the answers had seen hidden data too, so they are withheld until the model is run again',
    }),
    retiredKey: RetiredKeyMark.optional(),
  })
  .meta({ id: 'Evaluation' });
export type EvaluationView = z.infer<typeof EvaluationView>;

/** The run that fills the evaluations of a model, while it is queued or running. */
export const RunView = z
  .object({
    stage: z.enum(['admission', 'evaluation']).meta({
      description:
        'admission: its artifact is inspected, and made ready to run; evaluation: it is asked about the examples',
    }),
    state: z.enum(['waiting', 'running']).meta({ description: 'waiting: until an evaluator takes it' }),
    since: z.iso.datetime().meta({ description: 'when it began to wait or to run' }),
    attempt: z.int().meta({ description: 'of this stage; above 1 where a fault of the platform ended those before' }),
    ahead: z.int().optional().meta({ description: 'while it waits: runs that were asked for before it and wait too' }),
  })
  .meta({ id: 'Run' });
export type RunView = z.infer<typeof RunView>;

export const ModelView = z
  .object({
    id: z.string().meta({ description: 'what addresses take' }),
    task: z.string().meta({ description: 'its slug' }),
    name: z.string().meta({ description: 'as its owner calls it' }),
    owner: z.string().meta({ description: 'name of the user who submitted it' }),
    kind: ModelKind.meta({ description: 'container and onnx run here; predictions are uploaded' }),
    description: z.string().meta({ description: 'in a sentence or two' }),
    card: z.string().meta({ description: 'Markdown' }),
    trainedOn: z.array(z.string()).meta({ description: 'data that it was trained on, as its owner says' }),
    protocol: Protocol.meta({ description: 'the protocol of the model' }),
    command: z
      .array(z.string())
      .optional()
      .meta({ description: 'what the container is started with; default: as its image says' }),
    createdAt: z.iso.datetime().meta({ description: 'when it was submitted' }),
    published: z.boolean().meta({ description: 'on the board once it is complete' }),
    withdrawn: z.boolean().meta({ description: 'its owner took it off the board' }),
    loop: z.boolean().meta({ description: 'whether its owner allows it to be a target model' }),
    state: ModelState.meta({ description: 'how far its evaluation is' }),
    failure: Failure.optional().meta({ description: 'of a failed one: what happened, the party at fault, what to do' }),
    artifact: z
      .object({
        digest: z.string().meta({ description: 'sha256 of its bytes' }),
        size: z.int().meta({ description: 'bytes' }),
        archivedAt: z.iso.datetime().optional().meta({ description: 'since when its bytes are gone' }),
      })
      .optional()
      .meta({ description: 'what was uploaded' }),
    evaluations: z
      .array(EvaluationView)
      .meta({ description: 'one for each dataset version in force, and for each of its perturbed versions' }),
    run: RunView.optional().meta({ description: 'of one that waits or runs: where it is' }),
    measuring: z.boolean().optional().meta({ description: 'its costs are being measured again' }),
    repeatability: Repeatability.optional().meta({ description: 'whether it answers the same when it is asked twice' }),
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

/** The models that the user submitted, in any state. */
export const MyModels = z
  .object({
    items: z.array(
      z.object({
        id: z.string().meta({ description: 'what addresses take' }),
        task: z.string().meta({ description: "the task's slug" }),
        taskName: z.string().meta({ description: 'of the task, for people' }),
        name: z.string().meta({ description: 'as you call it' }),
        kind: ModelKind.meta({ description: 'container and onnx run here; predictions are uploaded' }),
        state: ModelState.meta({ description: 'how far its evaluation is' }),
        failure: Failure.optional().meta({
          description: 'of a failed one: what happened, the party at fault, what to do',
        }),
        published: z.boolean().meta({ description: 'on the board once it is complete' }),
        withdrawn: z.boolean().meta({ description: 'you took it off the board' }),
        createdAt: z.iso.datetime().meta({ description: 'when you submitted it' }),
      }),
    ),
    nextCursor: z.string().optional().meta({ description: 'for the next page; absent on the last' }),
  })
  .meta({ id: 'MyModels' });
export type MyModels = z.infer<typeof MyModels>;

export const Log = z
  .object({
    log: z.string().meta({ description: 'The end of what the model wrote where it saw readable data alone' }),
    withheldBytes: z.int().optional().meta({
      description: 'length of the log that is withheld, because the sandbox that wrote it had seen hidden data',
    }),
  })
  .meta({ id: 'Log' });
export type Log = z.infer<typeof Log>;

/** The server-sent events of a model. */
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
