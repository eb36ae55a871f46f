import { failure, type Answer, type Failure, type Repeatability } from '@assay/contracts';
import type { Evaluation } from '@assay/evaluation';
import { wilson } from '@assay/scoring';
import { answersAt, type BlobStore } from '@assay/storage';
import type { DatasetRow } from '@assay/tasks';
import { count } from './failure-sentence.js';
import { agree } from './same-answer.js';

/** Examples of a dataset that are compared, of those that are asked about. */
const COMPARED = 1000;
/** Share that may differ beyond what the model is known for: sums of floats flip few. */
const FLIPS = 0.01;

/** What a model was scored by: who is measured once more has to answer the same, or costs are those of another model. */
export class KnownAnswers {
  private compared = 0;
  private different = 0;

  private constructor(private readonly known: ReadonlyMap<string, ReadonlyMap<number, Answer | null>>) {}

  /** Reads the answers to some of the rows that will be asked about. */
  static async read(
    datasets: readonly { readonly cell: Evaluation; readonly window: { readonly rows: readonly DatasetRow[] } }[],
    blobs: BlobStore,
  ): Promise<KnownAnswers> {
    const known = new Map<string, Map<number, Answer | null>>();
    for (const { cell, window } of datasets) {
      if (!cell.predictions) continue;
      const step = Math.ceil(window.rows.length / COMPARED);
      const places = window.rows.filter((_, place) => place % step === 0).map(({ index }) => index);
      const answers = await answersAt(await blobs.path(cell.predictions), places);
      known.set(cell.id, new Map(places.map((place, position) => [place, answers[position] ?? null])));
    }
    return new KnownAnswers(known);
  }

  /** What to call with every answer to the dataset of an evaluation. */
  listener(evaluation: string): (row: DatasetRow, answer: Answer | null) => void {
    const known = this.known.get(evaluation);
    return ({ index }, answer) => {
      const before = known?.get(index);
      if (before === undefined) return;
      this.compared++;
      const same = before === null || answer === null ? before === answer : agree(before, answer);
      if (!same) this.different++;
    };
  }

  /** Null where the answers are those of before, or no more otherwise than the model is known for. */
  contradiction(known: Repeatability): Failure | null {
    if (this.different <= Math.max(1, allowedShare(known) * this.compared)) return null;
    const message = `Measured once more, it answered ${count(this.different)} of ${count(this.compared)} examples otherwise than when it was scored: what that cost does not count.`;
    return failure('inconsistent', message);
  }
}

/**
 * The share of answers that may be otherwise. A model that answers otherwise each time it is started may do so twice as often as it is known
 * for, and as often as the few examples which that is known of leave open (Wilson's 95% interval).
 */
export function allowedShare({ compared, different }: Repeatability): number {
  if (different === 0) return FLIPS;
  const share = different / compared;
  return FLIPS + Math.max(2 * share, wilson(share, compared).high);
}
