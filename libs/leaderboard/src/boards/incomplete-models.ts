import { type LeaderboardView } from '@assay/contracts/boards';
import { isCostMetric, isPerturbationMetric } from '@assay/contracts/metrics';
import { FAILURES, type FailureCode } from '@assay/contracts/models';
import { incompleteRows } from '@assay/scoring/board';
import { perturbationOf } from './board-cells.js';
import { type BoardDataset, type BoardModel, NOT_YET } from './board-content.js';
import { isCompared, isScoring } from './score-matrix.js';
import type { WeighedBoard } from './weighed-board.js';

type Missing = LeaderboardView['incomplete'][number]['missing'];

/** Returns the models without a rank, with what each lacks and why. */
export function incompleteModels(weighed: WeighedBoard): LeaderboardView['incomplete'] {
  const { content, places } = weighed.scores;
  const complete = weighed.ranking.order.length + (weighed.below?.order.length ?? 0) + weighed.leftOut;
  if (complete === content.models.length) return [];
  const scoring = content.datasets.filter(isScoring);
  const weighing = scoring.filter((dataset) => (weighed.datasetWeights[dataset.name] ?? 0) > 0);
  return incompleteRows(weighed.board, weighed.effective).map(({ id, missing: metrics }) => {
    const model = content.models[places.get(id)!]!;
    const missing =
      weighing.length > 0
        ? weighing.flatMap((dataset) => whyIncomplete(weighed, model, dataset, metrics))
        : scoring.map((dataset) => tooSmall(dataset, content.aggregate.minimumExamples));
    return { model: { id, name: model.name, owner: model.owner }, pending: model.pending, missing };
  });
}

const tooSmall = ({ name, examples }: BoardDataset, minimum: number) => ({
  dataset: name,
  why: `its ${examples} examples are too few to rank; the task requires ${minimum} (aggregate.minimumExamples)`,
});

function whyIncomplete(
  weighed: WeighedBoard,
  model: BoardModel,
  dataset: BoardDataset,
  metrics: readonly string[],
): Missing {
  const { name } = dataset;
  const cell = model.cells[name];
  if (!cell) return [{ dataset: name, why: reasonOf(model.missing[name] ?? NOT_YET) }];

  const { hardware } = weighed.scores;
  const lacking = metrics.filter((metric) => !dataset.undefinedMetrics?.includes(metric));
  const isForeign = !isCompared(model, hardware);
  const foreign = isForeign ? lacking.filter(isCostMetric) : [];
  const isThere = (metric: string): boolean => Number.isFinite(cell[metric]?.value);
  const absent = lacking.filter((metric) => !isThere(metric) && !(isForeign && isCostMetric(metric)));
  const isOwn = model.own?.includes(name) === true && weighed.rankable.ownRounds === 'adjust';
  const unfitted = isOwn ? lacking.filter((metric) => isThere(metric) && !isCostMetric(metric)) : [];
  return [
    ...absentWords(model, name, absent),
    ...(foreign.length > 0
      ? [`no ${foreign.join(', ')}: measured on ${model.hardware!}, while the board compares costs on ${hardware!}`]
      : []),
    ...(unfitted.length > 0
      ? [`no ${unfitted.join(', ')}: collected against this model, and too few other scores to estimate it from`]
      : []),
  ].map((why) => ({ dataset: name, why }));
}

/**
 * Returns the public reason for a stored one. Old revisions store `code: message`, which reveals
 * more about a failure than everybody may read.
 */
function reasonOf(stored: string): string {
  const [, code = ''] = /^([a-z_]+): /.exec(stored) ?? [];
  return Object.hasOwn(FAILURES, code) ? FAILURES[code as FailureCode].reason : stored;
}

/**
 * Explains why metrics are absent from an existing cell: one sentence for each perturbation, and
 * one for all others.
 */
function absentWords(model: BoardModel, dataset: string, absent: readonly string[]): string[] {
  const groups = Map.groupBy(absent, (metric) => (isPerturbationMetric(metric) ? perturbationOf(metric) : ''));
  return Array.from(groups, ([kind, metrics]) => {
    const missing = model.missing[`${dataset}~${kind}`];
    const reason =
      (missing === undefined ? undefined : reasonOf(missing)) ??
      (model.kind === 'predictions'
        ? 'predictions were uploaded, so no model ran'
        : kind === ''
          ? 'too few requests, or it was not measured'
          : 'nothing was scored on the perturbed examples');
    return `no ${metrics.join(', ')}: ${reason}`;
  });
}
