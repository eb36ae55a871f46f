import { type CompareView } from '@assay/contracts/comparison';
import { COST_METRICS, type CostMetric, dependsOnContention } from '@assay/contracts/metrics';
import type { Model } from '@assay/submissions';
import type { ComparableCells } from './comparable-cells.js';
import type { Pair } from './dataset-comparisons.js';

type Costs = CompareView['costs'];

/**
 * Returns the costs of two models: the mean over their scored datasets, weighted as the board
 * weights them. The difference is null unless all costs were measured on the same hardware class.
 */
export function comparedCosts(cells: ComparableCells, pair: Pair): Costs {
  const [a, b] = pair.map((model) => costsOf(cells, model)) as [ModelCosts, ModelCosts];
  const classes = new Set([...a.hardware, ...b.hardware]);
  const comparable = a.hardware.length > 0 && b.hardware.length > 0 && classes.size === 1;
  const metrics: Costs['metrics'] = {};
  for (const [name, { unit, direction }] of Object.entries(COST_METRICS)) {
    const [costA, costB] = [a.costs.get(name) ?? null, b.costs.get(name) ?? null];
    if (costA === null && costB === null) continue;
    const difference = comparable && costA !== null && costB !== null ? costA - costB : null;
    const contended = { a: a.contended.has(name), b: b.contended.has(name) };
    const isContended = contended.a || contended.b;
    const short = { a: a.short.has(name), b: b.short.has(name) };
    const isShort = short.a || short.b;
    metrics[name] = {
      ...{ unit, direction, a: costA, b: costB, difference },
      ...(isContended && { contended }),
      ...(isShort && { short }),
    };
  }
  return { hardware: { a: a.hardware, b: b.hardware }, comparable, metrics };
}

interface ModelCosts {
  readonly hardware: string[];
  readonly costs: ReadonlyMap<string, number>;
  /** Names of the costs that were partly measured under contention. */
  readonly contended: ReadonlySet<string>;
  /** Names of the costs that were partly measured on few examples. */
  readonly short: ReadonlySet<string>;
}

function costsOf(cells: ComparableCells, model: Model): ModelCosts {
  const measured = cells.versions.flatMap((version) => {
    const cell = cells.cell(model, version);
    if (typeof cell === 'string' || !cell.measures || version.dataset.perturbation) return [];
    return [{ measures: cell.measures, weight: cells.weights.get(version.id) ?? 0 }];
  });
  // without any weighted dataset, all count equally
  const weighing = measured.filter(({ weight }) => weight > 0);
  const counted = weighing.length > 0 ? weighing : measured.map((each) => ({ ...each, weight: 1 }));
  const costs = new Map<string, number>();
  const contended = new Set<string>();
  const short = new Set<string>();
  for (const name of Object.keys(COST_METRICS) as CostMetric[]) {
    const known = counted.filter(({ measures }) => typeof measures[name] === 'number');
    const sum = known.reduce((before, { weight }) => before + weight, 0);
    if (sum === 0) continue;
    if (dependsOnContention(name) && known.some(({ measures }) => measures.contended)) contended.add(name);
    if (name === 'throughput' && known.some(({ measures }) => measures.short)) short.add(name);
    costs.set(
      name,
      known.reduce((before, { weight, measures }) => before + (weight / sum) * measures[name]!, 0),
    );
  }
  return { hardware: [...new Set(counted.map(({ measures }) => measures.hardware))].sort(), costs, contended, short };
}
