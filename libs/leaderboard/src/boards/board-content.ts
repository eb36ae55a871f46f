import type { HumanFigures } from '@assay/contracts/annotating';
import type { LeaderboardView } from '@assay/contracts/boards';
import type { DatasetRole, DatasetUse } from '@assay/contracts/datasets';
import type { OwnEvaluators } from '@assay/contracts/evaluators';
import type { CostMetric, Estimate } from '@assay/contracts/metrics';
import type { ModelKind } from '@assay/contracts/models';
import type { LoopPolicy, TaskDefinition, UtilityCurve, Weights } from '@assay/contracts/tasks';
import type { Exchange } from '@assay/scoring/board';
import type { MeasuredSpread } from '@assay/scoring/ranks';
import type { Contamination } from './contamination.js';

/**
 * Everything that a board revision is computed from, so that any weights can be applied to it later
 * with identical results. Revisions are stored as they were published: fields that were introduced
 * later are optional, and an absent field means that the value was not recorded.
 */
export interface BoardContent {
  /** The rules that compute a board from the content (`schemaOf`). Absent in schema 1. */
  readonly schema?: 2;
  /**
   * The version of the rules within schema 2: `BOARD_VERSION` of the benchmark version. Absent in
   * version 1, and in schema 1.
   */
  readonly rules?: 2;
  readonly task: string;
  readonly performance: TaskDefinition['performance'];
  /** The metrics that a board can be weighted by: performance metrics first, then costs. */
  readonly metrics: readonly string[];
  /** The weights that the task's owner set. */
  readonly weights: Weights;
  readonly aggregate: TaskDefinition['aggregate'];
  /** The task's memory limit in GiB: the utility of memory is the memory left free. */
  readonly memoryLimit: number;
  readonly loop: LoopPolicy;
  /** Schema 2: the conversion of costs into points. */
  readonly exchange?: Exchange;
  /**
   * Schema 1: the exchange rates (AMRS) stored with the benchmark version; null while they are
   * provisional. Null in schema 2.
   */
  readonly amrs: Readonly<Record<string, number>> | null;
  /** The revision whose models determined the stored exchange rates. */
  readonly amrsRevision?: number;
  /** The utility curves that the task's owner set, by metric. */
  readonly utilities?: Readonly<Record<string, UtilityCurve>>;
  /**
   * The spread of each cost between measurements of the same model, in its unit: the median over
   * the models. AMRS uses it, and ranks before rules 2.
   */
  readonly spreads?: Readonly<Partial<Record<CostMetric, number>>>;
  /** By metric of texts, how it compared them. */
  readonly signatures?: Readonly<Record<string, string>>;
  /** The ID of the model that the owner named as the baseline. */
  readonly baseline?: string;
  readonly datasets: readonly BoardDataset[];
  readonly models: readonly BoardModel[];
  /**
   * The models that a diverse loop would take, chosen by the errors they share. Present if the
   * policy asks for one.
   */
  readonly diverse?: DiverseChoice;
}

/** The set of eligible models that share the fewest errors. */
export interface DiverseChoice {
  /** IDs. */
  readonly models: readonly string[];
  /** The number of examples that all of them get wrong. */
  readonly wrong: number;
  /** The number of examples of the scoring datasets. */
  readonly examples: number;
}

export interface BoardDataset {
  readonly name: string;
  readonly version: number;
  readonly role: DatasetRole;
  readonly use: DatasetUse;
  readonly round: number | null;
  readonly examples: number;
  /** The number of examples per gold label; null for other outputs than a label. */
  readonly goldCounts: Readonly<Record<string, number>> | null;
  /**
   * The number of examples per set of gold labels (a sorted JSON list), for an output of several
   * labels. Absent if it is not known.
   */
  readonly goldSets?: Readonly<Record<string, number>>;
  /** Present if the task rounds the scores on this dataset, which is not public, for readers. */
  readonly rounded?: true;
  /** Human performance on the dataset; absent if unknown. */
  readonly human?: HumanFigures;
  /**
   * Metrics that no model can have on this dataset: too few of its examples have variants, or no
   * slice is large enough.
   */
  readonly undefinedMetrics?: readonly string[];
}

export interface BoardModel {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly kind: ModelKind;
  /** Attempts of this owner at the task, published or not. */
  readonly attempts?: number;
  /** Size of the artifact in bytes. */
  readonly size?: number;
  /** When the artifact was accepted, ISO 8601. */
  readonly acceptedAt?: string;
  /** Evaluators of users that answered or measured, by name. Absent if there are none. */
  readonly evaluators?: OwnEvaluators;
  /** Hardware class of the costs; null if nothing was measured. */
  readonly hardware?: string | null;
  /** Rules 2: how far its repeated measurements differ, by cost. Costs that were measured once are absent. */
  readonly costSpreads?: Readonly<Partial<Record<CostMetric, MeasuredSpread>>>;
  /** Rules 2: present if throughput and latencies were measured while the model answered. */
  readonly provisionalCosts?: true;
  /** Names of the datasets that were collected against a model with the same artifact. */
  readonly own?: readonly string[];
  /**
   * By name of a dataset that was collected partly against a model with the same artifact: the number of
   * the other examples. Its cell holds the figures on these alone, and is not among `own`.
   */
  readonly counted?: Readonly<Record<string, number>>;
  /**
   * The number of the group of models with the same artifact, or with artifacts that compute the same.
   * Absent if no other model of the board does, and in schema 1.
   */
  readonly copies?: number;
  /**
   * Rules 2: the IDs of models of other owners that share more of its errors than models with like accuracy
   * do. Absent if there are none.
   */
  readonly possibleCopyOf?: readonly string[];
  /** Contamination, by dataset name. */
  readonly exposure?: Readonly<Record<string, Contamination>>;
  /**
   * By dataset name: digests of the blobs of the metrics' resampled values, including those of its
   * perturbed versions.
   */
  readonly resamples?: Readonly<Record<string, readonly string[]>>;
  /** By dataset name: every known metric and cost, in the units of the contracts. */
  readonly cells: Readonly<Record<string, Readonly<Record<string, Estimate>>>>;
  /** By dataset name: why there is no cell, or only part of it. */
  readonly missing: Readonly<Record<string, string>>;
  /** True if a missing cell is still expected. */
  readonly pending: boolean;
  /**
   * Present if the model failed on all datasets of this board but was scored on other data before.
   * Unlike a failed upload, it stays listed.
   */
  readonly scoredBefore?: true;
}

/**
 * The rules that compute a board from its content: how it is aggregated, scored and ranked, and which
 * matrix file it has. Content never changes its schema, and the rules of a schema never change, so
 * that an old revision has the same bytes at every later time.
 */
export type BoardSchema = LeaderboardView['schema'];

/**
 * Returns the schema of a content. Only `weigh`, `rankCertainty`, `matrixBody` and `presentBoard` may
 * choose their rules by it. Other code that reads a board uses their results.
 */
export const schemaOf = ({ schema }: BoardContent): BoardSchema => schema ?? 1;

/** The reason for a cell that has not been evaluated yet. */
export const NOT_YET = 'not evaluated yet';

/**
 * Returns the content without failed uploads, which are private. Revisions older than this rule
 * contain them.
 */
export function withoutFailedUploads(content: BoardContent): BoardContent {
  const models = content.models.filter(
    ({ cells, pending, scoredBefore }) => pending || scoredBefore || Object.keys(cells).length > 0,
  );
  return models.length === content.models.length ? content : { ...content, models };
}
