import type { AppealList, AppealView, ExampleFate, MyExamples } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { DomainError, firstPage } from '@assay/kernel';
import { ifDuplicate } from '@assay/persistence/queries';
import type { Task } from '@assay/tasks';
import { EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { takesValidations } from '../validating/validated-rounds.js';
import { ValidationRepository } from '../validating/validation.repository.js';
import { Appeal } from './appeal.js';

interface WhichExamples {
  /** The slug of a task. */
  readonly task?: string | undefined;
  readonly round?: number | undefined;
  readonly outcome?: ExampleFate | undefined;
  readonly limit: number;
  /** The ID of the last example of the previous page. */
  readonly cursor?: string | undefined;
}

interface WhichAppeals {
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
    const { items, ...next } = firstPage(found, which, ({ id }) => id);
    return { items: await exampleViews(em, items), ...next };
  }

  /**
   * Stores an appeal against the decision on an example.
   * @throws DomainError `round_closed`, `nothing_to_appeal`, `appealed_already`; `not_found` if the
   *   user is not the author
   */
  async appeal(userId: string, annotationId: string, reason: string, now = new Date()): Promise<AppealView> {
    const em = this.em.fork();
    const annotation = await em.findOneOrFail(
      Annotation,
      { id: annotationId, annotator: userId },
      { populate: ['round'], failHandler: DomainError.missing('example of yours') },
    );
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
    await em.flush().catch(ifDuplicate(appealedAlready));
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
    const { items: shown, ...next } = firstPage(wanted, which, ({ annotation }) => annotation.id);
    const views = await exampleViews(
      em,
      shown.map(({ annotation }) => annotation),
    );
    const items = views.map(({ mayAppeal: _, ...view }, index) => ({
      ...view,
      appeal: appealView(shown[index]!),
      pseudonym: shown[index]!.annotation.pseudonym,
    }));
    return { items, ...next };
  }
}

function ofFate(fate: ExampleFate | undefined): FilterQuery<Annotation> {
  if (fate === undefined) return {};
  return fate === 'retracted' ? { retractedAt: { $ne: null } } : { retractedAt: null, outcome: fate };
}

const appealedAlready = (): DomainError =>
  new DomainError('conflict', 'appealed_already', 'You have already appealed for this example. The owner decides.');

type ExampleView = MyExamples['items'][number];

const NO_VERDICTS = { verdicts: { correct: 0, incorrect: 0, flagged: 0 }, reasons: [] };

/**
 * Returns annotations as their author and the owner of the task see them: with the verdicts of
 * validators, but without the names of validators.
 */
async function exampleViews(
  em: EntityManager,
  annotations: readonly Annotation[],
  now = new Date(),
): Promise<ExampleView[]> {
  const ids = annotations.map(({ id }) => id);
  const verdicts = await new ValidationRepository(em).verdicts(ids);
  const appeals = await em.find(Appeal, { annotation: { $in: ids } }, { populate: ['annotation'] });
  return annotations.map((annotation): ExampleView => {
    const appeal = appeals.find((each) => each.annotation.id === annotation.id) ?? null;
    return {
      id: annotation.id,
      task: annotation.round.task.slug,
      round: annotation.round.number,
      input: { ...annotation.input },
      authorLabel: [...annotation.authorLabel],
      label: [...annotation.label],
      fooled: annotation.fooled ?? null,
      fate: annotation.retractedAt ? 'retracted' : annotation.outcome,
      decidedByOwner: annotation.decidedByOwner,
      createdAt: annotation.createdAt.toISOString(),
      decidedAt: annotation.decidedAt?.toISOString() ?? null,
      ...(verdicts.get(annotation.id) ?? NO_VERDICTS),
      appeal: appeal && appealView(appeal),
      mayAppeal: !appeal && isAppealable(annotation, now),
    };
  });
}

/**
 * Returns whether the author may appeal: validators or the owner decided otherwise than the author
 * meant, and the round still takes validations.
 */
function isAppealable(annotation: Annotation, now: Date): boolean {
  const { outcome, retractedAt, round, authorLabel, label } = annotation;
  if (retractedAt || !takesValidations(round, now) || outcome === 'pending') return false;
  return outcome !== 'validated' || JSON.stringify(authorLabel) !== JSON.stringify(label);
}

const appealView = (appeal: Appeal): ExampleView['appeal'] & object => ({
  reason: appeal.reason,
  at: appeal.createdAt.toISOString(),
  answeredAt: appeal.answeredAt()?.toISOString() ?? null,
});
