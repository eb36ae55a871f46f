import type {
  DatasetRole,
  DatasetUse,
  Estimate,
  LoopPolicy,
  ModelKind,
  TaskDefinition,
  Weights,
} from '@assay/contracts';

/** All that a board revision stands on, so that any weights can be applied to it later with the same digits. */
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
  readonly datasets: readonly BoardDataset[];
  readonly models: readonly BoardModel[];
}

export interface BoardDataset {
  readonly name: string;
  readonly version: number;
  readonly role: DatasetRole;
  readonly use: DatasetUse;
  readonly round: number | null;
  readonly examples: number;
  readonly goldCounts: Readonly<Record<string, number>> | null;
}

export interface BoardModel {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly kind: ModelKind;
  /** By dataset name: every metric and cost that is known, in the units of the contracts. */
  readonly cells: Readonly<Record<string, Readonly<Record<string, Estimate>>>>;
  /** By dataset name: why there is no cell. */
  readonly missing: Readonly<Record<string, string>>;
  /** Whether a cell that is missing is still to come. */
  readonly pending: boolean;
}
