import type { Answer } from '@assay/contracts';
import type { DatasetRow } from '@assay/tasks/examples';

/**
 * The standard errors by which the accuracy on timed rows must be below that on the others: an
 * honest model has such a difference by chance in one of 300,000 datasets.
 */
const STANDARD_ERRORS = 4.5;

/** The accuracy on timed rows, and on other rows of the same part of the dataset. */
export interface TimedAccuracy {
  readonly timed: number;
  readonly others: number;
}

/**
 * Compares the accuracy on rows that were sent as single, timed requests with that on the other
 * rows, which are a random part of the same ones. A model can answer single requests at once with
 * a constant, and repeat that answer in the batch: then its answers agree, its latency is false,
 * and its answers to timed rows are worse. Counts each distinct input once, as the timed rows were
 * drawn among distinct inputs. Two-proportion z-test with the pooled variance.
 * @param timed the indexes of the timed rows
 * @returns null if the accuracy on timed rows is not much lower
 */
export function worseWhenTimed(
  rows: readonly DatasetRow[],
  answers: readonly (Answer | null)[],
  timed: { has(index: number): boolean },
): TimedAccuracy | null {
  const timedRows = new Tally();
  const others = new Tally();
  const seen = new Set(rows.filter(({ index }) => timed.has(index)).map(({ instance }) => instance));
  for (const [place, { index, instance, gold }] of rows.entries()) {
    const answer = answers[place];
    const isRight = answer ? gold.includes(answer.text) : false;
    if (timed.has(index)) timedRows.add(isRight);
    else if (!seen.has(instance)) {
      seen.add(instance);
      others.add(isRight);
    }
  }
  const count = timedRows.count + others.count;
  const pooled = (timedRows.right + others.right) / count;
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / timedRows.count + 1 / others.count));
  // not a number without timed or other rows
  return others.share - timedRows.share > STANDARD_ERRORS * error
    ? { timed: timedRows.share, others: others.share }
    : null;
}

class Tally {
  count = 0;
  right = 0;

  get share(): number {
    return this.right / this.count;
  }

  add(isRight: boolean): void {
    this.count++;
    if (isRight) this.right++;
  }
}
