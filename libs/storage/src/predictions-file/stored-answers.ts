import type { Answer } from '@assay/contracts';
import { readPredictions, readPredictionsShape, type PredictionsBatch } from './predictions-reader.js';

/** Reads the answers of a predictions file in order, as many at a time as the caller requests. */
export class StoredAnswers {
  private batch: PredictionsBatch | null = null;
  private next = 0;

  private constructor(
    private readonly batches: AsyncGenerator<PredictionsBatch>,
    private readonly labels: number,
    /** The number of answers in the file. */
    readonly rows: number,
  ) {}

  static async open(path: string): Promise<StoredAnswers> {
    const { rows, labels } = await readPredictionsShape(path);
    return new StoredAnswers(readPredictions(path, { probabilities: true, spans: true }), labels, rows);
  }

  /**
   * Returns the next `count` answers, or fewer at the end. Null stands for a tolerated invalid
   * answer.
   */
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
 * Returns the answers at the given positions of a predictions file, in order. Reads only the row
 * groups that contain one of them.
 * @param places positions (row numbers), ascending
 */
export async function answersAt(path: string, places: readonly number[]): Promise<(Answer | null)[]> {
  const { labels } = await readPredictionsShape(path);
  const wants = (start: number, end: number): boolean => places.some((place) => place >= start && place < end);
  const answers: (Answer | null)[] = [];
  for await (const batch of readPredictions(path, { probabilities: true, spans: true, wants })) {
    const end = batch.start + batch.answers.length;
    for (const place of places) {
      if (place >= batch.start && place < end) answers.push(answerAt(batch, labels, place - batch.start));
    }
  }
  return answers;
}

function answerAt({ answers, probabilities, spans }: PredictionsBatch, labels: number, row: number): Answer | null {
  const text = answers[row] ?? null;
  if (text === null) return null;

  const given = probabilities?.subarray(row * labels, (row + 1) * labels);
  const [start, end] = spans?.subarray(2 * row) ?? [];
  return {
    text,
    ...(given && !given.some(Number.isNaN) && { probabilities: [...given] }),
    ...(start !== undefined && end !== undefined && start >= 0 && { span: [start, end] as const }),
  };
}
