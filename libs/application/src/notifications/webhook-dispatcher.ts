import { type DeliveredKind, type DomainEvent, parseEvent, type WebhookKind } from '@assay/contracts/webhooks';
import type { Jobs } from '@assay/jobs';
import { newId } from '@assay/kernel';
import { bodyOf, WebhookDelivery, enqueueEvent, Webhook } from '@assay/notifications/webhooks';
import type { OutboxRecord } from '@assay/persistence/outbox';
import { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { noticesOf, type AddressedNotice } from './notices-of.js';

/** An event for the webhooks of some users. */
interface Occurrence {
  readonly kind: WebhookKind;
  /** Identifies the occurrence: a webhook gets at most one delivery with this key. */
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly users: readonly string[];
  /** As in `AddressedNotice`. */
  readonly about?: string;
}

/**
 * Turns outbox events into deliveries, and enqueues them. Idempotent, and independent of the order
 * of events: an existing delivery keeps its ID.
 */
export class WebhookDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue'>,
  ) {}

  /**
   * Handles an event of an `OutboxRelay`.
   * @throws JobsUnavailable, so that the event is delivered again
   */
  readonly dispatch = async (record: OutboxRecord): Promise<void> => {
    const event = parseEvent(record);
    if (!event) return;
    if (event.type === 'webhook.due') return enqueueEvent(this.jobs, event.payload.deliveryId, record.id);
    const em = this.em.fork();
    if ((await em.count(Webhook, { disabledAt: null })) === 0) return;
    for (const occurrence of await occurrencesOf(em, event, record.id)) {
      for (const id of await deliveriesOf(em, occurrence, new Date())) await enqueueEvent(this.jobs, id, record.id);
    }
  };
}

/**
 * Returns the events for users about their own models and examples, and for owners about their
 * tasks.
 */
async function occurrencesOf(em: EntityManager, event: DomainEvent, eventId: string): Promise<Occurrence[]> {
  const notices = await noticesOf(em, event, eventId);
  const told = await Array.fromAsync(notices, async (notice) => [...own(notice), ...(await ofTask(em, notice))]);
  if (event.type !== 'board.published') return told.flat();
  const { taskId, revision } = event.payload;
  const task = await em.findOneOrFail(Task, taskId);
  const data = { task: task.slug, revision };
  const key = `task:board:${taskId}:${revision}`;
  return [...told.flat(), { kind: 'task.board.published', key, data, users: [task.owner.id] }];
}

const KINDS = {
  model_finished: 'model.finished',
  model_failed: 'model.failed',
  model_incomplete: 'model.incomplete',
  loop_entered: 'loop.entered',
  loop_left: 'loop.left',
  example_decided: 'example.decided',
  round_opened: 'round.opened',
  round_closed: 'round.closed',
  webhook_disabled: null,
} as const satisfies Readonly<Record<AddressedNotice['notice']['kind'], WebhookKind | null>>;

function own({ notice: { kind, key, data }, users, about }: AddressedNotice): Occurrence[] {
  const own = KINDS[kind];
  return own === null ? [] : [{ kind: own, key, data: { ...data }, users, ...(about !== undefined && { about }) }];
}

/**
 * Returns the event for the owner of the task. Owners get the events of all models and rounds of
 * their tasks, but not of examples: those concern only the author and the validators.
 */
async function ofTask(
  em: EntityManager,
  { notice: { kind, key, data }, about }: AddressedNotice,
): Promise<Occurrence[]> {
  const own = KINDS[kind];
  if (own === null || own === 'example.decided' || data.task === undefined) return [];
  const task = await em.findOne(Task, { slug: data.task });
  if (!task) return [];
  const which = { kind: `task.${own}` as const, key: `task:${key}`, data: { ...data }, users: [task.owner.id] };
  return [{ ...which, ...(about !== undefined && { about: `task:${about}` }) }];
}

/**
 * Creates a delivery for each webhook that subscribes to the event and has none for it.
 * @returns the IDs of those that are still to be sent
 */
async function deliveriesOf(em: EntityManager, occurrence: Occurrence, now: Date): Promise<string[]> {
  const { kind, key, data, users } = occurrence;
  const webhooks = await em.find(Webhook, {
    user: { id: { $in: [...users] }, deletedAt: null, blockedAt: null, role: { $in: ['user', 'administrator'] } },
    disabledAt: null,
  });
  const subscribed = webhooks.filter(({ kinds }) => kinds.includes(kind));
  const news = await Array.fromAsync(subscribed, (webhook) => isNews(em, webhook, occurrence));
  const wanting = subscribed.filter((_, index) => news[index]);
  if (wanting.length === 0) return [];
  const body = bodyOf(kind, now, data);
  await em.upsertMany(
    WebhookDelivery,
    wanting.map(({ id }) => ({ id: newId(), webhook: id, kind, key, body, createdAt: now })),
    { onConflictFields: ['webhook', 'key'], onConflictAction: 'ignore' },
  );
  const made = await em.fork().find(WebhookDelivery, { webhook: { $in: wanting }, key, state: 'waiting' });
  return made.map(({ id }) => id);
}

/**
 * Returns whether the event differs from the last one of this webhook about the same subject.
 * Scores on a dataset that was added later are not news.
 */
async function isNews(em: EntityManager, webhook: Webhook, { kind, key, data, about }: Occurrence): Promise<boolean> {
  if (about === undefined) return true;
  const before = { webhook, key: { $like: `${about}%`, $ne: key } };
  const last = await em.findOne(WebhookDelivery, before, { orderBy: { id: 'desc' } });
  return last?.kind !== (kind satisfies DeliveredKind) || last.body !== bodyOf(kind, saidAt(last), data);
}

const saidAt = ({ body }: WebhookDelivery): Date => new Date((JSON.parse(body) as { timestamp: string }).timestamp);
