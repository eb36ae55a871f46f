import { Outbox } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * The events that this lib adds to the outbox, by type, with their payloads: IDs, never content.
 */
export interface CollectionEvents {
  'round.opened': { readonly roundId: string };
  /** The round takes no more examples, and the steps of its closing run. */
  'round.closing': { readonly roundId: string };
  /** Every step of the closing is done: datasets, scores and loop. */
  'round.closed': { readonly roundId: string };
  /**
   * The target models of an open round changed, or a model entered or left the loop of the task.
   */
  'loop.changed': { readonly taskId: string };
  /** A deployment waits for an evaluator. */
  'placement.wanted': { readonly placementId: string };
  /** A deployment was given up. Another model may replace its model in the loop. */
  'placement.failed': { readonly placementId: string };
  'annotation.submitted': { readonly annotationId: string };
  'annotation.retracted': { readonly annotationId: string };
  'validation.answered': { readonly annotationId: string };
  /** The validators reached a consensus, or an owner decided. */
  'annotation.decided': { readonly annotationId: string };
}

/** Emits an event through the outbox, if and only if the transaction of `em` commits. */
export function emit<E extends keyof CollectionEvents>(
  em: EntityManager,
  event: E,
  payload: CollectionEvents[E],
): void {
  Outbox.add(em, event, payload);
}
