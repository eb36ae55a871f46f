import type {
  CostMetric,
  DatasetRole,
  DatasetUse,
  Estimate,
  HumanFigures,
  LoopPolicy,
  ModelKind,
  TaskDefinition,
  UtilityCurve,
  Weights,
} from '@assay/contracts';
import type { Exposure } from './exposure.js';

/**
 * All that a board revision stands on, so that any weights can be applied to it later with the same digits. Revisions are kept as they were
 * published: what came to be known later is optional, and its absence means that it was not known.
 */
export interface BoardContent {
  readonly task: string;
  readonly performance: TaskDefinition['performance'];
  /** Performance metrics first, then costs; what a board can be weighed by. */
  readonly metrics: readonly string[];
  /** The task's own. */
  readonly weights: Weights;
  readonly aggregate: TaskDefinition['aggregate'];
  /** GiB: the offset of memory (memory left free). */
  readonly memoryLimit: number;
  readonly loop: LoopPolicy;
  /** The kept AMRS of the benchmark version; null while it is provisional. */
  readonly amrs: Readonly<Record<string, number>> | null;
  /** The revision whose models the kept AMRS was taken from. */
  readonly amrsRevision?: number;
  /** The owner's own, by metric. */
  readonly utilities?: Readonly<Record<string, UtilityCurve>>;
  /** Median over the models of how far a cost differs between measurements of one model, in its unit. */
  readonly spreads?: Readonly<Partial<Record<CostMetric, number>>>;
  readonly datasets: readonly BoardDataset[];
  readonly models: readonly BoardModel[];
  /** Where the policy wants a diverse loop: whom it would take by what they get wrong together. */
  readonly diverse?: DiverseChoice;
}

/** The set of models whose errors differ most, of those that the policy may take. */
export interface DiverseChoice {
  /** Ids. */
  readonly models: readonly string[];
  /** Examples that all of them get wrong. */
  readonly wrong: number;
  /** Of so many on the scoring datasets. */
  readonly examples: number;
}

export interface BoardDataset {
  readonly name: string;
  readonly version: number;
  readonly role: DatasetRole;
  readonly use: DatasetUse;
  readonly round: number | null;
  readonly examples: number;
  readonly goldCounts: Readonly<Record<string, number>> | null;
  /** How well people do on it; absent where nobody knows. */
  readonly human?: HumanFigures;
  /** Metrics that it can give no model: too few of its examples have variants, or no slice is large enough. */
  readonly undefinedMetrics?: readonly string[];
}

export interface BoardModel {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly kind: ModelKind;
  /** Accepted submissions of this owner to the task, published or not. */
  readonly attempts?: number;
  /** Bytes of the artifact. */
  readonly size?: number;
  /** When the artifact was accepted, ISO 8601. */
  readonly acceptedAt?: string;
  /** Hardware class of its costs; null where nothing was measured. */
  readonly hardware?: string | null;
  /** Names of the datasets that were collected against a model of the same artifact. */
  readonly own?: readonly string[];
  /** By dataset name. */
  readonly exposure?: Readonly<Record<string, Exposure>>;
  /** By dataset name: digests of the blobs of the metrics' resampled values, those of its perturbed versions among them. */
  readonly resamples?: Readonly<Record<string, readonly string[]>>;
  /** By dataset name: every metric and cost that is known, in the units of the contracts. */
  readonly cells: Readonly<Record<string, Readonly<Record<string, Estimate>>>>;
  /** By dataset name: why there is no cell, or not all of it. */
  readonly missing: Readonly<Record<string, string>>;
  /** Whether a cell that is missing is still to come. */
  readonly pending: boolean;
  /** It failed on all data of this board, and was scored on other data before: unlike a failed upload, it stays listed. */
  readonly scoredBefore?: true;
}

/** Why there is no cell yet. */
export const NOT_YET = 'not evaluated yet';

/** The content without failed uploads, which are private; revisions that are older than this rule have them. */
export function withoutFailedUploads(content: BoardContent): BoardContent {
  const models = content.models.filter(
    ({ cells, pending, scoredBefore }) => pending || scoredBefore || Object.keys(cells).length > 0,
  );
  return models.length === content.models.length ? content : { ...content, models };
}
