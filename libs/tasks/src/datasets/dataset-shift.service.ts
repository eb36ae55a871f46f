import type { DatasetShift } from '@assay/contracts/facts';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { mayReadExamples, type Task } from '../task.js';
import type { ShiftResult } from './dataset-shift-computation.js';
import { DatasetShiftThreads } from './dataset-shift-threads.js';
import { DatasetVersion } from './dataset.js';
import { DatasetsService } from './datasets.service.js';

const CACHED_SHIFTS = 100;

interface Versions {
  readonly task: Task;
  readonly before: DatasetVersion;
  readonly after: DatasetVersion;
}

/**
 * Finds what changed between the examples of two datasets, in a worker thread. Results are cached;
 * requests for the same result wait for one computation.
 */
@Injectable()
export class DatasetShiftService implements OnModuleDestroy {
  private readonly threads = new DatasetShiftThreads();
  private readonly found = new LRUCache<string, ShiftResult, Versions>({
    ignoreFetchAbort: true,
    max: CACHED_SHIFTS,
    fetchMethod: (_key, _stale, { context }) => this.compute(context),
  });

  constructor(
    private readonly em: EntityManager,
    private readonly datasets: DatasetsService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await this.threads.close();
  }

  /**
   * Returns what changed from the dataset `from` to the dataset `name`. By default `from` is that of
   * the last earlier round with the same use that `principal` may read. Of each dataset it reads the
   * active version, or the newest if none is active.
   * @throws DomainError `not_found` if a dataset does not exist or `principal` may not read its gold;
   * `no_earlier_round`, `same_dataset`, `no_text_input`
   */
  async of(principal: Principal | null, task: Task, name: string, from: string | undefined): Promise<DatasetShift> {
    const after = currentOf(await this.datasets.readable(principal, task, name));
    if (!task.definition.inputs.some(({ type }) => type === 'text')) {
      const text = `"${task.slug}" has no text input, so its datasets cannot be compared by their words.`;
      throw new DomainError('invalid', 'no_text_input', text);
    }
    if (from === name) {
      const text = `"${name}" cannot be compared with itself. Name another dataset in \`from\`.`;
      throw new DomainError('invalid', 'same_dataset', text);
    }
    const before =
      from === undefined
        ? await this.earlier(principal, task, after)
        : currentOf(await this.datasets.readable(principal, task, from));
    const key = `${before.id} ${after.id} ${JSON.stringify(task.definition.inputs)} ${task.definition.language} ${task.definition.cluster ?? ''}`;
    const { examples, ...found } = (await this.found.fetch(key, { context: { task, before, after } }))!;
    return {
      task: task.slug,
      before: { ...sideOf(before), examples: examples[0] },
      after: { ...sideOf(after), examples: examples[1] },
      ...found,
    };
  }

  /** @throws DomainError `no_earlier_round` */
  private async earlier(principal: Principal | null, task: Task, { dataset }: DatasetVersion): Promise<DatasetVersion> {
    const { round, use, name } = dataset;
    const versions =
      typeof round === 'number'
        ? await this.em.find(
            DatasetVersion,
            { dataset: { task, role: 'round', use, perturbation: null, round: { $lt: round } }, status: 'active' },
            { populate: ['dataset'], orderBy: { dataset: { round: 'desc', createdAt: 'asc' } } },
          )
        : [];
    const found = versions.find((version) => mayReadExamples(principal, task, version.dataset));
    if (found) return found;
    throw new DomainError(
      'invalid',
      'no_earlier_round',
      `"${name}" has no dataset of an earlier round that you may read. Name the dataset to compare with in \`from\`.`,
    );
  }

  private async compute({ task, before, after }: Versions): Promise<ShiftResult> {
    const fileOf = async ({ content, repeats, dataset }: DatasetVersion) => ({
      path: await this.blobs.path(content),
      repeats: repeats ?? null,
      collected: dataset.collected,
    });
    return this.threads.compute({
      definition: task.definition,
      before: await fileOf(before),
      after: await fileOf(after),
      seed: `${before.digest} ${after.digest}`,
    });
  }
}

const currentOf = (versions: readonly DatasetVersion[]): DatasetVersion =>
  versions.find(({ status }) => status === 'active') ?? versions.at(-1)!;

const sideOf = ({ dataset, number }: DatasetVersion): Omit<DatasetShift['before'], 'examples'> => ({
  dataset: dataset.name,
  version: number,
  round: dataset.round ?? null,
});
