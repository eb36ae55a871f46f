import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import type { Principal } from '@assay/identity';
import { compareRounded } from '@assay/scoring/comparison';
import { type PairedSpread, spreadOf } from '@assay/scoring/planner';
import { type Model, ModelsService } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AnswersUnreadable } from './answered-rows.js';
import { type ComparableCells, comparableCells } from './comparable-cells.js';
import { DatasetDifferences } from './dataset-differences.js';
import { readableEvaluations } from './pair-differences.js';
import { roundedScores } from './rounded-differences.js';

/** Two models, with the spread of their difference on each dataset that ranks and that both answered. */
export interface PairSpreads {
  readonly a: Model;
  readonly b: Model;
  readonly datasets: readonly { readonly version: DatasetVersion; readonly spread: PairedSpread }[];
}

/** Estimates how far the differences of models in performance vary from example to example. */
@Injectable()
export class ModelSpreads {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly differences: DatasetDifferences,
  ) {}

  /**
   * Returns the spreads of each pair of models. Leaves out models that `principal` may not see, and
   * datasets that were collected against one of the two. Where `principal` sees rounded scores, the
   * spread comes from these alone.
   * @param ids the IDs of models of the task
   * @throws DomainError as `comparableCells`
   */
  async of(principal: Principal | null, task: Task, ids: readonly string[]): Promise<readonly PairSpreads[]> {
    const models: Model[] = [];
    for (const id of ids)
      models.push(...(await this.models.namedOf(task, principal, id)).filter((each) => each.id === id));
    if (models.length < 2) return [];
    const cells = await comparableCells(this.em, principal, task, models, undefined);
    const found = new Map<string, PairSpreads['datasets'][number][]>();
    for (const version of cells.versions) {
      if ((cells.weights.get(version.id) ?? 0) > 0) await this.addSpreads(found, cells, models, version);
    }
    return models.flatMap((a, place) =>
      models.slice(place + 1).map((b) => ({ a, b, datasets: found.get(pairKey(a, b)) ?? [] })),
    );
  }

  private async addSpreads(
    found: Map<string, PairSpreads['datasets'][number][]>,
    cells: ComparableCells,
    models: readonly Model[],
    version: DatasetVersion,
  ): Promise<void> {
    const others = models.filter((model) => !cells.isOwn(model, version));
    const readable = await readableEvaluations(this.differences, cells, version, others);
    const scored = [...readable.keys()];
    const spreads = await this.spreads(cells, version, [...readable.values()]);
    let next = 0;
    for (const [place, a] of scored.entries()) {
      for (const b of scored.slice(place + 1)) {
        const spread = spreads[next++];
        if (spread) found.set(pairKey(a, b), [...(found.get(pairKey(a, b)) ?? []), { version, spread }]);
      }
    }
  }

  /** Returns the spread of each pair of evaluations; none if answers cannot be read (any more). */
  private async spreads(
    cells: ComparableCells,
    version: DatasetVersion,
    evaluations: readonly Evaluation[],
  ): Promise<readonly (PairedSpread | null)[]> {
    if (evaluations.length < 2) return [];
    if (cells.isRounded(version)) return roundedSpreads(cells.definition, version, evaluations);
    try {
      return await this.differences.spreadsOf(cells.definition, version, evaluations);
    } catch (error) {
      if (error instanceof AnswersUnreadable) return [];
      throw error;
    }
  }
}

function roundedSpreads(
  { performance }: Pick<TaskDefinition, 'performance'>,
  version: DatasetVersion,
  evaluations: readonly Evaluation[],
): readonly (PairedSpread | null)[] {
  const { examples } = version;
  const scores = evaluations.map((evaluation) => roundedScores(evaluation, version).metrics?.[performance]);
  return scores.flatMap((a, place) =>
    scores
      .slice(place + 1)
      .map((b) => (a && b ? spreadOf(compareRounded(a, b, examples).difference, examples, examples) : null)),
  );
}

const pairKey = (a: Model, b: Model): string => `${a.id} ${b.id}`;
