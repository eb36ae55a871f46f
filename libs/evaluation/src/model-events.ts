import type { ModelEvent } from '@assay/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The channel of what happens to models; the payload is a `ModelEventMessage` as JSON. */
export const MODEL_CHANNEL = 'assay_model';

/** Told to all models of `task` with that specification, or to the one that `model` names. */
export interface ModelEventMessage {
  readonly specification: string | null;
  readonly task: string;
  readonly model?: string;
  readonly event: ModelEvent;
}

// PostgreSQL refuses 8000 bytes; a character is at most 4, and the rest of the message needs a little
const LONGEST_SENTENCE = 1_500;

/** Tells whoever listens, once the transaction of `em` commits (at once outside of one). Lost where nobody listens. */
export async function tellModels(em: EntityManager, message: ModelEventMessage): Promise<void> {
  const { event } = message;
  const short =
    event.type === 'state' && event.failure
      ? { ...event, failure: { ...event.failure, message: event.failure.message.slice(0, LONGEST_SENTENCE) } }
      : event;
  await em.execute('select pg_notify(?, ?)', [MODEL_CHANNEL, JSON.stringify({ ...message, event: short })]);
}
