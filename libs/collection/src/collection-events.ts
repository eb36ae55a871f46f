import { Outbox } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';

/** What this context tells in the outbox, and what each event carries: ids, never content. */
export interface CollectionEvents {
  'round.opened': { readonly roundId: string };
  /** Nothing more is taken; what follows is under way. */
  'round.closing': { readonly roundId: string };
  /** All is done: datasets, scores, loop. */
  'round.closed': { readonly roundId: string };
  /** The models in the loop of an open round are others now, or a model came into or left the loop of the task. */
  'loop.changed': { readonly taskId: string };
  /** A placement waits for an evaluator. */
  'placement.wanted': { readonly placementId: string };
  /** A model was given up: another may take its place in the loop. */
  'placement.failed': { readonly placementId: string };
  'annotation.submitted': { readonly annotationId: string };
  'annotation.retracted': { readonly annotationId: string };
  'validation.answered': { readonly annotationId: string };
  /** Validators agreed, or an owner decided. */
  'annotation.decided': { readonly annotationId: string };
}

/** Tells an event if and only if the transaction of `em` commits. */
export function tell<E extends keyof CollectionEvents>(
  em: EntityManager,
  event: E,
  payload: CollectionEvents[E],
): void {
  Outbox.add(em, event, payload);
}
