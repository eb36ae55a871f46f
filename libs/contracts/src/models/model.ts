import { z } from 'zod';
import { DatasetUse } from '../datasets/dataset.js';
import { OwnEvaluators } from '../evaluators/evaluator.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { RetiredKeyMark } from '../results/retired-key.js';
import { LiveDifference } from '../serving/live-difference.js';
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
  ShownDisclosure,
  SliceResult,
  SliceSpread,
} from '../metrics/metric.js';

export const ModelKind = z.enum(['container', 'onnx', 'predictions']);
export type ModelKind = z.infer<typeof ModelKind>;

export const Protocol = z.enum(['invocations']);
export type Protocol = z.infer<typeof Protocol>;

const DerivedFrom = z
  .array(z.guid())
  .max(20)
  .describe(
    'ids of the models of the same task that it descends from, for example by further training: rounds that were collected against one of them are own rounds of this model too',
  );

export const SubmitModel = namedStrictObject('SubmitModel', {
  name: shownName(120),
  kind: ModelKind,
  description: z.string().max(2_000).default(''),
  protocol: Protocol.default('invocations'),
  command: z.array(z.string().max(4_096)).max(64).optional(),
  card: z.string().max(100_000).default('').describe('Markdown'),
  trainedOn: z.array(shownName(200)).max(100).default([]),
  derivedFrom: DerivedFrom.default([]),
  publish: z.boolean().default(true),
  allowForeignEvaluators: z
    .boolean()
    .default(false)
    .describe("whether evaluators of the task's owner may receive the artifact and run it"),
});
export type SubmitModel = z.infer<typeof SubmitModel>;

/** The properties of a model that can change after submission. */
export const PatchModel = namedStrictObject('PatchModel', {
  loop: z.boolean().optional().describe('false: it is kept out of the loop, and leaves it'),
  derivedFrom: DerivedFrom.optional(),
}).refine(({ loop, derivedFrom }) => loop !== undefined || derivedFrom !== undefined, {
  error: 'needs `loop` or `derivedFrom`',
});
export type PatchModel = z.infer<typeof PatchModel>;

export const ModelCreated = namedObject('ModelCreated', {
  id: z.string(),
  upload: z.url().describe('tus: create the upload here'),
});
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
export const QuotaView = namedObject('Quota', {
  perDay: z.int().describe('submissions that the task allows a user in a day'),
  total: z.int().describe('and in all'),
  usedToday: z.int().describe('since midnight UTC'),
  used: z.int().describe('in all'),
  resetsAt: z.iso.datetime().describe('when the day ends'),
});
export type QuotaView = z.infer<typeof QuotaView>;

export const ArtifactReceived = namedObject('ArtifactReceived', {
  id: z.string(),
  state: ModelState,
  artifact: z.object({ digest: z.string(), size: z.int() }),
});
export type ArtifactReceived = z.infer<typeof ArtifactReceived>;

export const EvaluationView = namedObject('Evaluation', {
  dataset: z.string().describe('its name'),
  version: z.int().describe('number of the version; of a perturbed one that of its original'),
  round: z.int().optional().describe('number of the round that it is of'),
  perturbation: z
    .enum(PERTURBATIONS)
    .optional()
    .describe('the examples are perturbed versions of those of the dataset'),
  state: EvaluationState.describe('how far it is'),
  failure: Failure.optional().describe('of a failed one: what happened, the party at fault, what to do'),
  examples: z.int().describe('how many the model is asked about'),
  invalid: z.int().optional().describe('bad answers that the task tolerated; they count as wrong'),
  labelDiffers: z
    .int()
    .optional()
    .describe(
      'answers whose label is not the most probable one by their own probabilities; absent if no answer has probabilities',
    ),
  metrics: z.record(z.string(), Estimate).describe('by metric'),
  signatures: z
    .record(z.string(), z.string())
    .optional()
    .describe('by metric of texts: how it compared them, as in case:mixed|eff:no|tok:13a|smooth:exp|norm:nfc|assay:2'),
  measures: Measures.partial().describe('what it cost; empty where nothing ran here'),
  slices: z
    .record(z.string(), z.record(z.string(), SliceResult))
    .describe('by field and value: the metrics on those examples alone'),
  sliceSpreads: z
    .record(z.string(), z.record(z.string(), SliceSpread))
    .optional()
    .describe('by field and metric: how far its slices are apart'),
  calibration: CalibrationResult.optional().describe('with probabilities: how far they can be taken at their word'),
  perturbed: PerturbedResult.optional().describe('of a perturbed version: what perturbing does to the answers'),
  answersWithdrawn: z
    .boolean()
    .optional()
    .describe(
      'true: the dataset is readable, but the sandbox that gave the answers had seen hidden data too, so they are withheld until the model is run again',
    ),
  evaluators: OwnEvaluators.optional(),
  retiredKey: RetiredKeyMark.optional(),
});
export type EvaluationView = z.infer<typeof EvaluationView>;

