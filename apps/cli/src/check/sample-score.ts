import { Readable } from 'node:stream';
import { parseAnswer } from '@assay/contracts';
import type { Estimate } from '@assay/contracts/metrics';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { MetricAccumulator } from '@assay/scoring';
import { datasetRows, DatasetUnreadable } from '@assay/tasks/examples';

/** The performance metric of a task on some examples. */
export interface SampleScore extends Estimate {
  readonly metric: string;
  /** Number of examples. */
  readonly n: number;
}

/**
 * Scores predictions by the performance metric of the task, as the service does: for all examples of a
 * dataset, with its digest as the seed, value and interval are the same. The service alone knows the
 * annotators and contexts of a collected round, by which it clusters.
 *
 * @param lines the examples as JSON, in the order of the predictions
 * @param predictions valid answers of the model
 * @returns null if an example has no valid gold, or if the metric is undefined on the examples
 */
export async function sampleScore(
  task: TaskDefinition,
  { lines, seed }: { readonly lines: readonly string[]; readonly seed: string },
  predictions: readonly unknown[],
): Promise<SampleScore | null> {
  const { output, performance, language, normalise } = task;
  const metrics = { metrics: [performance], ...('labels' in output && { labels: output.labels }) };
  const accumulator = new MetricAccumulator({ output: output.type, language, normalise, ...metrics, seed });
  try {
    for await (const rows of datasetRows(task, Readable.from([Buffer.from(lines.join('\n'))]))) {
      for (const { index, gold, cluster } of rows) {
        const outcome = parseAnswer(output, predictions[index], task);
        const answer = outcome.ok ? outcome.answer : null;
        // with the precision of the stored answers that the service scores
        const probabilities = answer?.probabilities ? Float32Array.from(answer.probabilities) : null;
        accumulator.add({ gold, predicted: answer?.text ?? null, probabilities, cluster });
      }
    }
  } catch (error) {
    if (error instanceof DatasetUnreadable) return null;
    throw error;
  }
  if (accumulator.count === 0) return null;
  const { n, metrics: scores } = accumulator.result();
  const estimate = scores[performance];
  return estimate ? { metric: performance, n, ...estimate } : null;
}
