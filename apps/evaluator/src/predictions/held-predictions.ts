import { MalformedLine, type PredictionLine } from './prediction-lines.js';

/** Characters that all ids of a file may take together, and the answers to one dataset. */
const MOST = 512 * 2 ** 20;
/** What an entry of a map takes, as characters. */
const ENTRY = 64;

/** Counts what a file of predictions has us hold: every id to tell what is missing, and the answers to one dataset to score them. */
export class HeldPredictions {
  private readonly answers = new Map<string, number>();
  private ids = 0;

  constructor(private readonly most = MOST) {}

  /** @throws MalformedLine where it is more than what can be held */
  add({ number, dataset, id, answer }: PredictionLine): void {
    const taken = id.length + ENTRY;
    const answers =
      (this.answers.get(dataset) ?? 0) + taken + answer.text.length + 8 * (answer.probabilities?.length ?? 0);
    this.ids += taken;
    this.answers.set(dataset, answers);
    if (Math.max(this.ids, answers) <= this.most) return;
    const most = `${this.most.toLocaleString('en-US')} characters`;
    throw new MalformedLine(number, `is where the ids, or the answers to ${dataset}, become more than ${most}`);
  }
}
