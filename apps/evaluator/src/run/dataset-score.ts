import { sliceFields, taskMetrics, type Answer, type TaskDefinition } from '@assay/contracts';
import type { ComputedScore } from '@assay/evaluation';
import { MetricAccumulator } from '@assay/scoring';
import { PredictionsWriter } from '@assay/storage';
import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatasetRow } from '@assay/tasks';

/** Examples between which requests under way get their turn. */
const TURN = 256;

/** Takes the answers to a dataset in its order; gives its metrics and slices, and the file of predictions. */
export class DatasetScore {
  private readonly accumulator: MetricAccumulator;
  private invalid = 0;

  private constructor(
    task: TaskDefinition,
    private readonly writer: PredictionsWriter,
    /** Of the predictions file. */
    readonly path: string,
    seed: string,
  ) {
    this.accumulator = new MetricAccumulator({
      metrics: taskMetrics(task),
      slices: sliceFields(task).map(({ field }) => field),
      seed,
    });
  }

  /** @param seed names the random draws of the intervals: that of the dataset, so that all models have the same */
  static async create(task: TaskDefinition, path: string, seed: string): Promise<DatasetScore> {
    const labels = task.output.type === 'label' ? task.output.labels.length : 0;
    return new DatasetScore(task, await PredictionsWriter.create(path, { labels }), path, seed);
  }

  /** The next rows with their answers. Null is a bad answer that the task tolerates. */
  async add(rows: readonly DatasetRow[], answers: readonly (Answer | null)[]): Promise<void> {
    for (const [position, row] of rows.entries()) {
      const answer = answers[position] ?? null;
      if (!answer) this.invalid++;
      const { gold, cluster, slices } = row;
      this.accumulator.add({ gold, predicted: answer?.text ?? null, cluster, slices });
      if (position % TURN === TURN - 1) await nextTurn();
    }
    await this.writer.append(answers);
  }

  /** Ends the file; it is the caller's from now on. */
  async finish(): Promise<ComputedScore & { readonly invalid: number }> {
    await this.writer.finish();
    const { metrics, slices } = this.accumulator.result();
    return {
      metrics,
      slices,
      sliceSpreads: {},
      calibration: null,
      perturbed: null,
      scoringKey: null,
      resamples: null,
      invalid: this.invalid,
    };
  }

  async discard(): Promise<void> {
    await this.writer.abandon().catch(() => undefined);
    await rm(this.path, { force: true });
  }
}
