import type { CollectionGroup, CollectionNumbers, ModelReference, NumbersBy } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { isFailedUpload, mayManage, Model } from '@assay/submissions';
import { ownsTask, Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Pseudonyms } from '../people/pseudonyms.js';
import { type RoundAgreement, roundAgreement } from '../validating/round-agreement.js';
import { figuresOf, NO_FIGURES } from './collection-figures.js';
import { type FiguresAsked, type FiguresRow, groupedFigures } from './grouped-figures.js';
import { SlowAnswers } from './slow-answers.js';

/** Slices of fewer examples are for the owner of a task alone, as they are on boards. */
const FEWEST_OF_A_TAG = 10;
const KEPT_AGREEMENTS = 1000;
/** Rows of what is kept. */
const KEPT_ROWS = 50_000;

/** Who asks for numbers, and what of. */
interface Request {
  readonly principal: Principal | null;
  readonly task: Task;
  readonly by?: NumbersBy | undefined;
}

/** How collecting goes: counts, error rates with intervals, times. Checks that an owner has put in are part of none. */
@Injectable()
export class CollectionNumbersService {
  private readonly counted = new SlowAnswers<readonly FiguresRow[]>(KEPT_ROWS, (rows) => rows.length + 1);

  private readonly agreements = new SlowAnswers<{ readonly agreement: RoundAgreement | null }>(
    KEPT_AGREEMENTS,
    () => 1,
  );

  constructor(
    private readonly em: EntityManager,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /** Over all rounds of a task. By target, rounds that are not closed are left out but for its owner. */
  async ofTask(request: Request): Promise<CollectionNumbers> {
    const rounds = await this.em.find(Round, { task: request.task }, { orderBy: { number: 'asc' } });
    const isTold = (round: Round): boolean => mayTellTargets(request, round);
    const view = await this.numbers(request, rounds, rounds.filter(isTold));
    const leftOut = rounds.filter((round) => !isTold(round)).map(({ number }) => number);
    return { ...view, leftOut: { ...view.leftOut, rounds: leftOut } };
  }

  /**
   * @throws DomainError `targets_hidden` for numbers by target of a round that is not closed, but to the owner of the task; not found for a round
   * that is not there
   */
  async ofRound(request: Request, number: number): Promise<CollectionNumbers> {
    const { task } = request;
    const round = await this.em.findOne(Round, { task, number });
    if (!round) throw DomainError.notFound('round');
    if (!mayTellTargets(request, round)) {
      const message = `Round ${number} is not closed: until then only the owner of "${task.slug}" sees numbers by target.`;
      throw new DomainError('forbidden', 'targets_hidden', message);
    }
    const [view, agreement] = await Promise.all([this.numbers(request, [round], [round]), this.agreement(round)]);
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
    // one statement gives total and groups where both are of the same annotations
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

  /** Annotators one by one are for the owner of the task; anybody else sees themselves. */
  private ownAlone({ principal, task, by }: Request): string | undefined {
    if (by !== 'annotator' || ownsTask(principal, task)) return undefined;
    if (principal) return this.pseudonyms.of(task.id, principal.userId);
    throw new DomainError('unauthenticated', 'sign_in', 'Sign in to see your own numbers among those of annotators.');
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
        return { key: keyOf(row), ...(model && { model }), ...figuresOf(row) };
      })
      .toSorted(byKey);
  }

  /** Those that the principal may see, by id. */
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

  private async agreement(round: Round): Promise<CollectionNumbers['agreement']> {
    const { agreement } = await this.agreements.get(round.id, async () => {
      const em = this.em.fork();
      const read = await em.findOneOrFail(Round, round.id, { populate: ['task'] });
      return { agreement: await roundAgreement(em, read) };
    });
    return agreement;
  }

  private async rows(asked: FiguresAsked): Promise<readonly FiguresRow[]> {
    return this.counted.get(JSON.stringify(asked), () => groupedFigures(this.em, asked));
  }
}

/** While people write and validate in a round they must not learn which model is which. */
const mayTellTargets = ({ principal, task, by }: Request, round: Round): boolean =>
  by !== 'target' || round.state === 'closed' || ownsTask(principal, task);

/** Numbers as numbers; none comes last. */
const byKey = ({ key: one }: CollectionGroup, { key: other }: CollectionGroup): number =>
  one === null || other === null
    ? Number(one === null) - Number(other === null)
    : one.localeCompare(other, 'en', { numeric: true });
