/** The data of each queue's jobs: ids, never content. */
export interface JobMap {
  /** A run that checks a predictions file or stores its answers. It needs no sandbox. */
  predictions: { readonly runId: string; readonly stage: 'admission' | 'evaluation' };
  /** Score the answers of a model to one dataset version. */
  answers: { readonly taskId: string; readonly evaluationId: string };
  /** Sign the current results of a model. */
  sign: { readonly modelId: string };
  /** Publish the task's board again if it has changed, then promote models. */
  publish: { readonly taskId: string };
  /**
   * Rescore, from stored predictions, the task's evaluations whose scores are not from its current
   * definition.
   */
  score: { readonly taskId: string };
  /** Advance a round: close it if its turning rule says so, or continue its closing. */
  round: { readonly roundId: string };
  /** Send a notification by mail, or a link that confirms an address. */
  mail: { readonly notificationId: string } | { readonly confirmationId: string };
  /** Post an event to a webhook. */
  webhook: { readonly deliveryId: string };
}

export type QueueName = keyof JobMap;

export const QUEUES = [
  'predictions',
  'answers',
  'sign',
  'publish',
  'score',
  'round',
  'mail',
  'webhook',
] as const satisfies readonly QueueName[];
