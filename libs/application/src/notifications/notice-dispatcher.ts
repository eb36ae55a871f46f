import { awardBadges, awardForDecision, awardForFirstOfDay } from '@assay/collection/people';
import { type DomainEvent, parseEvent } from '@assay/contracts/webhooks';
import type { Jobs } from '@assay/jobs';
import { notify, enqueueConfirmations, enqueueMails, UserNotification } from '@assay/notifications';
import type { OutboxRecord } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { noticesOf, type AddressedNotice } from './notices-of.js';

/**
 * Turns outbox events into notifications and badges. Idempotent, and independent of the order of
 * events.
 */
export class NoticeDispatcher {
  /** @param mails whether this installation sends mail */
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue'>,
    private readonly mails: boolean,
  ) {}

  /**
   * Handles an event of an `OutboxRelay`.
   * @throws JobsUnavailable, so that the event is delivered again
   */
  readonly dispatch = async (record: OutboxRecord): Promise<void> => {
    const event = parseEvent(record);
    if (!event) return;
    const em = this.em.fork();
    if (event.type === 'mail.confirmation' && this.mails) await enqueueConfirmations(em, this.jobs);
    const tellings = await noticesOf(em, event, record.id);
    await award(em, event, tellings);
    for (const telling of tellings) await this.tell(em, telling);
  };

  private async tell(em: EntityManager, telling: AddressedNotice): Promise<void> {
    const { notice, users } = telling;
    if (!(await isNews(em, telling))) return;
    await notify(em, notice, users);
    if (this.mails) await enqueueMails(em, this.jobs, notice.key);
  }
}

async function isNews(
  em: EntityManager,
  { notice: { kind, key, data }, users, about }: AddressedNotice,
): Promise<boolean> {
  if (about === undefined) return true;
  const last = await em.findOne(
    UserNotification,
    { user: { $in: [...users] }, key: { $like: `${about}%`, $ne: key } },
    { orderBy: { id: 'desc' } },
  );
  return last?.kind !== kind || last.data.why !== data.why;
}

async function award(em: EntityManager, event: DomainEvent, tellings: readonly AddressedNotice[]): Promise<void> {
  switch (event.type) {
    case 'model.settled':
    case 'board.published':
    case 'loop.changed': {
      const earning = tellings.filter(({ notice }) => notice.kind !== 'loop_left');
      return awardBadges(
        em,
        earning.flatMap(({ users }) => users),
      );
    }
    case 'annotation.submitted':
      return awardForFirstOfDay(em, event.payload.annotationId);
    case 'annotation.decided':
    case 'validation.answered':
      return awardForDecision(em, event.payload.annotationId);
    default:
  }
}
