import { type MetricComparison } from '@assay/contracts/comparison';
import { isPerturbationMetric } from '@assay/contracts/metrics';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { DomainError } from '@assay/kernel';
import { compareResamples } from '@assay/scoring/comparison';
import { type BlobStore, readResamples, type Resamples } from '@assay/storage';
import { AnswersUnreadable } from './answered-rows.js';
import type { Uncorrected } from './difference-views.js';

/**
 * Returns the differences between two models on a perturbed dataset version, by metric. They are
 * computed from the stored figures and the joint resamples of the originals with all their
 * variants.
 * @throws AnswersUnreadable
 */
export async function perturbedDifferences(
  blobs: BlobStore,
  [a, b]: readonly [Evaluation, Evaluation],
): Promise<Record<string, Uncorrected<MetricComparison>>> {
  const [drawnA, drawnB] = await Promise.all([resamplesOf(blobs, a), resamplesOf(blobs, b)]);
  const metrics: Record<string, Uncorrected<MetricComparison>> = {};
  for (const [name, figure] of Object.entries(a.metrics ?? {})) {
    const other = b.metrics?.[name];
    const drawn = [drawnA[name], drawnB[name]] as const;
    if (!isPerturbationMetric(name) || !other || !drawn[0] || !drawn[1]) continue;
    const compared = compareResamples(
      { value: figure.value, resamples: drawn[0] },
      { value: other.value, resamples: drawn[1] },
    );
    metrics[name] = { a: figure, b: other, ...compared, test: 'bootstrap' };
  }
  if (Object.keys(metrics).length > 0) return metrics;
  throw new AnswersUnreadable('there are too few originals with variants to compare');
}

async function resamplesOf(blobs: BlobStore, { resamples }: Evaluation): Promise<Resamples> {
  if (!resamples) throw new AnswersUnreadable('its resamples are not stored yet');
  try {
    return await readResamples(blobs, resamples);
  } catch (error) {
    if (error instanceof DomainError) throw new AnswersUnreadable(error.message, { cause: error });
    throw error;
  }
}
