import { type LeaderboardQuery, type LeaderboardView, MOST_AGAINST, type RowDifference } from '@assay/contracts/boards';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { familyVerdicts, type TestedDifference } from '@assay/scoring/comparison';
import { Model, ModelsService } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { BoardRevisionRepository } from '../boards/board-revision.repository.js';
import type { PublishedBoard } from '../boards/leaderboard-view.js';
import { LeaderboardService } from '../boards/leaderboard.service.js';
import { OFFICIAL, weigh } from '../boards/weighed-board.js';
import { comparableCells } from './comparable-cells.js';
import { comparedModels } from './compared-models.js';
import type { Pair } from './dataset-comparisons.js';
import { DatasetDifferences } from './dataset-differences.js';
import { betterOf, NO_DIFFERENCE, overallDifference } from './difference-views.js';
import { pairDifferences } from './pair-differences.js';
import { versionDifference, type VersionScores } from './version-difference.js';

/** The value of `against` that selects the previous benchmark version. */
const PREVIOUS = 'previous';

/** The difference of a row before it is corrected for the other rows. */
interface Compared {
  readonly tested: TestedDifference;
  readonly comparable: number;
}

type Against = NonNullable<LeaderboardView['against']>;

/** Compares the rows of a board with one model, or with the previous benchmark version. */
@Injectable()
export class BoardDifferences {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly boards: LeaderboardService,
    private readonly differences: DatasetDifferences,
  ) {}

  /**
   * Returns the board of a task as `principal` sees it, with the difference of each row in
   * performance.
   * @throws DomainError as `LeaderboardService.board`, `comparedModels` and `comparableCells`;
   * `too_many_rows`, `no_previous_version`
   */
  async board(
    task: Task,
    { against, limit = MOST_AGAINST, ...query }: LeaderboardQuery & { readonly against: string },
    principal: Principal | null,
  ): Promise<LeaderboardView> {
    if (limit > MOST_AGAINST) {
      const text = `At most ${MOST_AGAINST} rows can be compared at once. Set \`limit\` to ${MOST_AGAINST} or less.`;
      throw new DomainError('invalid', 'too_many_rows', text);
    }
    const view = await this.boards.board(task, { ...query, limit }, principal);
    return against === PREVIOUS
      ? this.withPrevious(task, view, principal)
      : this.withModel(task, view, principal, against);
  }

  private async withModel(
    task: Task,
    view: LeaderboardView,
    principal: Principal | null,
    name: string,
  ): Promise<LeaderboardView> {
    const [reference] = await comparedModels(this.models, principal, task, [name]);
    const ids = view.rows.map(({ model }) => model.id).filter((id) => id !== reference!.id);
    const found = await this.em.find(Model, { id: { $in: ids } });
    const pairs = found.map((model): Pair => [model, reference!]);
    const benchmark = `v${view.benchmarkVersion}`;
    const cells = await comparableCells(this.em, principal, task, [reference!, ...found], benchmark);
    const weightOf = new Map(view.datasets.map((each) => [each.name, each.weight]));
    const weights = new Map(
      cells.versions.flatMap(({ id, dataset }) =>
        dataset.perturbation ? [] : [[id, weightOf.get(dataset.name) ?? 0] as const],
      ),
    );
    const compared = await pairDifferences(this.differences, { ...cells, weights }, pairs);
    const byId = new Map(
      compared.pairs.map(({ pair, differences }): [string, Compared | null] => {
        const tested = overallDifference(differences);
        return [pair[0].id, tested && { tested, comparable: differences.length }];
      }),
    );
    const model = { id: reference!.id, name: reference!.name, owner: reference!.owner.username };
    return withDifferences(view, byId, compared.of, { model, metric: cells.definition.performance });
  }

  private async withPrevious(task: Task, view: LeaderboardView, principal: Principal | null): Promise<LeaderboardView> {
    const numbers = await new BoardRevisionRepository(this.em).benchmarkVersions(task.id);
    const number = numbers.filter((each) => each < view.benchmarkVersion).at(-1);
    if (number === undefined) {
      const text = `"${task.slug}" has no board of a benchmark version before ${view.benchmarkVersion}.`;
      throw new DomainError('conflict', 'no_previous_version', text);
    }
    const now = await this.boards.revision(task, `r${view.revision}`, principal);
    const before = await this.boards.revision(task, `v${number}`, principal);
    const { performance } = now.content;
    if (before.content.performance !== performance) {
      const text = `Benchmark version ${number} has another performance metric, ${before.content.performance}.`;
      throw new DomainError('conflict', 'no_previous_version', text);
    }
    const weights = Object.fromEntries(view.datasets.map((each) => [each.name, each.weight]));
    const weightsBefore = weigh(before.content, OFFICIAL).datasetWeights;
    const ranking = view.datasets.filter(({ weight }) => weight > 0);
    const byId = new Map(
      view.rows.map(({ model: { id } }): [string, Compared | null] => {
        const [scores, scoresBefore] = [scoresOf(now, weights, id), scoresOf(before, weightsBefore, id)];
        const tested = scores && scoresBefore && versionDifference(scores, scoresBefore);
        if (!tested) return [id, null];
        return [id, { tested, comparable: ranking.filter(({ name }) => !scores.own.includes(name)).length }];
      }),
    );
    return withDifferences(view, byId, ranking.length, { benchmarkVersion: number, metric: performance });
  }
}

/** Returns the performance of a model on a board; null if it is not on it. */
function scoresOf({ content }: PublishedBoard, weights: VersionScores['weights'], id: string): VersionScores | null {
  const model = content.models.find((each) => each.id === id);
  if (!model) return null;
  const scores = Object.entries(model.cells).map(([name, metrics]) => [name, metrics[content.performance]] as const);
  return { datasets: content.datasets, weights, scores: Object.fromEntries(scores), own: model.own ?? [] };
}

/** Adds the differences to the rows, corrected over those that are compared. */
function withDifferences(
  view: LeaderboardView,
  byId: ReadonlyMap<string, Compared | null>,
  of: number,
  against: Omit<Against, 'rows'>,
): LeaderboardView {
  const found = view.rows.map(({ model }) => byId.get(model.id) ?? null);
  const verdicts = familyVerdicts(found.map((each) => each?.tested ?? NO_DIFFERENCE));
  const direction = view.metrics.find(({ name }) => name === against.metric)!.direction;
  const differences = found.map((each, place): RowDifference | null => {
    if (!each) return null;
    const { holm, greater } = verdicts[place]!;
    const better = betterOf(direction, greater);
    const { difference, p } = each.tested;
    return {
      difference: { ...difference, standardError: difference.standardError ?? null },
      ...{ p, holm, verdict: better === null ? 'none' : better === 'a' ? 'better' : 'worse' },
      ...{ comparable: each.comparable, of },
    };
  });
  return {
    ...view,
    against: { ...against, rows: found.filter((each) => each !== null).length },
    rows: view.rows.map((row, place) => ({ ...row, against: differences[place]! })),
  };
}
