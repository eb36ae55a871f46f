import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Perturbation } from '@assay/contracts/metrics';
import { taskPerturbations } from '@assay/contracts/tasks';
import type { Actor } from '@assay/identity/audit';
import { canonicalJson, DomainError } from '@assay/kernel';
import { BLOB_STORE, type BlobStore, unlessRefused } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { BenchmarksService } from '../benchmarks/benchmarks.service.js';
import { commitmentTo } from '../datasets/commitment.js';
import {
  Dataset,
  type DatasetRoom,
  DatasetVersion,
  datasetSettings,
  recordPut,
  unknownDataset,
} from '../datasets/dataset.js';
import { perturbedName } from '../examples/named-examples.js';
import { lockTask, type Task } from '../task.js';
import { generateVariants, type StoredVariants } from './generated-variants.js';
import { pairsFit, storedIds, takeOwnPairs } from './own-pairs.js';

interface OwnPairsStored {
  readonly version: DatasetVersion;
  /** False if the same pairs were already stored. */
  readonly created: boolean;
}

/**
 * Creates the perturbed versions of dataset versions, once each, and stores an owner's own pairs
 * instead of generated ones.
 */
@Injectable()
export class PerturbationsService {
  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly benchmarks: BenchmarksService,
  ) {}

  /**
   * Ensures that `version` has exactly the perturbed versions that its task configures, with its
   * own status. Idempotent. Runs in the caller's transaction, with the task locked.
   */
  async ensure(em: EntityManager, task: Task, version: DatasetVersion): Promise<void> {
    const kinds: readonly Perturbation[] = taskPerturbations(task.definition);
    for (const kind of ['fairness', 'robustness'] as const) {
      const variants = kinds.includes(kind) ? await this.variantsFor(em, task, version, kind) : null;
      const kept = variants && (await this.keep(em, task, version, kind, variants));
      await this.retireOthers(em, version, kind, kept);
    }
    await em.flush();
  }

  /**
   * Ensures the perturbed versions of all active and proposed versions, as the task's definition
   * now configures them.
   */
  async ensureAll(em: EntityManager, task: Task): Promise<void> {
    const versions = await em.find(
      DatasetVersion,
      { dataset: { task, perturbation: null }, status: ['active', 'proposed'] },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' }, number: 'asc' } },
    );
    for (const version of versions) await this.ensure(em, task, version);
  }

  /**
   * Copies role, round, use, visibility, `publicSince` and `against` of `dataset` to its perturbed
   * datasets.
   */
  async follow(em: EntityManager, dataset: Dataset): Promise<void> {
    for (const perturbed of await em.find(Dataset, { original: dataset }))
      em.assign(perturbed, datasetSettings(dataset));
  }

  /**
   * Stores the owner's own pairs of a dataset in place of generated ones. If they belong to active
   * versions, a new benchmark version is released immediately.
   * @throws DomainError `unknown_dataset`, `perturbation_not_configured`, `bad_line`,
   * `unknown_original`
   */
  async putOwn(
    actor: Actor,
    task: Task,
    name: string,
    kind: Perturbation,
    source: Readable,
    room?: DatasetRoom,
  ): Promise<OwnPairsStored> {
    if (!taskPerturbations(task.definition).includes(kind)) {
      const message = `The task has no ${kind}. Add "perturbations: {${kind}: []}" to its definition first.`;
      throw new DomainError('conflict', 'perturbation_not_configured', message);
    }
    const newest = (await this.inForce(this.em, task, name)).at(-1);
    if (!newest) throw unknownDataset(task, name);

    const originals = await storedIds(this.blobs, newest.content);
    const { pairs, blob } = await takeOwnPairs(task.definition, source, originals, this.blobs, room?.onBytes);
    return unlessRefused(this.blobs, blob, () => this.keepOwn(actor, task, name, kind, pairs, room));
  }

  private async keepOwn(
    actor: Actor,
    task: Task,
    name: string,
    kind: Perturbation,
    pairs: StoredVariants,
    room: DatasetRoom | undefined,
  ): Promise<OwnPairsStored> {
    return this.em.transactional(async (em) => {
      const { owner } = await lockTask(em, task);
      const versions = await this.inForce(em, task, name);
      const kept: OwnPairsStored[] = [];
      for (const version of versions) {
        if (!(await this.fits(pairs, version))) continue;
        const present = await em.findOne(DatasetVersion, { original: version, digest: digestOf(version, pairs) });
        const perturbed = await this.keep(em, task, version, kind, pairs);
        await this.retireOthers(em, version, kind, perturbed);
        kept.push({ version: perturbed, created: !present });
      }
      const stored = kept.at(-1);
      // the dataset was replaced while the pairs were uploaded
      if (!stored) throw unknownDataset(task, name);
      await em.flush();
      await this.benchmarks.datasetsChanged(em, actor, task);
      if (kept.some(({ created }) => created)) {
        await room?.expect(em, owner.id);
        recordPut(em, actor, task, stored.version);
      }
      return stored;
    });
  }

  private inForce(em: EntityManager, task: Task, name: string): Promise<DatasetVersion[]> {
    return em.find(
      DatasetVersion,
      { dataset: { task, name, perturbation: null }, status: ['active', 'proposed'] },
      { populate: ['dataset'], orderBy: { number: 'asc' } },
    );
  }

  /**
   * Returns the owner's own pairs if there are any that fit the version, otherwise generated
   * variants.
   */
  private async variantsFor(
    em: EntityManager,
    task: Task,
    version: DatasetVersion,
    kind: Perturbation,
  ): Promise<StoredVariants | null> {
    const earlier = await em.find(
      DatasetVersion,
      { dataset: { original: version.dataset, perturbation: kind }, status: { $ne: 'retired' } },
      { orderBy: { number: 'desc' } },
    );
    const own = earlier.find(({ transforms }) => transforms?.some(({ name }) => name === 'own'));
    if (own?.transforms && (own.original?.id === version.id || (await this.fits(own, version)))) {
      const { content, inputsDigest, examples, transforms } = own;
      return { content, inputsDigest, examples, transforms };
    }
    return generateVariants(task.definition, kind, version, this.blobs);
  }

  private async fits({ content }: { readonly content: string }, version: DatasetVersion): Promise<boolean> {
    return pairsFit(this.blobs, content, await storedIds(this.blobs, version.content));
  }

  /** Returns the perturbed version with these variants; creates it if it does not exist. */
  private async keep(
    em: EntityManager,
    task: Task,
    version: DatasetVersion,
    kind: Perturbation,
    variants: StoredVariants,
  ): Promise<DatasetVersion> {
    const dataset = await this.datasetOf(em, task, version.dataset, kind);
    const digest = digestOf(version, variants);
    const present = await em.findOne(DatasetVersion, { dataset, digest });
    if (present) {
      present.status = version.status;
      return present;
    }
    const number = (await em.count(DatasetVersion, { dataset })) + 1;
    const kept = em.create(DatasetVersion, {
      ...variants,
      dataset,
      number,
      digest,
      ...commitmentTo(digest),
      goldCounts: null,
      original: version,
      status: version.status,
    });
    await em.flush();
    return kept;
  }

  private async datasetOf(em: EntityManager, task: Task, original: Dataset, kind: Perturbation): Promise<Dataset> {
    const name = perturbedName(original.name, kind);
    const present = await em.findOne(Dataset, { task, name });
    if (present) return em.assign(present, datasetSettings(original));
    return em.create(Dataset, { task, name, perturbation: kind, original, ...datasetSettings(original) });
  }

  private async retireOthers(
    em: EntityManager,
    version: DatasetVersion,
    kind: Perturbation,
    kept: DatasetVersion | null,
  ): Promise<void> {
    const all = await em.find(DatasetVersion, {
      original: version,
      dataset: { perturbation: kind },
      status: { $ne: 'retired' },
    });
    for (const other of all) if (other.id !== kept?.id) other.status = 'retired';
  }
}

/**
 * Returns the digest that identifies a perturbed version. It includes the digest of the original,
 * so the same variants of another version get another digest.
 */
const digestOf = ({ digest }: DatasetVersion, { content, transforms }: StoredVariants): string =>
  hash(
    'sha256',
    canonicalJson({
      original: digest,
      content,
      transforms: transforms.map(({ name, version }) => [name, version]),
    }),
  );
