import type { LiveAnswer } from '@assay/contracts';
import type { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';

/** How much a field's piece of text speaks for the label that is explained. */
export interface TokenWeight {
  readonly token: string;
  /** Place in the field, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

export interface Inspection {
  /** `model`: the model's own `/explain`; `occlusion`: words left out, one after the other. */
  readonly method: 'model' | 'occlusion';
  readonly fields: Readonly<Record<string, readonly TokenWeight[]>>;
}

/** Answers of models in the loop, while people write. */
export abstract class LivePredictions {
  /**
   * One model's answers to inputs (each all input fields of the task), in their order.
   * @throws DomainError `model_starting` (unavailable, with how far it is), `model_unavailable`, `model_failed` (what it answered is wrong)
   */
  abstract predict(
    task: Task,
    model: Model,
    inputs: readonly Readonly<Record<string, unknown>>[],
  ): Promise<LiveAnswer[]>;

  /**
   * Which words of an input mattered for `label` (by default what the model answers).
   * @throws as `predict`
   */
  abstract inspect(
    task: Task,
    model: Model,
    input: Readonly<Record<string, unknown>>,
    label?: string,
  ): Promise<Inspection>;
}
