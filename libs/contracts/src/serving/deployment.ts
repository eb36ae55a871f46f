import { z } from 'zod';
import { Failure, FailureCodeSchema } from '../models/failure.js';
import { namedObject, namedStrictObject } from '../named-object.js';

/** The states of a deployment. `stopped`: no longer needed; `failed`: given up. */
export const DEPLOYMENT_STATES = ['wanted', 'starting', 'ready', 'stopped', 'failed'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** The steps that a deployment passes before it can answer, in order. */
export const DEPLOYMENT_STEPS = ['evaluator', 'image', 'measurement', 'start', 'again'] as const;
export type DeploymentStep = (typeof DEPLOYMENT_STEPS)[number];

export const DeploymentProgress = z.object({
  step: z
    .enum(DEPLOYMENT_STEPS)
    .describe(
      'evaluator: it waits for one; image: it is brought to its host; measurement: one is under way on its host; start: its container starts; again: it ended, and is started again',
    ),
  since: z.iso.datetime().describe('when that began'),
  message: z.string().describe('the same in words'),
});
export type DeploymentProgress = z.infer<typeof DeploymentProgress>;

/** The state of a target model's deployment. */
export const Serving = namedObject('Serving', {
  state: z.enum(DEPLOYMENT_STATES).describe('whether it can answer; failed: it was given up'),
  paused: z.boolean().describe('true while something is measured on its host: answers wait'),
  progress: DeploymentProgress.optional().describe('of one that is not ready'),
  failure: Failure.optional().describe('why it was given up, or why it is started again'),
});
export type Serving = z.infer<typeof Serving>;

const Weight = z.object({
  token: z.string().max(10_000),
  start: z.int().min(0),
  end: z.int().min(0),
  weight: z.number(),
});

/** The largest number of pieces of one field in an explanation. */
export const MOST_WEIGHTS = 10_000;

/** A model's `/explain` response for one instance: the weight of each piece of text, by field. */
export const Explanation = z.record(z.string(), z.array(Weight).max(MOST_WEIGHTS));
export type Explanation = z.infer<typeof Explanation>;

/** An evaluator's reply when the API queries a model that it serves. */
export const DeploymentReply = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answers'),
    answers: z.array(
      z.union([
        z.object({ text: z.string(), probabilities: z.array(z.number()).optional() }),
        z.object({ code: FailureCodeSchema, why: z.string() }),
      ]),
    ),
    /** The model's own response time. */
    milliseconds: z.number(),
  }),
  z.object({ kind: z.literal('explanations'), explanations: z.array(Explanation) }),
  /** The model has no `/explain`. */
  z.object({ kind: z.literal('unexplained') }),
  /** The model's response violates the contract, or it did not respond. */
  z.object({ kind: z.literal('failed'), failure: Failure }),
  /** The model cannot be queried now. */
  z.object({ kind: z.literal('busy'), progress: DeploymentProgress }),
]);
export type DeploymentReply = z.infer<typeof DeploymentReply>;

/** A query of the API to a served model. Each instance has all input fields of the task. */
export const DeploymentRequest = z.object({ instances: z.array(z.record(z.string(), z.unknown())).min(1).max(10_000) });
export type DeploymentRequest = z.infer<typeof DeploymentRequest>;

export const AskModel = namedStrictObject('AskModel', {
  input: z.record(z.string(), z.unknown()).describe('all input fields of the task'),
});
export type AskModel = z.infer<typeof AskModel>;

export const ModelAnswer = namedObject('ModelAnswer', {
  answer: z.string().describe('what it answered'),
  probabilities: z.record(z.string(), z.number()).optional().describe('by label, where the model gives them'),
  milliseconds: z.number().describe("the model's own time"),
  at: z.iso.datetime().describe('when'),
});
export type ModelAnswer = z.infer<typeof ModelAnswer>;
