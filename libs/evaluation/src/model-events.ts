import type { ModelEvent } from '@assay/contracts/models';
import { notifyChannel } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The notification channel for model events. The payload is a `ModelEventMessage` as JSON. */
export const MODEL_CHANNEL = 'assay_model';

/** A message about all models of `task` with this specification, or only about `model`. */
export interface ModelEventMessage {
  readonly specification: string | null;
  readonly task: string;
  readonly model?: string;
  readonly event: ModelEvent;
  /** The part of the event that everybody but the owner of the task may see, if that is less. */
  readonly disclosed?: ModelEvent;
}

// The payload of NOTIFY must be shorter than 8000 bytes. A character takes at most 4, and the rest
// of the message needs some space as well.
const LONGEST_SENTENCE = 1_500;

/**
 * Notifies the listeners when the transaction of `em` commits, or immediately outside a
 * transaction. The message is lost if nobody listens. Long failure messages are shortened.
 */
export async function notifyModels(em: EntityManager, message: ModelEventMessage): Promise<void> {
  const { event } = message;
  const short =
    event.type === 'state' && event.failure
      ? { ...event, failure: { ...event.failure, message: event.failure.message.slice(0, LONGEST_SENTENCE) } }
      : event;
  await notifyChannel(em, MODEL_CHANNEL, JSON.stringify({ ...message, event: short }));
}