const NoEstimate = z
  .enum(['no_evaluator', 'no_fitting_evaluator', 'no_history'])
  .describe(
    'no_evaluator: no evaluator is online; no_fitting_evaluator: none of those that are online can run the model; no_history: no run of this kind has ended, so the duration of this one or of those before it is not known',
  );

/** A run that an evaluator runs now. */
const RunningView = z.object({
  model: z
    .object({
      id: z.string().describe('what addresses take'),
      name: z.string().describe('as its owner calls it'),
      owner: z.string().describe('name of the user who submitted it'),
    })
    .optional()
    .describe('absent if you may not see it'),
  since: z.iso.datetime().describe('when it started'),
  expectedEnd: z.iso.datetime().optional().describe('it may have passed'),
});

/** The run that fills the evaluations of a model, while it is queued or running. */
export const RunView = namedObject('Run', {
  stage: z
    .enum(['admission', 'evaluation'])
    .describe(
      'admission: its artifact is inspected, and made ready to run; evaluation: it is asked about the examples',
    ),
  state: z.enum(['waiting', 'running']).describe('waiting: until an evaluator takes it'),
  since: z.iso.datetime().describe('when it began to wait or to run'),
  attempt: z.int().describe('of this stage; above 1 where a fault of the platform ended those before'),
  ahead: z.int().optional().describe('while it waits: runs that are leased before it, if none is added'),
  queued: z.int().optional().describe('while it waits for an evaluator: runs that wait with it, itself included'),
  expectedStart: z.iso
    .datetime()
    .optional()
    .describe(
      'while it waits for an evaluator: when this stage is expected to start. It may have passed, if the runs before it take longer than expected or the evaluators do not take it',
    ),
  expectedEnd: z.iso
    .datetime()
    .optional()
    .describe('when its last stage is expected to end: the median of earlier runs. It may have passed'),
  noEstimate: NoEstimate.optional().describe('why expectedEnd is not known'),
  running: z
    .array(RunningView)
    .optional()
    .describe('while it waits for an evaluator: what the evaluators that can run it run now, at most 20 runs'),
});
export type RunView = z.infer<typeof RunView>;

/** A file of predictions that was added to a model for datasets that came later. */
const SupplementView = namedObject('Supplement', {
  id: z.string().describe('of the file'),
  digest: z.string().describe('sha256 of its bytes'),
  size: z.int().describe('bytes'),
  state: z.enum(['received', 'accepted', 'refused']).describe('received: it is being checked'),
  failure: Failure.optional().describe('why it was refused'),
  createdAt: z.iso.datetime().describe('when it arrived'),
  archivedAt: z.iso.datetime().optional().describe('since when its bytes are gone'),
});

/** A dataset for which predictions can still be added. */
const AwaitedDataset = namedObject('AwaitedDataset', {
  dataset: z.string().describe('its name'),
  round: z.int().optional().describe('number of the round that it is of'),
  use: DatasetUse.describe('scoring: the model has no rank without it'),
  until: z.iso.datetime().optional().describe('until when; absent: the task sets no deadline'),
});

