import { sliceFields, type TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import type { BlobStore } from '@assay/storage';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { answeredRows } from '../comparison/answered-rows.js';
import { AnswerIndex } from './answer-index.js';

/** The maximum size in bytes of the cached indexes. */
const CACHED_BYTES = 64 * 2 ** 20;

interface Wanted {
  readonly definition: TaskDefinition;
  readonly version: DatasetVersion;
  readonly evaluation: Evaluation;
}

/** Indexes of the answers of models to dataset versions, built on first use and cached. */
export class AnswerIndexes {
  private readonly cache = new LRUCache<string, AnswerIndex, Wanted>({
    ignoreFetchAbort: true,
    maxSize: CACHED_BYTES,
    sizeCalculation: (index) => Math.min(CACHED_BYTES, index.size),
    fetchMethod: (_key, _stale, { context }) => this.limit(() => this.read(context)),
  });
  // one at a time: each reads the answers to every example
  private readonly limit = pLimit(1);

  constructor(private readonly blobs: Pick<BlobStore, 'open' | 'path'>) {}

  /**
   * Returns the index of an evaluation's answers.
   * @throws AnswersUnreadable
   */
  async of(definition: TaskDefinition, version: DatasetVersion, evaluation: Evaluation): Promise<AnswerIndex> {
    // the key contains everything that affects the index: the answers, the examples, and how the
    // task reads them
    const { output, inputs, language, normalise = [] } = definition;
    const reading = JSON.stringify([output, inputs, sliceFields(definition), language, normalise]);
    const key = [evaluation.predictions, version.content, reading].join(' ');
    return (await this.cache.fetch(key, { context: { definition, version, evaluation } }))!;
  }

  private async read({ definition, version, evaluation }: Wanted): Promise<AnswerIndex> {
    const index = new AnswerIndex(definition);
    for await (const { rows, answers } of answeredRows(this.blobs, definition, version, [evaluation])) {
      for (const [place, row] of rows.entries()) index.add(row, answers[0]![place] ?? null);
    }
    return index;
  }
}
