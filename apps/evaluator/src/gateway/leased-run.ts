import type { Answer } from '@assay/contracts';
import { type Assignment, INPUTS_UNAVAILABLE, type RunOutcome } from '@assay/contracts/gateway';
import type { Measures, Repeatability } from '@assay/contracts/metrics';
import type { Failure, FailureCode } from '@assay/contracts/models';

/** An example as a model may see it. */
export interface InputRow {
  /** Position in the dataset, from 0. */
  readonly index: number;
  /** The input fields of the task as JSON. */
  readonly instance: string;
}

/** Progress on a dataset. */
export interface Progress {
  /** Answered examples. */
  readonly done: number;
  readonly examplesPerSecond: number;
}

/** The sandbox logs of a run. */
export interface RunLog {
  /** Null if there is no readable log. */
  readonly log: string | null;
  /** IDs of the dataset versions that the sandbox had seen when it wrote the log. */
  readonly logSeen: readonly string[];
  /** Size in bytes of the log of the sandbox with hidden data. Null if there was none. */
  readonly withheldBytes: number | null;
}

/** The result of a run, apart from its answers. */
export interface RunResult {
  readonly measures: Measures | null;
  readonly log?: RunLog;
  /** Absent if the run did not compare repeated answers. */
  readonly repeatability?: Repeatability;
  /** How many contended measurements in a row lead to another measurement (default: 0). */
  readonly retakes?: number;
}

/** The facts about the answers to a dataset. */
export interface AnswersFacts {
  /** The costs of the run so far. */
  readonly measures: Measures | null;
  /** IDs of the dataset versions that the sandbox had seen when it answered. */
  readonly seen: readonly string[];
  /** The indexes of the examples that were also sent as single, timed requests. */
  readonly timed: readonly number[];
}

/** Receives the answers to one dataset. */
export interface AnswersUpload {
  /** Appends the next answers, in the order of the dataset. Null: a tolerated invalid answer. */
  append(answers: readonly (Answer | null)[]): Promise<void>;
  /** Completes the upload: the service stores the answers and scores them. */
  finish(facts: AnswersFacts): Promise<void>;
  /** Gives up an upload that was not completed. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/** The facts about a rebuilt image that depend on the uploaded bytes alone. */
export type ImageFacts = NonNullable<Extract<RunOutcome, { kind: 'finished' }>['rebuilt']>;

/** The facts about an image that admission rebuilt. Each evaluator rebuilds it from the upload. */
export interface RebuiltImage extends ImageFacts {
  /** The first ten files that the model's user cannot read. */
  readonly unreadable: readonly string[];
  /** SHA-256 of what the artifact computes, regardless of names and packing. Null if it has none. */
  readonly contentDigest: string | null;
}

/** Returns whether an error says that the inputs of a dataset cannot be read. The service has failed the evaluation. */
export const areInputsUnavailable = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === INPUTS_UNAVAILABLE;

/**
 * A run that this evaluator has leased: its work, the bytes that it needs, and all that the
 * evaluator may report. Every report is checked against the fence: after the lease is lost, it
 * throws and changes nothing.
 */
export interface LeasedRun {
  readonly assignment: Assignment;
  /** Seconds for which the lease is valid without a renewal. */
  readonly seconds: number;

  /** Returns the path of a local file with the artifact as uploaded. */
  artifact(): Promise<string>;
  /** Returns the number of bytes that the artifact may unpack to. */
  unpackedLimit(): Promise<number>;
  /** Reports that the artifact may run. The service may still refuse it, if its owner's storage is full. */
  admit(image: RebuiltImage): Promise<void>;
  /**
   * Reports, when the run ends, what this host found when it rebuilt the image of an admitted container. Absent
   * where nobody compares it.
   */
  noteImage?(image: ImageFacts): void;
  /** Reports that the artifact was refused. */
  refuse(code: FailureCode, message: string): Promise<void>;

  /**
   * Yields the inputs of a dataset in its order.
   * @throws an error that `areInputsUnavailable` recognises
   */
  inputs(dataset: string): AsyncIterable<readonly InputRow[]>;
  /**
   * Yields at most `count` different inputs, as JSON, that are those of a dataset with typing errors. They
   * are not scored. Fewer if the dataset has no more.
   */
  variants(dataset: string, count: number): AsyncIterable<string>;
  /**
   * Returns the stored answers of the model at these positions in ascending order; null if none are
   * stored.
   */
  storedAnswers(dataset: string, places: readonly number[]): Promise<readonly (Answer | null)[] | null>;
  /** Reports that a dataset is begun. Returns whether the model is to be asked. */
  start(dataset: string): Promise<boolean>;
  /** Reports progress. A lost report is harmless. */
  progress(dataset: string, progress: Progress): void;
  upload(dataset: string): Promise<AnswersUpload>;
  failDataset(dataset: string, why: Failure): Promise<void>;

  /** Ends the run. */
  finish(result: RunResult): Promise<void>;
  fail(why: Failure, log?: RunLog): Promise<void>;
  /** Ends a run that is not needed any more. */
  abandon(): Promise<void>;
  /** Returns the run to the queue without counting an attempt, because it cannot run now. */
  postpone(): Promise<void>;
  /** The same, because a live request has interrupted a measurement. */
  interrupt(): Promise<void>;

  /** Returns whether a measuring run has waited this many seconds. */
  hasWaited(seconds: number): Promise<boolean>;
  /** Returns whether evaluations wait for their scores. */
  evaluationsWait(): Promise<boolean>;
}
