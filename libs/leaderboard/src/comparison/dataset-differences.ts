import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sliceFields, type TaskDefinition, taskMetrics } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { canonicalJson } from '@assay/kernel';
import {
  compareAnswers,
  type ComparedAnswers,
  JointAnswers,
  pairwiseDifferences,
  type TestedDifference,
} from '@assay/scoring/comparison';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { answeredRows, AnswersUnreadable, isBlobMissing, storedAnswers } from './answered-rows.js';

/** The number of cached results. Each has a few hundred numbers for each slice. */
const CACHED_DIFFERENCES = 300;

/**
 * Computes the differences between models on a dataset version from the stored predictions. Results
 * are cached.
 */
@Injectable()
export class DatasetDifferences {
  private readonly cache = new LRUCache<string, object, () => Promise<object>>({
    ignoreFetchAbort: true,
    max: CACHED_DIFFERENCES,
    fetchMethod: (_key, _stale, { context: compute }) => this.limit(compute),
  });
  // one at a time: each computation holds the scores of every example
  private readonly limit = pLimit(1);

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /**
   * Returns the differences in all metrics of the task, overall and by slice, as the first
   * evaluation minus the second.
   * @throws AnswersUnreadable
   */
  ofPair(
    definition: TaskDefinition,
    version: DatasetVersion,
    pair: readonly [Evaluation, Evaluation],
  ): Promise<ComparedAnswers> {
    const slices = sliceFields(definition).map(({ field }) => field);
    return this.once(['pair', definitionKey(definition), version.digest, ...pair.map(evaluationKey)], async () => {
      const answers = await this.read({
        definition,
        version,
        evaluations: pair,
        metrics: taskMetrics(definition),
        slices,
      });
      return compareAnswers(answers, version.digest, nextTurn);
    });
  }

  /**
   * Returns the differences in performance between each pair of evaluations, in the order (0,1),
   * (0,2), …, (1,2), …. Null if the performance is undefined for either.
   * @throws AnswersUnreadable
   */
  ofPairs(
    definition: TaskDefinition,
    version: DatasetVersion,
    evaluations: readonly Evaluation[],
  ): Promise<readonly (TestedDifference | null)[]> {
    const { performance } = definition;
    return this.once(
      ['pairs', definitionKey(definition), version.digest, ...evaluations.map(evaluationKey)],
      async () => {
        const answers = await this.read({ definition, version, evaluations, metrics: [performance], slices: [] });
        return pairwiseDifferences(answers, performance, version.digest, nextTurn);
      },
    );
  }

  /** Returns whether the answers to every example are stored. */
  async isReadable(version: DatasetVersion, evaluation: Evaluation): Promise<boolean> {
    try {
      await storedAnswers(this.blobs, version, evaluation);
      return true;
    } catch (error) {
      if (error instanceof AnswersUnreadable || isBlobMissing(error)) return false;
      throw error;
    }
  }

  private async read({ definition, version, evaluations, metrics, slices }: Reading): Promise<JointAnswers> {
    const { output, language, normalise } = definition;
    const answers = new JointAnswers({
      models: evaluations.length,
      output: output.type,
      ...(output.type === 'label' && { labels: output.labels }),
      language,
      normalise,
      metrics,
      slices,
    });
    for await (const group of answeredRows(this.blobs, definition, version, evaluations)) {
      for (const [place, { gold, cluster, slices: values }] of group.rows.entries()) {
        const given = group.answers.map((each) => {
          const answer = each[place] ?? null;
          return { predicted: answer?.text ?? null, probabilities: answer?.probabilities ?? null };
        });
        answers.add({ gold, cluster, slices: values, answers: given });
      }
      await nextTurn();
    }
    return answers;
  }

  private async once<T extends object>(key: readonly string[], compute: () => Promise<T>): Promise<T> {
    return (await this.cache.fetch(key.join(' '), { context: compute })) as T;
  }
}

interface Reading {
  readonly definition: TaskDefinition;
  readonly version: DatasetVersion;
  readonly evaluations: readonly Evaluation[];
  readonly metrics: readonly string[];
  readonly slices: readonly string[];
}

const evaluationKey = ({ id, predictions, scoringKey }: Evaluation): string =>
  `${id}/${predictions ?? ''}/${scoringKey ?? ''}`;

/**
 * Hashes the parts of the definition that affect the figures. Their other inputs are part of the
 * scoring key.
 */
function definitionKey(definition: TaskDefinition): string {
  const { performance, metrics, slices, cluster, output, language, normalise = [] } = definition;
  const content = { performance, metrics, slices, cluster, output, language, normalise };
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
