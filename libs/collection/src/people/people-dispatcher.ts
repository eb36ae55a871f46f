import { type DomainEvent, parseEvent } from '@assay/contracts';
import type { Jobs } from '@assay/jobs';
import type { OutboxRecord } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { Validation } from '../validating/validation.js';
import { awardBadges } from './badges.service.js';
import { notify, enqueueConfirmations, enqueueMails } from './notices.js';
import { noticesOf, type AddressedNotice } from './notices-of.js';
import { UserNotification } from './user-notification.js';

/**
 * Turns outbox events into notifications and badges. Idempotent, and independent of the order of
 * events.
 */
export class PeopleDispatcher {
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
      return firstOfTheDay(em, event.payload.annotationId);
    case 'annotation.decided':
    case 'validation.answered':
      return decidedByNow(em, event.payload.annotationId);
    default:
  }
}

/**
 * Awards badges to the author of the first example of a UTC day: only that one extends a streak.
 */
async function firstOfTheDay(em: EntityManager, annotationId: string): Promise<void> {
  const [row] = await em.execute<{ annotator: string }[]>(
    `select a.annotator_id as annotator from annotation a where a.id = ? and a.annotator_id is not null and not exists (
       select 1 from annotation other where other.annotator_id = a.annotator_id and other.id < a.id and other.retracted_at is null
          and other.created_at >= date_trunc('day', a.created_at at time zone 'UTC') at time zone 'UTC')`,
    [annotationId],
  );
  if (row) await awardBadges(em, [row.annotator]);
}

/**
 * Awards badges to the author and the validators of a decided example. A validation agrees with
 * nothing before the decision.
 */
async function decidedByNow(em: EntityManager, annotationId: string): Promise<void> {
  const annotation = await em.findOne(Annotation, annotationId);
  if (annotation && annotation.outcome !== 'pending') await awardBadges(em, await peopleOf(em, annotation));
}

async function peopleOf(em: EntityManager, annotation: Annotation): Promise<string[]> {
  const validations = await em.find(Validation, { annotation, validator: { $ne: null } });
  return [annotation.annotator, ...validations.map(({ validator }) => validator)].flatMap((user) => user?.id ?? []);
}
