import type { BenchService } from './bench-service.js';

/** A row of the result table. */
export interface BenchRow {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** Null if there is no goal. */
  readonly reached: boolean | null;
  /** The figures of `measured` for programs. The names contain the units. */
  readonly figures?: Readonly<Record<string, unknown>>;
}

export interface BenchContext {
  /** Small sizes, to check that the bench works. The figures mean little. */
  readonly quick: boolean;
  /** The number of samples per arm, if requested; otherwise the bench decides. */
  readonly rounds: number | undefined;
  /** The duration in minutes of a bench that runs for a period, if requested. */
  readonly minutes?: number | undefined;
  /** The path of the SVG that a bench with a chart writes. */
  readonly picture?: string | undefined;
  /** A folder for the files of the bench; removed at the end. */
  readonly folder: string;
  /** Prints a line. */
  readonly say: (text: string) => void;
  /** Returns API and evaluator as separate processes, started when the first bench asks. */
  readonly service: () => Promise<BenchService>;
}

/** A bench: quantities that are measured together. `name` is its name on the command line. */
export interface Bench {
  readonly name: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}
