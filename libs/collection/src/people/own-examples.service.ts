import type { AppealList, AppealView, ExampleFate, MyExamples } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { isUniqueViolation } from '@assay/persistence/queries';
import type { Task } from '@assay/tasks';
import { EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { takesValidations } from '../validating/validated-rounds.js';
import { Appeal } from './appeal.js';
import { appealView, exampleViews, isAppealable } from './example-views.js';

export interface WhichExamples {
  /** The slug of a task. */
  readonly task?: string | undefined;
  readonly round?: number | undefined;
  readonly outcome?: ExampleFate | undefined;
  readonly limit: number;
  /** The ID of the last example of the previous page. */
  readonly cursor?: string | undefined;
}

export interface WhichAppeals {
  readonly open?: boolean | undefined;
  readonly limit: number;
  /** The ID of the annotation of the last appeal of the previous page. */
  readonly cursor?: string | undefined;
}

/** Lists the examples that users wrote, with the decisions on them, and takes appeals. */
@Injectable()
export class OwnExamplesService {
  constructor(private readonly em: EntityManager) {}

  /** Lists a user's examples, the newest first. */
  async list(userId: string, which: WhichExamples): Promise<MyExamples> {
    const em = this.em.fork();
    const where: FilterQuery<Annotation>[] = [
      { annotator: { id: userId } },
      ofFate(which.outcome),
      which.cursor === undefined ? {} : { id: { $lt: which.cursor } },
      which.task === undefined ? {} : { round: { task: { slug: which.task } } },
      which.round === undefined ? {} : { round: { number: which.round } },
    ];
    const found = await em.find(
      Annotation,
      { $and: where },
      {
        orderBy: { id: 'desc' },
        limit: which.limit + 1,
        populate: ['round.task'],
      },
    );
    const shown = found.slice(0, which.limit);
    const last = shown.at(-1);
    return {
      items: await exampleViews(em, shown),
      ...(found.length > shown.length && last && { nextCursor: last.id }),
    };
  }

  /**
   * Stores an appeal against the decision on an example.
   * @throws DomainError `round_closed`, `nothing_to_appeal`, `appealed_already`; `not_found` if the
   *   user is not the author
   */
  async appeal(userId: string, annotationId: string, reason: string, now = new Date()): Promise<AppealView> {
    const em = this.em.fork();
    const annotation = await em.findOne(Annotation, { id: annotationId, annotator: userId }, { populate: ['round'] });
    if (!annotation) throw DomainError.notFound('example of yours');
    if ((await em.count(Appeal, { annotation })) > 0) throw appealedAlready();
    const { round } = annotation;
    if (!takesValidations(round, now)) {
      throw new DomainError(
        'conflict',
        'round_closed',
        `Round ${round.number} is closed and its examples are decided. ` +
          'It is too late to appeal. Contact the owner of the task.',
      );
    }
    if (!isAppealable(annotation, now)) {
      throw new DomainError(
        'conflict',
        'nothing_to_appeal',
        'You can appeal only if your example was rejected, flagged, relabelled or left undecided, ' +
          'and you have not retracted it.',
      );
    }
    const appeal = em.create(Appeal, { annotation, user: em.getReference(User, userId), reason });
    try {
      await em.flush();
    } catch (error) {
      if (isUniqueViolation(error)) throw appealedAlready();
      throw error;
    }
    return appealView(appeal);
  }

  /** Lists the appeals in a task, the oldest example first. */
  async appeals(task: Task, which: WhichAppeals): Promise<AppealList> {
    const em = this.em.fork();
    const found = await em.find(
      Appeal,
      { annotation: { round: { task: task.id }, ...(which.cursor !== undefined && { id: { $gt: which.cursor } }) } },
      { orderBy: { annotation: { id: 'asc' } }, populate: ['annotation.round.task'] },
    );
    const wanted = found.filter((appeal) => which.open === undefined || (appeal.answeredAt() === null) === which.open);
    const shown = wanted.slice(0, which.limit);
    const views = await exampleViews(
      em,
      shown.map(({ annotation }) => annotation),
    );
    const items = views.map(({ mayAppeal: _, ...view }, index) => ({
      ...view,
      appeal: appealView(shown[index]!),
      pseudonym: shown[index]!.annotation.pseudonym,
    }));
    const last = items.at(-1);
    return { items, ...(wanted.length > shown.length && last && { nextCursor: last.id }) };
  }
}

function ofFate(fate: ExampleFate | undefined): FilterQuery<Annotation> {
  if (fate === undefined) return {};
  return fate === 'retracted' ? { retractedAt: { $ne: null } } : { retractedAt: null, outcome: fate };
}

const appealedAlready = (): DomainError =>
  new DomainError('conflict', 'appealed_already', 'You have already appealed for this example. The owner decides.');
