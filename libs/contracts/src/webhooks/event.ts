import { z } from 'zod';
import { ModelKind } from '../models/model.js';

const OfTask = z.object({ taskId: z.uuid() });
const OfRound = z.object({ roundId: z.uuid() });
const OfDeployment = z.object({ placementId: z.uuid() });
const OfAnnotation = z.object({ annotationId: z.uuid() });

/** The events of the outbox with the schemas of their payloads: IDs, never content. */
export const EVENTS = {
  /**
   * A run waits for a worker, which may take it after `delay` milliseconds (default: 0). `attempt`
   * is its fence, so that each wait has its own job ID.
   */
  'run.requested': z.object({
    runId: z.uuid(),
    stage: z.enum(['admission', 'evaluation']),
    attempt: z.int(),
    delay: z.int().optional(),
    /** The kind of the artifact. Absent in events of earlier versions. */
    kind: ModelKind.optional(),
  }),
  /** The answers of a model to a dataset version wait to be scored. */
  'answers.stored': OfTask.extend({ evaluationId: z.uuid() }),
  /** A model has all its scores, or has failed. */
  'model.settled': z.object({ modelId: z.uuid(), state: z.enum(['scored', 'failed']) }),
  /** The submitters of the task may read the inputs of a hidden dataset for a while. */
  'inputs.shared': OfTask.extend({ datasetId: z.uuid() }),
  /** A model lacks predictions for a dataset version of the task. */
  'predictions.awaited': OfTask.extend({ evaluationId: z.uuid() }),
  /** Somebody asks for the results of a model, which are not signed as they are now. */
  'result.requested': z.object({ modelId: z.uuid() }),
  /** Some scores of the task may have been computed with an earlier definition. */
  'scores.stale': OfTask,
  /** An input of the task's board has changed. */
  'board.stale': OfTask,
  'board.published': OfTask.extend({ revision: z.int() }),
  /**
   * The active dataset versions of the task have changed. `behind` is the run specification that
   * was requested last; absent if none was.
   */
  'benchmark.released': OfTask.extend({ behind: z.uuid().optional() }),
  /**
   * The target models of an open round changed, or a model entered or left the loop of the task.
   */
  'loop.changed': OfTask,
  'round.opened': OfRound,
  /** The round takes no more examples, and the steps of its closing run. */
  'round.closing': OfRound,
  /** Every step of the closing is done: datasets, scores and loop. */
  'round.closed': OfRound,
  /** A deployment was given up. Another model may replace its model in the loop. */
  'placement.failed': OfDeployment,
  'annotation.submitted': OfAnnotation,
  'annotation.retracted': OfAnnotation,
  'validation.answered': OfAnnotation,
  /** The validators reached a consensus, or an owner decided. */
  'annotation.decided': OfAnnotation,
  /** A user confirms an address of mail by a link. */
  'mail.confirmation': z.object({ confirmationId: z.uuid() }),
  'webhook.due': z.object({ deliveryId: z.uuid() }),
} as const satisfies Readonly<Record<string, z.ZodObject>>;

export type EventName = keyof typeof EVENTS;

/** The payloads of the events by their names. */
export type EventMap = { readonly [E in EventName]: Readonly<z.infer<(typeof EVENTS)[E]>> };

/** An event with its payload. */
export type DomainEvent = {
  readonly [E in EventName]: { readonly type: E; readonly payload: EventMap[E] };
}[EventName];

/**
 * Parses a stored event.
 * @returns undefined if this version knows no such event
 * @throws ZodError if the payload is another one
 */
export function parseEvent({
  type,
  payload,
}: {
  readonly type: string;
  readonly payload: unknown;
}): DomainEvent | undefined {
  if (!Object.hasOwn(EVENTS, type)) return undefined;
  return { type, payload: EVENTS[type as EventName].parse(payload) } as DomainEvent;
}
