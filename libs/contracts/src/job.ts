import type { Origin } from './origin.js';

/** What each queue carries: ids, never content. */
export interface JobMap {
  /** A run whose artifact is to be inspected and rebuilt first. */
  admission: { readonly runId: string };
  /** A run whose missing evaluations are to be filled. */
  run: { readonly runId: string };
  /** Publish the board of a task anew, then promote. */
  publish: { readonly taskId: string };
  /** Score anew, from stored predictions, the evaluations of a task whose scores are not of its present definition. */
  score: { readonly taskId: string };
  /** Take the next steps of a round: turn it where its rule says so, or go on with its closing. */
  round: { readonly roundId: string };
  /** Start a model in the loop, so that people can write against it. */
  placement: { readonly placementId: string };
  /** Send a notification by mail, or a link that confirms the address. */
  mail: { readonly notificationId: string } | { readonly confirmationId: string };
  /** Post an event to a webhook. */
  webhook: { readonly deliveryId: string };
}

/** The data of a job as it lies in the queue. */
export type JobData<Q extends QueueName> = JobMap[Q] & { readonly origin?: Origin };

export type QueueName = keyof JobMap;
export const QUEUES = [
  'admission',
  'run',
  'publish',
  'score',
  'round',
  'placement',
  'mail',
  'webhook',
] as const satisfies readonly QueueName[];
