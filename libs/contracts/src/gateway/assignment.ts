import { z } from 'zod';
import { Visibility } from '../datasets/dataset.js';
import { Repeatability } from '../metrics/metric.js';
import { ModelKind } from '../models/model.js';
import { namedObject } from '../named-object.js';
import { TaskLimits, TaskOutput } from '../tasks/task.js';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The stages of a run that an evaluator asks for. */
export const LEASED_STAGES = ['admission', 'evaluation'] as const;
export type LeasedStage = (typeof LEASED_STAGES)[number];

/** The kinds of work in a leased run. */
export const LEASED_WORK = ['admission', 'evaluation', 'measures'] as const;
export type LeasedWork = (typeof LEASED_WORK)[number];

/** A dataset version that a run answers. It has no gold outputs, IDs of examples or names. */
export const AssignedDataset = namedObject('AssignedDataset', {
  id: z.string().describe('ID of the evaluation'),
  version: z.string().describe('ID of the dataset version'),
  visibility: Visibility,
  isOriginal: z.boolean().describe('false for a perturbed version'),
  examples: z.int().describe('number of its examples'),
});
export type AssignedDataset = Readonly<z.infer<typeof AssignedDataset>>;

/** The result of admission: everything that is needed to start the image. */
export const AdmittedFacts = namedObject('AdmittedFacts', {
  port: z.int().describe('TCP port on which the model answers'),
  unreadable: z.array(z.string()).readonly().describe("the first ten files that the model's user cannot read"),
});
export type AdmittedFacts = Readonly<z.infer<typeof AdmittedFacts>>;

/** The work of a leased run. */
export const Assignment = namedObject('Assignment', {
  run: z.string().describe('ID of the run'),
  fence: z.int().describe('number of claims of the run so far; every later request about the run names it'),
  task: z.string().describe('ID of the task'),
  artifact: z
    .object({
      kind: ModelKind,
      digest: Sha256.describe('sha256 of the bytes as uploaded, in hexadecimal'),
      size: z.int().describe('bytes as uploaded'),
      image: AdmittedFacts.nullable().describe('null before admission'),
      isArchived: z.boolean().describe('true if the owner removed the bytes'),
    })
    .readonly(),
  owners: z.array(z.string()).readonly().describe('IDs of the accounts that own the model'),
  specification: z
    .object({
      command: z
        .array(z.string())
        .readonly()
        .nullable()
        .describe('replaces the command of the image; null: it has one'),
      environment: z.record(z.string(), z.string()),
      limits: TaskLimits.omit({ artifact: true, unpacked: true }),
      runtime: z.enum(['runc', 'runsc']),
      repeatability: Repeatability.nullable().describe(
        'null until the model has been asked twice for the same examples',
      ),
    })
    .readonly(),
  output: TaskOutput,
  strictProbabilities: z
    .boolean()
    .default(false)
    .describe('true if a label that is not the most probable one by its own probabilities is a bad answer'),
  weighsCosts: z
    .boolean()
    .describe('true if throughput or a latency has a weight on the board of the task, or a bound for its loop'),
  isAutomatic: z
    .boolean()
    .default(false)
    .describe('true if no user has requested the measurement, so that it gives way to evaluations'),
  mayDrain: z
    .boolean()
    .default(false)
    .describe(
      'true if evaluations wait for the measurement once it has waited long enough: the board of the task weighs or bounds throughput or a latency, and a user has requested it or it is the first one of the model',
    ),
  interruptions: z.int().default(0).describe('how often a live request has interrupted the measurement'),
  datasets: z
    .array(AssignedDataset)
    .readonly()
    .describe(
      'datasets that the model has not answered, originals before perturbed versions; for a run that only measures, the answered originals',
    ),
});
export type Assignment = Readonly<z.infer<typeof Assignment>>;
