import { z } from 'zod';
import { DEPLOYMENT_STEPS, DeploymentReply, DeploymentRequest } from './deployment.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { Assignment } from '../gateway/assignment.js';
import { LONGEST_POLL_SECONDS, ReportedFailure, RequestLease } from '../gateway/gateway.js';

/** The path of the WebSocket on which an evaluator answers questions to its target models, below `/api/v1`. */
export const LIVE_PATH = '/evaluator/live';
/** Seconds between two pings of the service. An evaluator that has had none for twice as long connects again. */
export const LIVE_PING_SECONDS = 15;
/** The most bytes of one message on the WebSocket. */
export const LARGEST_LIVE_MESSAGE = 16 * 2 ** 20;
/** The most instances that warm a target model up. */
export const MOST_WARM_UP = 129;

const { artifact, owners, specification, output } = Assignment.shape;

/** A target model that an evaluator serves. */
export const DeploymentAssignment = namedObject('DeploymentAssignment', {
  deployment: z.string().describe('ID of the deployment'),
  fence: z.int().describe('number of claims of the deployment so far; every later request about it names it'),
  artifact,
  owners,
  specification,
  output,
});
export type DeploymentAssignment = Readonly<z.infer<typeof DeploymentAssignment>>;

export const RequestDeployment = namedStrictObject('RequestDeployment', {
  protocol: RequestLease.shape.protocol,
  waitSeconds: z
    .number()
    .min(0)
    .max(LONGEST_POLL_SECONDS)
    .default(LONGEST_POLL_SECONDS)
    .describe('seconds to wait for one'),
});
export type RequestDeployment = z.infer<typeof RequestDeployment>;

export const LeasedDeploymentView = namedObject('LeasedDeployment', {
  leaseSeconds: z.number().describe('seconds for which the lease is valid without a report'),
  askedSeconds: z
    .number()
    .nullable()
    .describe(
      'seconds since people asked the model while it could not answer, to within ten seconds; null: nobody did',
    ),
  assignment: DeploymentAssignment,
});
export type LeasedDeploymentView = z.infer<typeof LeasedDeploymentView>;

/** The response to a request for a target model to serve. */
export const DeploymentOffer = namedObject('DeploymentOffer', {
  deployment: LeasedDeploymentView.nullable().describe('null: none came within the time'),
});
export type DeploymentOffer = z.infer<typeof DeploymentOffer>;

/** The state of a target model, as the evaluator that holds it reports it. */
export const ReportDeployment = z
  .discriminatedUnion('state', [
    z.strictObject({
      state: z.literal('starting'),
      step: z.enum(DEPLOYMENT_STEPS).extract(['image', 'measurement', 'start']),
    }),
    z.strictObject({ state: z.literal('ready'), isPaused: z.boolean().optional() }),
  ])
  .meta({
    id: 'ReportDeployment',
    description:
      'starting: the model cannot answer yet; ready: it answers; isPaused: its answers wait for a measurement on its host, as those of earlier evaluators do',
  });
export type ReportDeployment = z.infer<typeof ReportDeployment>;

/** How a lease of a deployment ends. */
export const DeploymentOutcome = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('released') }),
    z.strictObject({ kind: z.literal('held_back') }),
    z.strictObject({ kind: z.literal('platform_failed'), message: z.string().max(4000) }),
    z.strictObject({
      kind: z.literal('ended'),
      failure: ReportedFailure,
      servedSeconds: z.number().min(0).describe('seconds for which the model was ready'),
    }),
    z.strictObject({ kind: z.literal('failed'), failure: ReportedFailure }),
  ])
  .meta({
    id: 'DeploymentOutcome',
    description:
      'released: it may be leased again at once; held_back: the host runs a model of the same owner on hidden data; platform_failed: the evaluator failed, which the model is not charged for; ended: the model exited or did not start, and is started again a few times; failed: it cannot be served',
  });
export type DeploymentOutcome = z.infer<typeof DeploymentOutcome>;

/** A question of the service to a target model, on the WebSocket. */
export const LiveQuestion = z.object({
  /** Number of the question on this connection. */
  id: z.int(),
  deployment: z.string(),
  ask: z.enum(['predict', 'explain']),
  instances: DeploymentRequest.shape.instances,
});
export type LiveQuestion = z.infer<typeof LiveQuestion>;

/** An evaluator's answer to a question, on the WebSocket. */
export const LiveAnswered = z.object({
  id: z.int(),
  /** Null: the evaluator does not serve the model, or failed to ask it. */
  reply: DeploymentReply.nullable(),
});
export type LiveAnswered = z.infer<typeof LiveAnswered>;
