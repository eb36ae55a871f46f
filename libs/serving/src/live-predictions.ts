import type { LiveAnswer } from '@assay/contracts/collection';
import type { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';

/** The weight of a token of a field: how strongly it supports the label that is explained. */
export interface TokenWeight {
  readonly token: string;
  /** Position in the field, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

export interface Inspection {
  /** `model`: the model's own `/explain`. `occlusion`: words are left out one at a time. */
  readonly method: 'model' | 'occlusion';
  readonly fields: Readonly<Record<string, readonly TokenWeight[]>>;
}

/** Answers of the target models while people write. */
export abstract class LivePredictions {
  /**
   * Returns one model's answers to inputs, in their order. Each input has all input fields of the
   * task.
   * @throws DomainError `model_starting` (unavailable, with its progress), `model_unavailable`,
   *   `model_failed` (its answer is invalid)
   */
  abstract predict(
    task: Task,
    model: Model,
    inputs: readonly Readonly<Record<string, unknown>>[],
  ): Promise<LiveAnswer[]>;

  /**
   * Returns one model's answer to an input.
   * @throws DomainError as `predict`
   */
  async answer(task: Task, model: Model, input: Readonly<Record<string, unknown>>): Promise<LiveAnswer> {
    const [answer] = await this.predict(task, model, [input]);
    if (answer) return answer;
    throw new TypeError(`model ${model.id} returned no answer for one input`);
  }

  /**
   * Returns which words of an input mattered for `label`; default: the model's own answer.
   * @throws DomainError as `predict`
   */
  abstract inspect(
    task: Task,
    model: Model,
    input: Readonly<Record<string, unknown>>,
    label?: string,
  ): Promise<Inspection>;
}
