import { type Answer } from '@assay/contracts';
import { type Repeatability } from '@assay/contracts/metrics';
import { failure, type Failure } from '@assay/contracts/models';
import { count } from '@assay/contracts/text';
import { wilson } from '@assay/scoring/intervals';
import type { InputRow, LeasedRun } from '../../gateway/leased-run.js';
import { agree } from '../repeat/same-answer.js';

/** Maximum number of examples per dataset that are compared. */
const COMPARED = 1000;
/**
 * Share of answers that may differ in addition to the known repeatability of the model: sums of
 * floats change a few answers.
 */
const FLIPS = 0.01;

/**
 * The answers that a model was scored by. In a repeated measurement it has to give the same
 * answers; otherwise the costs would be those of another model.
 */
export class KnownAnswers {
  private compared = 0;
  private different = 0;

  private constructor(private readonly known: ReadonlyMap<string, ReadonlyMap<number, Answer | null>>) {}

  /** Reads the stored answers to some of the rows that will be measured. */
  static async read(
    datasets: readonly { readonly id: string; readonly window: { readonly rows: readonly InputRow[] } }[],
    run: Pick<LeasedRun, 'storedAnswers'>,
  ): Promise<KnownAnswers> {
    const known = new Map<string, Map<number, Answer | null>>();
    for (const { id, window } of datasets) {
      const step = Math.ceil(window.rows.length / COMPARED);
      const places = window.rows.filter((_, place) => place % step === 0).map(({ index }) => index);
      const answers = await run.storedAnswers(id, places);
      if (answers) known.set(id, new Map(places.map((place, position) => [place, answers[position] ?? null])));
    }
    return new KnownAnswers(known);
  }

  /** Returns the callback for the answers to the dataset of an evaluation. */
  listener(evaluation: string): (row: InputRow, answer: Answer | null) => void {
    const known = this.known.get(evaluation);
    return ({ index }, answer) => {
      const before = known?.get(index);
      if (before === undefined) return;
      this.compared++;
      const same = before === null || answer === null ? before === answer : agree(before, answer);
      if (!same) this.different++;
    };
  }

  /**
   * Returns the failure if more answers differ than the known repeatability of the model explains,
   * else null.
   */
  contradiction(known: Repeatability): Failure | null {
    if (this.different <= Math.max(1, allowedShare(known) * this.compared)) return null;
    const message = `When measured again, it answered ${count(this.different)} of ${count(this.compared)} examples differently than when it was scored. The new costs do not count.`;
    return failure('inconsistent', message);
  }
}

/**
 * Returns the share of answers that may differ: `FLIPS` for a deterministic model. A model that is
 * known to vary between starts may in addition differ twice as often as observed, or up to the
 * upper end of Wilson's 95% interval of the observed share, if that is higher.
 */
export function allowedShare({ compared, different }: Repeatability): number {
  if (different === 0) return FLIPS;
  const share = different / compared;
  return FLIPS + Math.max(2 * share, wilson(share, compared).high);
}
