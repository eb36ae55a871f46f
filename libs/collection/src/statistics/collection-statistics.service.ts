import type { CollectionGroup, CollectionNumbers, NumbersBy } from '@assay/contracts/annotating';
import type { ModelReference } from '@assay/contracts/boards';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { isFailedUpload, mayManage, Model } from '@assay/submissions';
import { ownsTask, Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Pseudonyms } from '../people/pseudonyms.js';
import { type RoundAgreement, roundAgreement } from '../validating/round-agreement.js';
import {
  AnnotationStatisticsRepository,
  type FiguresAsked,
  type FiguresRow,
} from './annotation-statistics.repository.js';
import { figuresOf, NO_FIGURES } from './collection-figures.js';
import { CountVersionRepository } from './count-version.repository.js';
import { SlowAnswers } from './slow-answers.js';

/**
 * The minimum size of a tag's group. Smaller groups are shown only to the owner of the task, like
 * small slices on boards.
 */
const FEWEST_OF_A_TAG = 10;
const CACHED_AGREEMENTS = 1000;
/** The maximum number of cached rows. */
const CACHED_ROWS = 50_000;

/** A request for statistics: who asks, and for what. */
interface Request {
  readonly principal: Principal | null;
  readonly task: Task;
  readonly by?: NumbersBy | undefined;
}

/**
 * Computes statistics of the collection: counts, error rates with intervals, and times. Gold checks
 * are always excluded.
 */
@Injectable()
export class CollectionStatisticsService {
  private readonly counted = new SlowAnswers<readonly FiguresRow[]>(CACHED_ROWS, (rows) => rows.length + 1);

  private readonly agreements = new SlowAnswers<{ readonly agreement: RoundAgreement | null }>(
    CACHED_AGREEMENTS,
    () => 1,
  );

