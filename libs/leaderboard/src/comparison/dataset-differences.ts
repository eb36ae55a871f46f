import { createHash } from 'node:crypto';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { canonicalJson } from '@assay/kernel';
import type { ComparedAnswers, TestedDifference } from '@assay/scoring/comparison';
import type { PairedSpread } from '@assay/scoring/planner';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AnswersUnreadable, isBlobMissing, storedAnswers } from './answered-rows.js';
import type { DifferenceWork } from './difference-computation.js';
import { DifferenceThreads } from './difference-threads.js';

/** The number of cached comparisons. Each has a few hundred numbers for each slice. */
const CACHED_COMPARISONS = 300;
/** The number of cached differences in performance. Each has a few numbers. */
const CACHED_DIFFERENCES = 20_000;
/** The most models whose answers a thread reads at the same time. */
const MOST_READ = 20;

/**
 * Computes the differences between models on a dataset version from the stored predictions, in worker
 * threads. Results are cached; requests for the same result wait for one computation.
 */
@Injectable()
export class DatasetDifferences implements OnModuleDestroy {
  private readonly threads = new DifferenceThreads();
  private readonly comparisons = new LRUCache<string, object, DifferenceWork>({
    ignoreFetchAbort: true,
    max: CACHED_COMPARISONS,
    fetchMethod: (_key, _stale, { context }) => this.compute(context),
  });
  private readonly performances = new LRUCache<string, Promise<TestedDifference | null>>({ max: CACHED_DIFFERENCES });

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
    const key = `pair ${keyOf(definitionKey(definition), version, pair)}`;
    return (await this.comparisons.fetch(key, { context: workOf(definition, version, pair) })) as ComparedAnswers;
  }

  /**
   * Returns the differences of pairs in performance, in the given order, as the first evaluation
   * minus the second. Null if the performance is undefined for either.
   * @throws AnswersUnreadable
   */
  async ofPairs(
    definition: TaskDefinition,
    version: DatasetVersion,
    pairs: readonly EvaluationPair[],
  ): Promise<readonly (TestedDifference | null)[]> {
    const definitionId = definitionKey(definition);
    const keyOfPair = (pair: EvaluationPair): string => keyOf(definitionId, version, pair);
    const missing = pairs.filter((pair) => !this.performances.has(keyOfPair(pair)));
    for (const group of readTogether(missing)) {
      const evaluations = [...new Set(group.flat())];
      const numbers = group.map(([a, b]) => [evaluations.indexOf(a), evaluations.indexOf(b)] as const);
      const computed = this.compute({ ...workOf(definition, version, evaluations), pairs: numbers });
      for (const [place, pair] of group.entries()) {
        const key = keyOfPair(pair);
        const found = computed.then((results) => (results as readonly (TestedDifference | null)[])[place]!);
        this.performances.set(key, found);
        found.catch(() => this.performances.delete(key));
      }
    }
    return Promise.all(pairs.map((pair) => this.performances.get(keyOfPair(pair))!));
  }

  /**
   * Returns the spread of the difference in performance of each pair of evaluations, in the same
   * order. Null if it cannot be estimated.
   * @throws AnswersUnreadable
   */
  async spreadsOf(
    definition: TaskDefinition,
    version: DatasetVersion,
    evaluations: readonly Evaluation[],
  ): Promise<readonly (PairedSpread | null)[]> {
    const key = `spreads ${keyOf(definitionKey(definition), version, evaluations)}`;
    const context: DifferenceWork = { ...workOf(definition, version, evaluations), spreads: true };
    return (await this.comparisons.fetch(key, { context })) as readonly (PairedSpread | null)[];
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

/** Two evaluations of the same dataset version. */
export type EvaluationPair = readonly [Evaluation, Evaluation];

const workOf = (
  definition: TaskDefinition,
  { digest, content, examples, repeats, dataset: { collected } }: DatasetVersion,
  evaluations: readonly Evaluation[],
): DifferenceWork => ({
  definition,
  version: { digest, content, examples, repeats },
  collected,
  evaluations: evaluations.map(({ predictions }) => ({ predictions })),
  files: {},
});

/** Divides pairs into groups of at most `MOST_READ` evaluations, so that pairs share what is read. */
function readTogether(pairs: readonly EvaluationPair[]): readonly EvaluationPair[][] {
  const groups: EvaluationPair[][] = [];
  let read = new Set<Evaluation>();
  for (const pair of pairs) {
    const both = new Set([...read, ...pair]);
    if (groups.length === 0 || both.size > MOST_READ) groups.push([]);
    read = both.size > MOST_READ ? new Set(pair) : both;
    groups.at(-1)!.push(pair);
  }
  return groups;
}

const keyOf = (
  definition: string,
  { digest }: Pick<DatasetVersion, 'digest'>,
  evaluations: readonly Evaluation[],
): string => [definition, digest, ...evaluations.map(evaluationKey)].join(' ');

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
