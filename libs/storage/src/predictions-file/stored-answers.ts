import type { Answer } from '@assay/contracts';
import { readPredictions, readPredictionsShape, type PredictionsBatch } from './predictions-reader.js';

/** The answers of a predictions file one after the other, as many at a time as the reader wants. */
export class StoredAnswers {
  private batch: PredictionsBatch | null = null;
  private next = 0;

  private constructor(
    private readonly batches: AsyncGenerator<PredictionsBatch>,
    private readonly labels: number,
    /** All answers of the file. */
    readonly rows: number,
  ) {}

  static async open(path: string): Promise<StoredAnswers> {
    const { rows, labels } = await readPredictionsShape(path);
    return new StoredAnswers(readPredictions(path, { probabilities: true }), labels, rows);
  }

  /** The next `count` answers, or fewer at the end. Null is a bad answer that was tolerated. */
  async take(count: number): Promise<(Answer | null)[]> {
    const answers: (Answer | null)[] = [];
    while (answers.length < count) {
      if (!this.batch || this.next === this.batch.answers.length) {
        const following = await this.batches.next();
        if (following.done === true) break;
        this.batch = following.value;
        this.next = 0;
        continue;
      }
      answers.push(answerAt(this.batch, this.labels, this.next++));
    }
    return answers;
  }
}

/**
 * The answers at some places of a predictions file, in their order; what lies between is not read.
 * @param places ascending
 */
export async function answersAt(path: string, places: readonly number[]): Promise<(Answer | null)[]> {
  const { labels } = await readPredictionsShape(path);
  const wants = (start: number, end: number): boolean => places.some((place) => place >= start && place < end);
  const answers: (Answer | null)[] = [];
  for await (const batch of readPredictions(path, { probabilities: true, wants })) {
    const end = batch.start + batch.answers.length;
    for (const place of places) {
      if (place >= batch.start && place < end) answers.push(answerAt(batch, labels, place - batch.start));
    }
  }
  return answers;
}

function answerAt({ answers, probabilities }: PredictionsBatch, labels: number, row: number): Answer | null {
  const text = answers[row] ?? null;
  if (text === null) return null;

  const given = probabilities?.subarray(row * labels, (row + 1) * labels);
  return given && !given.some(Number.isNaN) ? { text, probabilities: [...given] } : { text };
}
