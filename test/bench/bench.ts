import type { BenchService } from './bench-service.js';

/** A line of the table that a run prints. */
export interface BenchRow {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** Null where there is no goal. */
  readonly reached: boolean | null;
  /** What `measured` says in words, for programs: the unit is in the name. */
  readonly figures?: Readonly<Record<string, unknown>>;
}

export interface BenchContext {
  /** Small sizes, to see that the bench works; its figures mean little. */
  readonly quick: boolean;
  /** How often each arm is measured, where that was asked for; else the bench knows. */
  readonly rounds: number | undefined;
  /** How long a bench lasts that goes on for a while, where that was asked for. */
  readonly minutes?: number | undefined;
  /** Where a bench that draws what it measured writes that (SVG). */
  readonly picture?: string | undefined;
  /** For files of the bench; removed at the end. */
  readonly folder: string;
  /** Prints a line. */
  readonly say: (text: string) => void;
  /** API and evaluator as processes of their own, started for the first bench that asks. */
  readonly service: () => Promise<BenchService>;
}

/** What is measured together. `name` is what the command line calls it. */
export interface Bench {
  readonly name: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}
