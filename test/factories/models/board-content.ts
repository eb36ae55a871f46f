import type { Estimate } from '@assay/contracts/metrics';
import type { ModelKind } from '@assay/contracts/models';
import type { LoopPolicy } from '@assay/contracts/tasks';
import type { BoardContent, BoardDataset, BoardModel, PublishedBoard } from '@assay/leaderboard/boards';

/** Returns an estimate with the 95% interval that follows from its standard error. */
export const estimate = (value: number, standardError: number | null = 0.005): Estimate => ({
  value,
  low: standardError === null ? null : value - 1.96 * standardError,
  high: standardError === null ? null : value + 1.96 * standardError,
  standardError,
});

export const boardDataset = (name: string, given: Partial<BoardDataset> = {}): BoardDataset => ({
  name,
  version: 1,
  role: 'static',
  use: 'scoring',
  round: null,
  examples: 200,
  goldCounts: { negative: 80, positive: 120 },
  ...given,
});

interface GivenModel {
  /**
   * One value for every dataset, or a value by dataset name. Null: no evaluation on that dataset.
   */
  readonly accuracy: number | Readonly<Record<string, number | null>>;
  readonly throughput?: number;
  readonly memory?: number;
  readonly owner?: string;
  readonly kind?: ModelKind;
  readonly standardError?: number | null;
  /** Further metrics, with the same value on every dataset. */
  readonly more?: Readonly<Record<string, number>>;
  /** Properties of the submission that the board knows. */
  readonly known?: Partial<
    Pick<
      BoardModel,
      | 'attempts'
      | 'hardware'
      | 'acceptedAt'
      | 'evaluators'
      | 'own'
      | 'counted'
      | 'exposure'
      | 'resamples'
      | 'pending'
      | 'copies'
      | 'costSpreads'
      | 'provisionalCosts'
    >
  >;
}

/** Builds a board of the datasets, with the models by their ids. */
export function boardContent(
  models: Readonly<Record<string, GivenModel>>,
  given: Partial<Omit<BoardContent, 'models' | 'loop'>> & { readonly loop?: Partial<LoopPolicy> } = {},
): BoardContent {
  const datasets = given.datasets ?? [boardDataset('one')];
  return {
    task: 'sentiment',
    performance: 'accuracy',
    metrics: ['accuracy', 'throughput', 'memory'],
    weights: { accuracy: 4, throughput: 1, memory: 1 },
    aggregate: { recency: 0.8, static: 0.3, minimumExamples: 100, ownRounds: 'adjust' },
    memoryLimit: 4,
    amrs: null,
    ...given,
    datasets,
    loop: { size: 1, strategy: 'best', minimum: {}, maximum: {}, margin: 0, ...given.loop },
    models: Object.entries(models).map(([id, model]) => boardModel(id, model, datasets)),
  };
}

function boardModel(id: string, given: GivenModel, datasets: readonly BoardDataset[]): BoardModel {
  const { kind = 'container', owner = `owner of ${id}`, standardError, throughput = 100, memory = 1 } = given;
  const costs = { throughput: estimate(throughput, null), memory: estimate(memory, null) };
  const cells: Record<string, Record<string, Estimate>> = {};
  const missing: Record<string, string> = {};
  for (const { name } of datasets) {
    const accuracy = typeof given.accuracy === 'number' ? given.accuracy : (given.accuracy[name] ?? null);
    if (accuracy === null) missing[name] = 'too_slow: At 1.1 examples/s, the evaluation needs 7 h. The limit is 1 h.';
    else {
      const more = Object.entries(given.more ?? {}).map(([metric, value]) => [metric, estimate(value, standardError)]);
      cells[name] = {
        accuracy: estimate(accuracy, standardError),
        ...Object.fromEntries(more),
        ...(kind !== 'predictions' && costs),
      };
    }
  }
  return { id, name: `Model ${id}`, owner, kind, cells, missing, pending: false, ...given.known };
}

export const published = (content: BoardContent, number = 7): PublishedBoard => ({
  number,
  benchmarkVersion: 2,
  publishedAt: new Date('2026-01-02T03:04:05.678Z'),
  content,
});
