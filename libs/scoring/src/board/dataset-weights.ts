import { DomainError } from '@assay/kernel';
import { invalidWeight } from './board.js';

/** An active scoring dataset. */
export interface WeighedDataset {
  readonly name: string;
  readonly role: 'round' | 'static';
  /** The number of its round; only for role `round`. */
  readonly round?: number;
  readonly examples: number;
}

/** The `aggregate` settings of a task. */
export interface AggregateSettings {
  /** γ in (0, 1]: the weight of a round relative to the next newer one. */
  readonly recency: number;
  /** The joint share of the static sets, in [0, 1]. */
  readonly static: number;
  /** A dataset with fewer examples is reported but does not rank. */
  readonly minimumExamples: number;
}

/**
 * Returns the weight of each dataset. The weights sum to 1. Static sets share `static` equally. The
 * rounds share the rest by γ^(R − r), equally within a round. Without one of the two kinds, the
 * other has the whole weight. All weights are 0 if no dataset is large enough to rank.
 *
 * `overrides` replace the weights of the datasets that they name, whatever their size. The others
 * keep their weights, and then all are normalised again. Overrides have the scale of the result, so
 * passing the result as overrides changes nothing.
 *
 * @throws DomainError `invalid_settings`, `unknown_dataset`, `invalid_weight`, or
 *   `all_weights_zero` if the overrides leave no weight
 */
export function datasetWeights(
  datasets: readonly WeighedDataset[],
  settings: AggregateSettings,
  overrides: Readonly<Record<string, number>> = {},
): Record<string, number> {
  check(settings);
  const weights = new Map(datasets.map((dataset) => [dataset.name, 0]));
  const ranking = datasets.filter((dataset) => dataset.examples >= settings.minimumExamples);
  for (const [name, weight] of defaultWeights(ranking, settings)) weights.set(name, weight);

  for (const [name, weight] of Object.entries(overrides)) {
    if (!weights.has(name)) throw new DomainError('invalid', 'unknown_dataset', `The board has no dataset "${name}".`);
    if (!(weight >= 0 && weight < Infinity)) throw invalidWeight('datasets', name, weight);
    weights.set(name, weight);
  }

  const sum = Array.from(weights.values()).reduce((before, weight) => before + weight, 0);
  if (sum === 0 && Object.keys(overrides).length > 0) {
    throw new DomainError('invalid', 'all_weights_zero', 'At least one dataset needs a weight above 0.');
  }
  return Object.fromEntries(Array.from(weights, ([name, weight]) => [name, sum === 0 ? 0 : weight / sum]));
}

function defaultWeights(datasets: readonly WeighedDataset[], settings: AggregateSettings): Map<string, number> {
  const statics = datasets.filter((dataset) => dataset.role === 'static');
  const rounds = Map.groupBy(
    datasets.filter((dataset) => dataset.role === 'round'),
    roundOf,
  );
  const newest = Math.max(...rounds.keys());
  const discounts = Array.from(rounds.keys(), (round) => settings.recency ** (newest - round));
  const discounted = discounts.reduce((before, discount) => before + discount, 0);
  const staticShare = rounds.size === 0 ? 1 : statics.length === 0 ? 0 : settings.static;

  const weights = new Map(statics.map((dataset) => [dataset.name, staticShare / statics.length]));
  for (const [round, sets] of rounds) {
    const share = ((1 - staticShare) * settings.recency ** (newest - round)) / discounted;
    for (const dataset of sets) weights.set(dataset.name, share / sets.length);
  }
  return weights;
}

function roundOf(dataset: WeighedDataset): number {
  if (dataset.round !== undefined) return dataset.round;
  throw new DomainError(
    'invalid',
    'invalid_settings',
    `The dataset "${dataset.name}" has the role round but no round number.`,
  );
}

function check(settings: AggregateSettings): void {
  const sound = settings.recency > 0 && settings.recency <= 1 && settings.static >= 0 && settings.static <= 1;
  if (sound) return;

  const message = 'The recency discount must be in (0, 1], and the share of the static datasets in [0, 1].';
  throw new DomainError('invalid', 'invalid_settings', message);
}
