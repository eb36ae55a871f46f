import type { GrowthSize } from '../../factories/growth/plant.js';
import type { BenchContext, BenchRow } from '../bench.js';
import type { BenchService } from '../bench-service.js';
import type { ScoredModels } from '../scored-models.js';

/** A service with planted data. */
export interface GrownService {
  readonly service: BenchService;
  readonly size: GrowthSize;
  /** The slug of the task with many models and the open round 1, which has many annotations. */
  readonly task: string;
  /** The models of that task. */
  readonly board: ScoredModels;
}

/** Rows of the growth bench that belong together. Each group is in a file of its own. */
export type GrowthRows = (context: BenchContext, grown: GrownService) => Promise<readonly BenchRow[]>;
