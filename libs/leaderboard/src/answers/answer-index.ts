import type { Answer } from '@assay/contracts';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { remembered } from '@assay/kernel';
import type { ExampleMetric } from '@assay/scoring/metrics';
import type { DatasetRow } from '@assay/tasks/examples';
import { isRight, rightness } from '../comparison/rightness.js';

/** The examples to search for. They must match all given conditions. */
export interface AnswerFilter {
  readonly isRight?: boolean | undefined;
  readonly slice?: { readonly field: string; readonly value: string } | undefined;
  /** A gold label. */
  readonly label?: string | undefined;
  /** A predicted label. */
  readonly answer?: string | undefined;
}

export interface Counted {
  readonly n: number;
  /** Null if answers of this output type are neither right nor wrong. */
  readonly wrong: number | null;
}

/** Stands for an invalid answer that the task tolerated. */
const NO_ANSWER = -1;
/** The pseudo slicing field for the transform of a perturbed variant. */
const TRANSFORM = 'transform';

/**
 * A searchable index of a model's answers to a dataset version, without their texts: a few bytes
 * for each example. Rows are added in the order of the dataset.
 */
export class AnswerIndex {
  readonly metric: ExampleMetric | null;
  private readonly labels: readonly string[];
  private readonly right: boolean[] = [];
  private readonly gold: number[] = [];
  private readonly answers: number[] = [];
  private readonly slices = new Map<string, Map<string, number[]>>();
  private bad = 0;

  constructor(private readonly definition: TaskDefinition) {
    const { output } = definition;
    this.metric = rightness(definition);
    this.labels = output.type === 'label' ? output.labels : [];
  }

  get examples(): number {
    return this.right.length;
  }

  /** The number of invalid answers that the task tolerated. */
  get invalid(): number {
    return this.bad;
  }

  /** Returns the approximate size in bytes. */
  get size(): number {
    let places = 0;
    for (const values of this.slices.values()) for (const each of values.values()) places += each.length + 20;
    return 24 * this.right.length + 8 * places + 1000;
  }

  add(row: DatasetRow, answer: Answer | null): void {
    const place = this.right.length;
    this.right.push(this.metric !== null && isRight(this.metric, this.definition, row, answer));
    if (!answer) this.bad++;
    if (this.labels.length > 0) {
      const isAccepted = answer !== null && row.gold.includes(answer.text);
      this.gold.push(this.labels.indexOf(isAccepted ? answer.text : row.gold[0]!));
      this.answers.push(answer ? this.labels.indexOf(answer.text) : NO_ANSWER);
    }
    for (const [field, values] of Object.entries(row.slices)) for (const value of values) this.put(field, value, place);
    if (row.variant) this.put(TRANSFORM, row.variant.transform, place);
  }

  /** Returns the positions of the examples that match `filter`, ascending. */
  matching({ isRight: wanted, slice, label, answer }: AnswerFilter): readonly number[] {
    const among = slice ? (this.slices.get(slice.field)?.get(slice.value) ?? []) : [...this.right.keys()];
    const gold = label === undefined ? null : this.labels.indexOf(label);
    const given = answer === undefined ? null : this.labels.indexOf(answer);
    return among.filter(
      (place) =>
        (wanted === undefined || this.right[place] === wanted) &&
        (gold === null || this.gold[place] === gold) &&
        (given === null || this.answers[place] === given),
    );
  }

  isRightAt(place: number): boolean {
    return this.right[place] === true;
  }

  counted(): Counted {
    return this.countOf([...this.right.keys()]);
  }

  /** Returns counts by field, then by value: for each field the `most` largest slices. */
  sliceCounts(most: number): Record<string, Record<string, Counted>> {
    return Object.fromEntries(
      Array.from(this.slices, ([field, values]) => {
        const largest = [...values].toSorted(([, one], [, other]) => other.length - one.length).slice(0, most);
        return [field, Object.fromEntries(largest.map(([value, places]) => [value, this.countOf(places)]))];
      }),
    );
  }

  /** Returns counts by gold label and by predicted label; null if the output is not a label. */
  labelCounts(): { readonly labels: Record<string, Counted>; readonly answers: Record<string, Counted> } | null {
    if (this.labels.length === 0) return null;
    const by = (of: (label: string) => AnswerFilter): Record<string, Counted> =>
      Object.fromEntries(this.labels.map((label) => [label, this.countOf(this.matching(of(label)))]));
    return { labels: by((label) => ({ label })), answers: by((answer) => ({ answer })) };
  }

  /**
   * Returns the confusion matrix: rows are gold labels, columns are predicted labels, and the last
   * column counts invalid answers. Null if the output is not a label.
   */
  confusion(): number[][] | null {
    if (this.labels.length === 0) return null;
    const columns = this.labels.length + 1;
    const counts = this.labels.map(() => new Array<number>(columns).fill(0));
    for (const [place, gold] of this.gold.entries()) {
      const answer = this.answers[place]!;
      counts[gold]![answer === NO_ANSWER ? columns - 1 : answer]!++;
    }
    return counts;
  }

  private countOf(places: readonly number[]): Counted {
    const wrong = this.metric ? places.filter((place) => !this.right[place]).length : null;
    return { n: places.length, wrong };
  }

  private put(field: string, value: string, place: number): void {
    const values = remembered(this.slices, field, () => new Map<string, number[]>());
    remembered(values, value, () => []).push(place);
  }
}
