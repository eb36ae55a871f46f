import { count } from '@assay/contracts/text';
import { MalformedLine, type PredictionLine } from './prediction-lines.js';

/**
 * Maximum number of characters in memory: of all IDs of a file, and of the answers to one dataset.
 */
const MOST = 512 * 2 ** 20;
/** Estimated overhead of a map entry, in characters. */
const ENTRY = 64;

/**
 * Counts the memory that a predictions file requires: all IDs, to find missing ones, and the
 * answers to one dataset, to score them.
 */
export class HeldPredictions {
  private readonly answers = new Map<string, number>();
  private ids = 0;

  constructor(private readonly most = MOST) {}

  /** @throws MalformedLine if the file would exceed the limit */
  add({ number, dataset, id, answer }: PredictionLine): void {
    const taken = id.length + ENTRY;
    const answers =
      (this.answers.get(dataset) ?? 0) + taken + answer.text.length + 8 * (answer.probabilities?.length ?? 0);
    this.ids += taken;
    this.answers.set(dataset, answers);
    if (Math.max(this.ids, answers) <= this.most) return;
    const most = `${count(this.most)} characters`;
    throw new MalformedLine(number, `exceeds the limit of ${most} for all IDs, or for the answers to ${dataset}`);
  }
}
