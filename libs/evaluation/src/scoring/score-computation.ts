import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Answer } from '@assay/contracts';
import { sliceFields, taskMetrics, type TaskDefinition } from '@assay/contracts/tasks';
import type { ComputedScore } from '../evaluations/evaluation.repository.js';
import { scoringKey } from '../runs/scoring-key.js';
import { MetricAccumulator } from '@assay/scoring';
import { textSignatures } from '@assay/scoring/metrics';
import { storeResamples, type BlobStore } from '@assay/storage';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { type DatasetRow, spansOf } from '@assay/tasks/examples';
import type { Answered } from './original-answers.js';
import { PerturbedComputation } from './perturbed-computation.js';
import { TopLabels } from './top-labels.js';

/** The number of examples after which the loop yields to pending requests. */
const TURN = 256;

export type ScoredVersion = Pick<DatasetVersion, 'digest' | 'transforms'> & {
  readonly dataset: Pick<DatasetVersion['dataset'], 'perturbation'>;
};

/** Consumes the answers to one dataset version in its order, and returns their scores. */
export type DatasetComputation = Pick<ScoreComputation, 'invalid' | 'add' | 'finish'>;

/**
 * Returns the score computation for a dataset version.
 *
 * @param original the answers to the originals of a perturbed version; null for a version of
 *   originals
 */
export function scoreComputation(
  task: TaskDefinition,
  version: ScoredVersion,
  blobs: Pick<BlobStore, 'open' | 'path' | 'put'>,
  original: Answered | null,
): DatasetComputation {
  const kind = version.dataset.perturbation;
  return kind && original
    ? new PerturbedComputation({ task, kind, version, original, blobs })
    : new ScoreComputation(task, version, blobs);
}

/**
 * Scores the answers to one dataset version, added in its order. The scores are the same for
 * answers of a running model and for stored predictions.
 */
export class ScoreComputation {
  private readonly accumulator: MetricAccumulator;
  private readonly tops = new TopLabels();
  private bad = 0;

  constructor(
    private readonly task: TaskDefinition,
    private readonly version: Pick<ScoredVersion, 'digest' | 'transforms'>,
    private readonly blobs: Pick<BlobStore, 'put'>,
  ) {
    const { output, language, normalise } = task;
    this.accumulator = new MetricAccumulator({
      output: output.type,
      ...('labels' in output && { labels: output.labels }),
      language,
      normalise,
      metrics: taskMetrics(task),
      slices: sliceFields(task),
      // depends on the dataset only, so that all models have the same draws
      seed: version.digest,
    });
  }

  /** The number of bad answers so far. */
  get invalid(): number {
    return this.bad;
  }

  /** Adds the next rows with their answers. Null is a bad answer that the task tolerates. */
  async add(rows: readonly DatasetRow[], answers: readonly (Answer | null)[]): Promise<void> {
    for (const [position, row] of rows.entries()) {
      const answer = answers[position] ?? null;
      if (!answer) this.bad++;
      else this.tops.add(this.task.output, answer);
      const { gold, slices, matches, cluster, secondCluster = null } = row;
      // with the precision of the predictions file, so that rescoring from that file gives
      // identical scores
      const probabilities = answer?.probabilities ? Float32Array.from(answer.probabilities) : null;
      const predicted = answer?.text ?? null;
      const spans = spansOf(row, answer);
      const clusters = { cluster, secondCluster };
      this.accumulator.add({ gold, predicted, probabilities, spans, ...clusters, slices, matches });
      if (position % TURN === TURN - 1) await nextTurn();
    }
  }

  /** @throws DomainError `nothing_to_score` */
  async finish(): Promise<ComputedScore> {
    const { metrics, slices, sliceSpreads, calibration, resamples } = await this.accumulator.complete(nextTurn);
    return {
      metrics,
      slices,
      sliceSpreads,
      calibration,
      perturbed: null,
      scoringKey: scoringKey(this.task, this.version),
      signatures: textSignatures(taskMetrics(this.task), this.task.output.type, this.task),
      labelDiffers: this.tops.differing,
      resamples: await storeResamples(this.blobs, resamples),
    };
  }
}