  constructor(
    private readonly em: EntityManager,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /**
   * Returns statistics over all rounds of a task. By target, rounds that are not closed are
   * excluded, unless the owner asks.
   */
  async ofTask(request: Request): Promise<CollectionNumbers> {
    const rounds = await this.em.find(Round, { task: request.task }, { orderBy: { number: 'asc' } });
    const isTold = (round: Round): boolean => mayTellTargets(request, round);
    const view = await this.numbers(request, rounds, rounds.filter(isTold));
    const leftOut = rounds.filter((round) => !isTold(round)).map(({ number }) => number);
    return { ...view, leftOut: { ...view.leftOut, rounds: leftOut } };
  }

  /**
   * Returns statistics of one round, with the agreement of its validators.
   * @throws DomainError `targets_hidden` for statistics by target of a round that is not closed,
   *   unless the owner of the task asks; `not_found` if there is no such round
   */
  async ofRound(request: Request, number: number): Promise<CollectionNumbers> {
    const { task } = request;
    const round = await this.em.findOneOrFail(Round, { task, number }, { failHandler: DomainError.missing('round') });
    if (!mayTellTargets(request, round)) {
      const message = `Round ${number} is not closed. Only the owner of "${task.slug}" sees its statistics by target.`;
      throw new DomainError('forbidden', 'targets_hidden', message);
    }
    const [view, agreement] = await Promise.all([this.numbers(request, [round], [round]), this.agreement(task, round)]);
    return { ...view, round: number, agreement };
  }

  private async numbers(
    request: Request,
    rounds: readonly Round[],
    grouped: readonly Round[],
  ): Promise<CollectionNumbers> {
    const { task, by } = request;
    const asked = (of: readonly Round[]) => of.map(({ id }) => id);
    const own = this.ownAlone(request);
    // one query returns both the total and the groups if both cover the same annotations
    const isOne = own === undefined && grouped.length === rounds.length;
    const rows = await this.rows({ rounds: asked(grouped), by, pseudonym: own });
    const total = isOne ? rows : await this.rows({ rounds: asked(rounds) });
    const whole = total.find((row) => row.whole);
    const shown = await this.groups(request, rows, rounds);
    const enough = shown.filter(
      ({ submitted }) => by !== 'tag' || ownsTask(request.principal, task) || submitted >= FEWEST_OF_A_TAG,
    );
    return {
      task: task.slug,
      ...(by && { by }),
      total: whole ? figuresOf(whole) : NO_FIGURES,
      groups: enough,
      leftOut: { rounds: [], groups: shown.length - enough.length },
    };
  }

  /**
   * Returns the pseudonym that statistics by annotator are restricted to: only the owner of the
   * task sees every annotator, everybody else only themselves.
   * @throws DomainError `sign_in`
   */
  private ownAlone({ principal, task, by }: Request): string | undefined {
    if (by !== 'annotator' || ownsTask(principal, task)) return undefined;
    if (principal) return this.pseudonyms.of(task.id, principal.userId);
    throw new DomainError('unauthenticated', 'sign_in', 'Sign in to see your own statistics by annotator.');
  }

  private async groups(
    request: Request,
    rows: readonly FiguresRow[],
    rounds: readonly Round[],
  ): Promise<CollectionGroup[]> {
    const { by } = request;
    if (!by) return [];
    const groups = rows.filter(({ whole }) => !whole);
    const models = by === 'target' ? await this.models(request, groups) : new Map<string, ModelReference>();
    const numbers = new Map(rounds.map(({ id, number }) => [id, String(number)]));
    const keyOf = ({ key }: FiguresRow): string | null => {
      if (key === null) return null;
      if (by === 'target') return models.has(key) ? key : null;
      return by === 'round' ? numbers.get(key)! : key;
    };
    return groups
      .map((row): CollectionGroup => {
        const model = row.key === null ? undefined : models.get(row.key);
        return { key: keyOf(row), ...(model && { model }), ...figuresOf(row, by === 'annotator') };
      })
      .toSorted(byKey);
  }

  /** Returns the models that the principal may see, by ID. */
  private async models(
    { principal, task }: Request,
    groups: readonly FiguresRow[],
  ): Promise<ReadonlyMap<string, ModelReference>> {
    const ids = groups.flatMap(({ key }) => key ?? []);
    const models = await this.em.find(Model, { id: { $in: ids } }, { populate: ['owner'] });
    const seen = models.filter(
      (model) =>
        (model.published && !model.withdrawn && !isFailedUpload(model)) ||
        ownsTask(principal, task) ||
        mayManage(principal, model),
    );
    return new Map(seen.map(({ id, name, owner }) => [id, { id, name, owner: owner.username }]));
  }

  private async agreement(task: Task, round: Round): Promise<CollectionNumbers['agreement']> {
    const version = () => new CountVersionRepository(this.em.fork()).agreement(task, round.id);
    const { agreement } = await this.agreements.get(round.id, version, async () => {
      const em = this.em.fork();
      const read = await em.findOneOrFail(Round, round.id, { populate: ['task'] });
      return { agreement: await roundAgreement(em, read) };
    });
    return agreement;
  }

  private async rows(asked: FiguresAsked): Promise<readonly FiguresRow[]> {
    const version = () => new CountVersionRepository(this.em.fork()).examples(asked.rounds);
    const make = () => new AnnotationStatisticsRepository(this.em).grouped(asked);
    return this.counted.get(JSON.stringify(asked), version, make);
  }
}

/**
 * Returns whether statistics by target may be shown. People who write and validate in a round must
 * not learn which model is which.
 */
const mayTellTargets = ({ principal, task, by }: Request, round: Round): boolean =>
  by !== 'target' || round.state === 'closed' || ownsTask(principal, task);

/** Sorts numerically where keys contain numbers. The key null comes last. */
const byKey = ({ key: one }: CollectionGroup, { key: other }: CollectionGroup): number =>
  one === null || other === null
    ? Number(one === null) - Number(other === null)
    : one.localeCompare(other, 'en', { numeric: true });
