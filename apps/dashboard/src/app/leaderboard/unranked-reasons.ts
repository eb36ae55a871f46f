import type { Leaderboard } from '@assay/api-client/angular';

type Incomplete = Leaderboard['incomplete'][number];

export interface UnrankedModel {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** The datasets that the reason applies to. Empty if the whole group shares them. */
  readonly datasets: string;
}

/** Models that have no rank for the same reason. */
export interface UnrankedGroup {
  readonly reason: string;
  /** The datasets that the reason applies to, if they are the same for all models. */
  readonly datasets: string;
  readonly models: readonly UnrankedModel[];
}

/** Groups unranked models by reason, largest group first. A model has a group for each reason. */
export function groupByReason(incomplete: readonly Incomplete[]): readonly UnrankedGroup[] {
  const groups = Map.groupBy(
    incomplete.flatMap(({ model, missing }) => reasonsOf(missing).map((each) => ({ ...model, ...each }))),
    ({ reason }) => reason,
  );
  return Array.from(groups, ([reason, models]) => group(reason, models)).sort(
    (a, b) => b.models.length - a.models.length,
  );
}

function group(reason: string, models: readonly UnrankedModel[]): UnrankedGroup {
  const isShared = models.every(({ datasets }) => datasets === models[0]!.datasets);
  return {
    reason: reason.charAt(0).toUpperCase() + reason.slice(1),
    datasets: isShared ? models[0]!.datasets : '',
    models: isShared ? models.map((model) => ({ ...model, datasets: '' })) : models,
  };
}

/** The reasons of one model, each with all datasets that it applies to. */
function reasonsOf(missing: Incomplete['missing']): readonly { readonly reason: string; readonly datasets: string }[] {
  const reasons = Map.groupBy(missing, ({ why }) => why);
  return Array.from(reasons, ([reason, all]) => ({ reason, datasets: all.map(({ dataset }) => dataset).join(', ') }));
}