export const ModelView = namedObject('Model', {
  id: z.string().describe('what addresses take'),
  task: z.string().describe('its slug'),
  name: z.string().describe('as its owner calls it'),
  owner: z.string().describe('name of the user who submitted it'),
  kind: ModelKind.describe('container and onnx run here; predictions are uploaded'),
  description: z.string().describe('in a sentence or two'),
  card: z.string().describe('Markdown'),
  trainedOn: z.array(z.string()).describe('data that it was trained on, as its owner says'),
  derivedFrom: z
    .array(z.string())
    .describe('ids of the models of the same task that it descends from, as its owner says'),
  protocol: Protocol.describe('the protocol of the model'),
  command: z.array(z.string()).optional().describe('what the container is started with; default: as its image says'),
  createdAt: z.iso.datetime().describe('when it was submitted'),
  published: z.boolean().describe('on the board once it is complete'),
  withdrawn: z.boolean().describe('its owner took it off the board'),
  loop: z.boolean().describe('whether its owner allows it to be a target model'),
  allowForeignEvaluators: z.boolean().describe("whether evaluators of the task's owner may receive and run it"),
  liveDifference: LiveDifference.optional().describe(
    'set if it answered people differently than it answered the same examples in its evaluation: the policy of target models leaves it out',
  ),
  state: ModelState.describe('how far its evaluation is'),
  failure: Failure.optional().describe('of a failed one: what happened, the party at fault, what to do'),
  artifact: z
    .object({
      digest: z.string().describe('sha256 of its bytes'),
      size: z.int().describe('bytes'),
      archivedAt: z.iso.datetime().optional().describe('since when its bytes are gone'),
    })
    .optional()
    .describe('what was uploaded'),
  disclosure: ShownDisclosure,
  evaluations: z
    .array(EvaluationView)
    .describe('one for each dataset version in force, and for each of its perturbed versions'),
  run: RunView.optional().describe('of one that waits or runs: where it is'),
  supplements: z
    .array(SupplementView)
    .optional()
    .describe('files of predictions that were added for datasets that came later, the oldest first'),
  awaits: z
    .array(AwaitedDataset)
    .optional()
    .describe('datasets that this model has no predictions for yet, and for which they can still be added'),
  measuring: z.boolean().optional().describe('its costs are being measured, or a user has requested that'),
  awaitsMeasurement: z.boolean().optional().describe('a measurement of its costs is queued or running'),
  repeatability: Repeatability.optional().describe('whether it answers the same when it is asked twice'),
});
export type ModelView = z.infer<typeof ModelView>;

export const ModelSummary = namedObject('ModelSummary', {
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  kind: ModelKind,
  state: ModelState,
  createdAt: z.iso.datetime(),
});
export type ModelSummary = z.infer<typeof ModelSummary>;

/** The models that the user submitted, in any state. */
export const MyModels = namedObject('MyModels', {
  items: z.array(
    z.object({
      id: z.string().describe('what addresses take'),
      task: z.string().describe("the task's slug"),
      taskName: z.string().describe('of the task, for people'),
      name: z.string().describe('as you call it'),
      kind: ModelKind.describe('container and onnx run here; predictions are uploaded'),
      state: ModelState.describe('how far its evaluation is'),
      failure: Failure.optional().describe('of a failed one: what happened, the party at fault, what to do'),
      published: z.boolean().describe('on the board once it is complete'),
      withdrawn: z.boolean().describe('you took it off the board'),
      createdAt: z.iso.datetime().describe('when you submitted it'),
    }),
  ),
  nextCursor: z.string().optional().describe('for the next page; absent on the last'),
});
export type MyModels = z.infer<typeof MyModels>;

export const Log = namedObject('Log', {
  log: z.string().describe('The end of what the model wrote where it saw readable data alone'),
  withheldBytes: z
    .int()
    .optional()
    .describe('length of the log that is withheld, because the sandbox that wrote it had seen hidden data'),
});
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
