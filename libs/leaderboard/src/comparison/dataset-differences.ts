import { createHash } from 'node:crypto';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { canonicalJson } from '@assay/kernel';
import type { ComparedAnswers, TestedDifference } from '@assay/scoring/comparison';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AnswersUnreadable, isBlobMissing, storedAnswers } from './answered-rows.js';
import type { DifferenceWork } from './difference-computation.js';
import { DifferenceThreads } from './difference-threads.js';

/** The number of cached results. Each has a few hundred numbers for each slice. */
const CACHED_DIFFERENCES = 300;

/**
 * Computes the differences between models on a dataset version from the stored predictions, in worker
 * threads. Results are cached; requests for the same result wait for one computation.
 */
@Injectable()
export class DatasetDifferences implements OnModuleDestroy {
  private readonly threads = new DifferenceThreads();
  private readonly cache = new LRUCache<string, object, DifferenceWork>({
    ignoreFetchAbort: true,
    max: CACHED_DIFFERENCES,
    fetchMethod: (_key, _stale, { context }) => this.compute(context),
  });

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  async onModuleDestroy(): Promise<void> {
    await this.threads.close();
  }

  /**
   * Returns the differences in all metrics of the task, overall and by slice, as the first
   * evaluation minus the second.
   * @throws AnswersUnreadable
   */
  async ofPair(
    definition: TaskDefinition,
    version: DatasetVersion,
    pair: readonly [Evaluation, Evaluation],
  ): Promise<ComparedAnswers> {
    return (await this.found('pair', definition, version, pair)) as ComparedAnswers;
  }

  /**
   * Returns the differences in performance between each pair of evaluations, in the order (0,1),
   * (0,2), …, (1,2), …. Null if the performance is undefined for either.
   * @throws AnswersUnreadable
   */
  async ofPairs(
    definition: TaskDefinition,
    version: DatasetVersion,
    evaluations: readonly Evaluation[],
  ): Promise<readonly (TestedDifference | null)[]> {
    return (await this.found('pairs', definition, version, evaluations)) as readonly (TestedDifference | null)[];
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

  private async found(
    kind: DifferenceWork['kind'],
    definition: TaskDefinition,
    { digest, content, examples, repeats }: DatasetVersion,
    evaluations: readonly Evaluation[],
  ): Promise<object | undefined> {
    const context: DifferenceWork = {
      kind,
      definition,
      version: { digest, content, examples, repeats },
      evaluations: evaluations.map(({ predictions }) => ({ predictions })),
      files: {},
    };
    const key = [kind, definitionKey(definition), digest, ...evaluations.map(evaluationKey)].join(' ');
    return this.cache.fetch(key, { context });
  }

  /** @throws AnswersUnreadable */
  private async compute(work: DifferenceWork): Promise<object> {
    const digests = [work.version.content, ...work.evaluations.flatMap(({ predictions }) => predictions ?? [])];
    const result = await this.threads.compute({ ...work, files: await this.filesOf(digests) });
    if ('found' in result) return result.found;
    throw new AnswersUnreadable(result.unreadable);
  }

  private async filesOf(digests: readonly string[]): Promise<Record<string, string>> {
    try {
      const files = await Promise.all(digests.map(async (digest) => [digest, await this.blobs.path(digest)] as const));
      return Object.fromEntries(files);
    } catch (error) {
      if (isBlobMissing(error)) throw new AnswersUnreadable(error.message, { cause: error });
      throw error;
    }
  }
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
