import type { TaskDefinition } from '@assay/contracts/tasks';
import { Evaluation } from '@assay/evaluation/evaluations';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { type BenchmarkVersion } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { answeredRows, AnswersUnreadable } from '../comparison/answered-rows.js';
import { isRight, rightness } from '../comparison/rightness.js';

/**
 * The errors of models on the scoring datasets of a benchmark version. The datasets are
 * concatenated, each in the order of its examples.
 */
export interface Mistakes {
  readonly examples: number;
  /**
   * Error bits by model ID, as in `DiverseCandidate`. Models whose predictions cannot all be read
   * are left out.
   */
  readonly wrong: ReadonlyMap<string, Uint32Array>;
}

/** Determines from the stored predictions which examples models get wrong. */
@Injectable()
export class BoardMistakes {
  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /**
   * Returns the errors of the given models; null if answers of this output type are neither right
   * nor wrong.
   */
  async of(
    em: EntityManager,
    definition: TaskDefinition,
    benchmark: BenchmarkVersion,
    modelIds: readonly string[],
  ): Promise<Mistakes | null> {
    if (!rightness(definition)) return null;
    const all = await em.find(
      DatasetVersion,
      { id: { $in: [...benchmark.datasets] }, dataset: { use: 'scoring', perturbation: null } },
      { populate: ['dataset'], orderBy: { id: 'asc' } },
    );
    const models = await em.find(Model, { id: { $in: [...modelIds] } });
    const evaluations = await em.find(
      Evaluation,
      {
        specification: { $in: models.flatMap(({ specification }) => specification?.id ?? []) },
        datasetVersion: { $in: all },
        predictions: { $ne: null },
      },
      { fields: ['specification', 'datasetVersion', 'predictions'] },
    );
    const examples = all.reduce((sum, version) => sum + version.examples, 0);
    const wrong = new Map<string, Uint32Array>();
    for (const model of models) {
      const own = new Map(
        evaluations
          .filter(({ specification }) => specification.id === model.specification?.id)
          .map((each) => [each.datasetVersion.id, each.predictions ?? null]),
      );
      const bits = await this.mistakesOf(definition, all, own, examples);
      if (bits) wrong.set(model.id, bits);
    }
    return { examples, wrong };
  }

  private async mistakesOf(
    definition: TaskDefinition,
    versions: readonly DatasetVersion[],
    predictions: ReadonlyMap<string, string | null>,
    examples: number,
  ): Promise<Uint32Array | null> {
    const metric = rightness(definition)!;
    const bits = new Uint32Array(Math.ceil(examples / 32));
    let first = 0;
    try {
      for (const version of versions) {
        const evaluation = { predictions: predictions.get(version.id) ?? null };
        for await (const { rows, answers } of answeredRows(this.blobs, definition, version, [evaluation])) {
          for (const [place, row] of rows.entries()) {
            const at = first + row.index;
            if (!isRight(metric, definition, row, answers[0]![place] ?? null)) bits[at >> 5]! |= 1 << (at & 31);
          }
        }
        first += version.examples;
      }
    } catch (error) {
      if (error instanceof AnswersUnreadable) return null;
      throw error;
    }
    return bits;
  }
}
