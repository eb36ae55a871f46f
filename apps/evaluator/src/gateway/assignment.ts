import type { Visibility } from '@assay/contracts/datasets';
import type { Repeatability } from '@assay/contracts/metrics';
import type { ModelKind } from '@assay/contracts/models';
import type { TaskLimits, TaskOutput } from '@assay/contracts/tasks';

/** A dataset version that a run answers. It has no gold outputs, IDs or names. */
export interface AssignedDataset {
  /** ID of the evaluation. */
  readonly id: string;
  /** ID of the dataset version. */
  readonly version: string;
  readonly visibility: Visibility;
  /** False for a perturbed version. */
  readonly isOriginal: boolean;
  readonly examples: number;
}

/** The result of admission: everything needed to start the image. */
export interface AdmittedFacts {
  readonly port: number;
  /** The first ten files that the model's user cannot read. */
  readonly unreadable: readonly string[];
}

/** An example as a model may see it. */
export interface InputRow {
  /** Position in the dataset, from 0. */
  readonly index: number;
  /** The input fields of the task as JSON. */
  readonly instance: string;
}

/** The work of a leased run. Plain data. */
export interface Assignment {
  readonly run: string;
  /** The number of claims of the run so far. */
  readonly fence: number;
  /** ID of the task. */
  readonly task: string;
  readonly artifact: {
    readonly kind: ModelKind;
    /** sha256 of the bytes as uploaded, in hexadecimal. */
    readonly digest: string;
    /** Null before admission. */
    readonly image: AdmittedFacts | null;
    /** True if the owner removed the bytes. */
    readonly isArchived: boolean;
  };
  /** IDs of the accounts that own the model. */
  readonly owners: readonly string[];
  readonly specification: {
    readonly command: readonly string[] | null;
    readonly environment: Readonly<Record<string, string>>;
    /** Within the ceilings of this host. */
    readonly limits: Omit<TaskLimits, 'artifact' | 'unpacked'>;
    readonly runtime: 'runc' | 'runsc';
    /** Null until the model has been asked twice for the same examples. */
    readonly repeatability: Repeatability | null;
  };
  readonly output: TaskOutput;
  /** True if a cost has a weight on the board of the task, or a bound for its loop. */
  readonly weighsCosts: boolean;
  /**
   * The datasets that the model has not answered, originals before perturbed versions; for a run
   * that only measures, the answered originals.
   */
  readonly datasets: readonly AssignedDataset[];
}
