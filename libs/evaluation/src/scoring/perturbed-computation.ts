import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '@assay/contracts';
import type { Perturbation } from '@assay/contracts/metrics';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { ComputedScore } from '../evaluations/evaluation.repository.js';
import { scoringKey } from '../runs/scoring-key.js';
import { perturbationScores, type OriginalAnswer, type VariantAnswer } from '@assay/scoring';
import { StoredAnswers, storeResamples, type BlobStore } from '@assay/storage';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { clusteredRows, DatasetUnreadable, type DatasetRow } from '@assay/tasks/examples';
import { transformRanks } from '@assay/tasks/perturbation';
import type { Answered } from './original-answers.js';
import { TopLabels } from './top-labels.js';

export interface PerturbedParts {
  readonly task: TaskDefinition;
  readonly kind: Perturbation;
  readonly version: Pick<DatasetVersion, 'digest' | 'transforms'>;
  readonly original: Answered;
  readonly blobs: Pick<BlobStore, 'open' | 'path' | 'put'>;
}

/**
 * Scores the answers to one perturbed version, added in its order, in relation to the answers to
 * its originals.
 */
export class PerturbedComputation {
  /** All variants are held in memory: a perturbed version is a sample of limited size. */
  private readonly variants: VariantAnswer[] = [];
  private readonly tops = new TopLabels();
  private bad = 0;

  constructor(private readonly parts: PerturbedParts) {}

  /** The number of bad answers so far. */
  get invalid(): number {
    return this.bad;
  }

  /** Adds the next rows with their answers. Null is a bad answer that the task tolerates. */
  add(rows: readonly DatasetRow[], answers: readonly (Answer | null)[]): Promise<void> {
    for (const [position, row] of rows.entries()) {
      if (!row.variant) throw new DatasetUnreadable(row.index + 1, 'does not name its original');
      const answer = answers[position] ?? null;
      if (!answer) this.bad++;
      else this.tops.add(this.parts.task.output, answer);
      this.variants.push({ ...row.variant, gold: row.gold, ...answered(answer) });
    }
    return Promise.resolve();
  }

  async finish(): Promise<ComputedScore> {
    const { task, kind, version, blobs } = this.parts;
    const originals = await this.originals();
    await nextTurn();
    const { metrics, resamples, result } = perturbationScores(
      {
        kind,
        metric: task.performance,
        output: task.output.type,
        language: task.language,
        normalise: task.normalise,
        labels: 'labels' in task.output ? task.output.labels : [],
        transforms: (version.transforms ?? []).map((transform) => ({
          name: transform.name,
          validated: transform.validated,
          kept: transform.kept,
          ranks: transformRanks(transform),
        })),
        // depends on the dataset only, so that all models have the same draws
        seed: version.digest,
      },
      originals,
      this.variants,
    );
    return {
      metrics,
      slices: {},
      sliceSpreads: {},
      calibration: null,
      perturbed: result,
      scoringKey: scoringKey(task, version),
      signatures: {},
      labelDiffers: this.tops.differing,
      resamples: await storeResamples(blobs, resamples),
    };
  }

  private async originals(): Promise<OriginalAnswer[]> {
    const { task, original, blobs } = this.parts;
    const wanted = new Set(this.variants.map((variant) => variant.original));
    const answers = await StoredAnswers.open(await blobs.path(original.predictions));
    const originals: OriginalAnswer[] = [];
    for await (const rows of clusteredRows(
      task,
      () => blobs.open(original.content),
      original.repeats,
      original.collected,
    )) {
      const given = await answers.take(rows.length);
      for (const [position, { id, gold, cluster, secondCluster = null }] of rows.entries()) {
        if (!wanted.has(id)) continue;
        originals.push({ id, gold, cluster, secondCluster, ...answered(given[position] ?? null) });
      }
    }
    return originals;
  }
}

const answered = (answer: Answer | null) => ({
  predicted: answer?.text ?? null,
  // with the precision of the predictions file
  probabilities: answer?.probabilities ? Float32Array.from(answer.probabilities) : null,
});
