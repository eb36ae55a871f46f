import type { Jobs } from '@assay/jobs';
import type { OutboxRecord } from '@assay/persistence';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Annotation } from '../annotating/annotation.js';
import { Validation } from '../validating/validation.js';
import { audienceOf, type LoopMove, loopMoves } from './audience.js';
import { awardBadges } from './badges.service.js';
import { type Notice, notify, ringForMails } from './notices.js';
import { UserNotification } from './user-notification.js';

const OfAnnotation = z.object({ annotationId: z.uuid() });
const OfRound = z.object({ roundId: z.uuid() });
const OfTask = z.object({ taskId: z.uuid() });
const OfModel = z.object({ modelId: z.uuid(), state: z.enum(['scored', 'failed']) });

/** Turns events of the outbox into notifications and badges. Bears repetition, and any order. */
export class PeopleDispatcher {
  /** @param mails whether mail is sent at all */
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue'>,
    private readonly mails: boolean,
  ) {}

  /** A handler of an `OutboxRelay`. @throws JobsUnavailable, so that the event is told again */
  readonly dispatch = async (event: OutboxRecord): Promise<void> => {
    const em = this.em.fork();
    switch (event.type) {
      case 'model.settled':
        return this.modelSettled(em, event.id, OfModel.parse(event.payload));
      case 'board.published':
      case 'loop.changed':
        return this.loopChanged(em, OfTask.parse(event.payload).taskId);
      case 'round.opened':
      case 'round.closed':
        return this.roundTurned(em, event.type, OfRound.parse(event.payload).roundId);
      case 'annotation.submitted':
        return firstOfTheDay(em, OfAnnotation.parse(event.payload).annotationId);
      case 'annotation.decided':
        return this.exampleDecided(em, OfAnnotation.parse(event.payload).annotationId);
      case 'validation.answered':
        return answeredLater(em, OfAnnotation.parse(event.payload).annotationId);
    }
  };

  private async tell(em: EntityManager, notice: Notice, userIds: readonly string[]): Promise<void> {
    await notify(em, notice, userIds);
    if (this.mails) await ringForMails(em, this.jobs, notice.key);
  }

  /** Scores on a dataset that came later are no news: a model is told of when it comes out otherwise than it did last. */
  private async modelSettled(em: EntityManager, event: string, settled: z.infer<typeof OfModel>): Promise<void> {
    const model = await em.findOne(Model, settled.modelId, { populate: ['task'] });
    if (!model) return;
    const { id, name, task, owner } = model;
    await awardBadges(em, [owner.id]);
    const kind = settled.state === 'scored' ? 'model_finished' : 'model_failed';
    const key = `model:${id}:${event}`;
    const last = await em.findOne(
      UserNotification,
      { user: owner, key: { $like: `model:${id}:%`, $ne: key } },
      { orderBy: { id: 'desc' } },
    );
    const why = settled.state === 'failed' ? model.failure?.message : undefined;
    if (last?.kind === kind && last.data.why === why) return;
    const data = { task: task.slug, model: { id, name }, ...(why !== undefined && { why }) };
    await this.tell(em, { kind, key, data }, [owner.id]);
  }

  private async loopChanged(em: EntityManager, taskId: string): Promise<void> {
    const task = await em.findOne(Task, taskId);
    if (!task) return;
    const { entered, left } = await loopMoves(em, taskId);
    for (const move of entered) await this.tell(em, moveNotice('loop_entered', task, move), [move.owner]);
    for (const move of left) await this.tell(em, moveNotice('loop_left', task, move), [move.owner]);
    await awardBadges(
      em,
      entered.map(({ owner }) => owner),
    );
  }

  private async roundTurned(em: EntityManager, event: 'round.opened' | 'round.closed', roundId: string): Promise<void> {
    const round = await em.findOne(Round, roundId, { populate: ['task'] });
    if (!round) return;
    const { task, number } = round;
    const kind = event === 'round.opened' ? 'round_opened' : 'round_closed';
    const notice = { kind, key: `${kind}:${roundId}`, data: { task: task.slug, round: number } } as const;
    await this.tell(em, notice, await audienceOf(em, task.id));
  }

  private async exampleDecided(em: EntityManager, annotationId: string): Promise<void> {
    const annotation = await em.findOne(Annotation, annotationId, { populate: ['round.task'] });
    if (!annotation) return;
    await awardBadges(em, await peopleOf(em, annotation));
    const { annotator, round, outcome, decidedAt, isCheck } = annotation;
    if (!annotator || isCheck || outcome === 'pending') return;
    const data = { task: round.task.slug, round: round.number, annotation: annotationId, outcome };
    const key = `example:${annotationId}:${decidedAt?.toISOString() ?? ''}`;
    await this.tell(em, { kind: 'example_decided', key, data }, [annotator.id]);
  }
}

function moveNotice(kind: 'loop_entered' | 'loop_left', task: Task, { id, model, name, round, why }: LoopMove): Notice {
  return {
    kind,
    key: `${kind}:${id}`,
    data: {
      task: task.slug,
      model: { id: model, name },
      ...(round !== null && { round }),
      ...(why !== null && { why }),
    },
  };
}

/** A streak grows with the first example of a day alone. */
async function firstOfTheDay(em: EntityManager, annotationId: string): Promise<void> {
  const [row] = await em.execute<{ annotator: string }[]>(
    `select a.annotator_id as annotator from annotation a where a.id = ? and a.annotator_id is not null and not exists (
       select 1 from annotation other where other.annotator_id = a.annotator_id and other.id < a.id and other.retracted_at is null
          and other.created_at >= date_trunc('day', a.created_at at time zone 'UTC') at time zone 'UTC')`,
    [annotationId],
  );
  if (row) await awardBadges(em, [row.annotator]);
}

/** Before the fate of the example is decided, an answer agrees with nothing yet. */
async function answeredLater(em: EntityManager, annotationId: string): Promise<void> {
  const annotation = await em.findOne(Annotation, annotationId);
  if (annotation && annotation.outcome !== 'pending') await awardBadges(em, await peopleOf(em, annotation));
}

async function peopleOf(em: EntityManager, annotation: Annotation): Promise<string[]> {
  const validations = await em.find(Validation, { annotation, validator: { $ne: null } });
  return [annotation.annotator, ...validations.map(({ validator }) => validator)].flatMap((user) => user?.id ?? []);
}
