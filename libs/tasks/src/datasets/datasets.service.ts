import type { Readable } from 'node:stream';
import type { HumanFigures } from '@assay/contracts/annotating';
import type { GivenHumanFigures } from '@assay/contracts/facts';
import type { DatasetCheck, DatasetPut, PatchDataset, PutDatasetQuery, Visibility } from '@assay/contracts/datasets';
import { taskMetrics } from '@assay/contracts/tasks';
import type { Principal } from '@assay/identity';
import { type Actor, type AuditedFacts, AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { BLOB_STORE, type BlobStore, unlessRefused } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { BenchmarksService } from '../benchmarks/benchmarks.service.js';
import { publishedDigest } from './commitment.js';
import { PerturbationsService } from '../perturbation/perturbations.service.js';
import {
  auditedDataset,
  Dataset,
  type DatasetRoom,
  datasetSettings,
  DatasetVersion,
  unknownDataset,
} from './dataset.js';
import { checkDataset } from './dataset-check.js';
import { type Intake, storeDataset } from './dataset-intake.js';
import type { OtherDataset } from './duplicate-inputs.js';
import type { DatasetFormat } from '../examples/dataset-records.js';
import { Round } from '../round.js';
import { markBoardStale } from '../benchmarks/stale-board.js';
import { lockTask, mayReadExamples, type Task } from '../task.js';
import { TaskSubmitter } from '../task-submitter.js';

interface DatasetStored extends Omit<DatasetPut, 'warnings' | 'duplicates'> {
  /** False if the same bytes were already stored. */
  readonly created: boolean;
}

@Injectable()
export class DatasetsService {
  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly benchmarks: BenchmarksService,
    private readonly perturbations: PerturbationsService,
  ) {}

  /**
   * Stores an upload as a dataset version. It is proposed if the task has ranked models, and active
   * immediately otherwise.
   */
  async put(
    actor: Actor,
    task: Task,
    name: string,
    query: PutDatasetQuery,
    format: DatasetFormat,
    source: Readable,
    hasRankedModels: () => Promise<boolean>,
    room?: DatasetRoom,
  ): Promise<DatasetStored & Pick<DatasetPut, 'duplicates'>> {
    // reject a mismatch before any byte is read
    expectAlike(await this.em.fork().findOne(Dataset, { task, name }), query);
    const limits = { onBytes: room?.onBytes };
    const { intake, blob, seen } = await storeDataset(task.definition, source, format, this.blobs, limits);
    const put = await unlessRefused(this.blobs, blob, () =>
      this.keepPut(actor, task, name, query, intake, hasRankedModels, room),
    );
    return { ...put, duplicates: await seen.report(await this.otherDatasets(task, name)) };
  }

  private async keepPut(
    actor: Actor,
    task: Task,
    name: string,
    query: PutDatasetQuery,
    intake: Intake,
    hasRankedModels: () => Promise<boolean>,
    room: DatasetRoom | undefined,
  ): Promise<DatasetStored> {
    return this.em.transactional(async (em) => {
      // one upload at a time per task, because version numbers and the active versions depend on it
      const { owner } = await lockTask(em, task);
      const present = await em.findOne(Dataset, { task, name });
      const from = present ? factsOf(present) : {};
      const { version, created } = await this.keep(em, task, name, query, intake, () => room?.expect(em, owner.id));
      const { dataset } = version;
      const changes = { from, to: factsOf(dataset) };
      const subject = auditedDataset(task, dataset);
      if (!created) {
        AuditLog.recordChange(em, actor, { action: 'dataset.changed', subject }, changes);
        return stored(version, dataset, false);
      }
      if (!(await hasRankedModels())) await this.benchmarks.activateAtOnce(em, actor, task, version);
      const { number, examples, status } = version;
      const { digest } = publishedDigest(version, dataset.visibility);
      const to = { ...changes.to, version: number, digest, examples, status };
      AuditLog.recordChange(em, actor, { action: 'dataset.put', subject }, { from, to });
      await em.flush();
      return stored(version, dataset, true);
    });
  }

  /** Returns the findings that an upload of these bytes would have. Stores nothing. */
  async check(task: Task, name: string, format: DatasetFormat, source: Readable): Promise<DatasetCheck> {
    const others = await this.otherDatasets(task, name);
    const found = await checkDataset(task.definition, source, format, others);
    const same =
      found.digest === null
        ? null
        : await this.em.findOne(DatasetVersion, { dataset: { task, name, perturbation: null }, digest: found.digest });
    return { ...found, sameAs: same?.number ?? null };
  }

  /**
   * Stores an intake as a proposed version of the dataset `name`, with its perturbed versions. Runs
   * in the caller's transaction, with the task locked. For a collected round, `against` has the ids of
   * the models that its examples were collected against.
   * @param expectRoom throws if there is no storage left; called before perturbed versions are made
   */
  async keep(
    em: EntityManager,
    task: Task,
    name: string,
    { against, ...query }: PutDatasetQuery & { readonly against?: readonly string[] },
    intake: Intake,
    expectRoom?: () => Promise<void> | undefined,
  ): Promise<{ readonly version: DatasetVersion; readonly created: boolean }> {
    const dataset = await this.datasetFor(em, task, name, query);
    if (against) Object.assign(dataset, { against, collected: true });
    await this.perturbations.follow(em, dataset);
    const present = await em.findOne(DatasetVersion, { dataset, digest: intake.digest });
    if (present) return { version: present, created: false };

    const version = await this.addVersion(em, dataset, intake);
    await em.flush();
    await expectRoom?.();
    await this.perturbations.ensure(em, task, version);
    return { version, created: true };
  }

  /**
   * Changes the metadata of a dataset. A change of `against`, `publicSince` or `human` changes the
   * board.
   * @returns the newest version that is not retired
   * @throws DomainError `unknown_dataset`, `unknown_metric`, `human_figures_measured`, `not_hidden`,
   *   `no_submitters`
   */
  async change(actor: Actor, task: Task, name: string, change: PatchDataset): Promise<DatasetVersion> {
    return this.em.transactional(async (em) => {
      await lockTask(em, task);
      const versions = await em.find(
        DatasetVersion,
        { dataset: { task, name, perturbation: null }, status: ['active', 'proposed'] },
        { populate: ['dataset'], orderBy: { number: 'desc' } },
      );
      const [newest] = versions;
      if (!newest) throw unknownDataset(task, name);
      const { dataset } = newest;
      const from = { ...factsOf(dataset), human: newest.human };
      if (change.human !== undefined) newest.human = givenFigures(task, newest, change.human);
      if (change.against) dataset.against = [...new Set(change.against)].sort();
      show(dataset, change.visibility);
      if (change.publicSince !== undefined) {
        dataset.publicSince = change.publicSince === null ? null : new Date(change.publicSince);
      }
      if (change.inputsUntil !== undefined) shareInputs(em, task, dataset, change.inputsUntil);
      await this.perturbations.follow(em, dataset);
      markBoardStale(em, task.id);
      const changes = { from, to: { ...factsOf(dataset), human: newest.human } };
      AuditLog.recordChange(em, actor, { action: 'dataset.changed', subject: auditedDataset(task, dataset) }, changes);
      return newest;
    });
  }

  /** Returns the newest version that is not retired of each of the task's other datasets. */
  private async otherDatasets(task: Task, name: string): Promise<OtherDataset[]> {
    const versions = await this.list(task);
    const newest = new Map(versions.map((version) => [version.dataset.name, version]));
    newest.delete(name);
    return Array.from(newest.values(), ({ dataset, number, content }) => ({
      name: dataset.name,
      version: number,
      open: () => this.blobs.open(content),
    }));
  }

  /** Returns the active and proposed versions of the task's datasets, without perturbed ones. */
  async list(task: Task): Promise<DatasetVersion[]> {
    return this.em.find(
      DatasetVersion,
      { dataset: { task, perturbation: null }, status: ['active', 'proposed'] },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' }, number: 'asc' } },
    );
  }

  /**
   * Returns how much of a dataset `principal` may read: `all`, its `inputs`, or null. The audit log
   * records a listed submitter who reads hidden inputs.
   */
  async readableBy(principal: Principal | null, task: Task, dataset: Dataset): Promise<'all' | 'inputs' | null> {
    if (mayReadExamples(principal, task, dataset)) return 'all';
    if (dataset.visibility === 'inputs') return 'inputs';
    if (!principal || !dataset.inputsUntil || dataset.inputsUntil.getTime() <= Date.now()) return null;
    const em = this.em.fork();
    if ((await em.count(TaskSubmitter, { task, user: principal.userId })) === 0) return null;
    AuditLog.record(em, principal, { action: 'dataset.inputs_read', subject: auditedDataset(task, dataset) });
    await em.flush();
    return 'inputs';
  }

  /**
   * Returns all versions of a dataset, retired ones included, in ascending order.
   * @throws DomainError `not_found` if the dataset does not exist or `principal` may not read its
   * gold
   */
  async readable(principal: Principal | null, task: Task, name: string): Promise<DatasetVersion[]> {
    const versions = await this.em.find(
      DatasetVersion,
      { dataset: { task, name, perturbation: null } },
      { populate: ['dataset'], orderBy: { number: 'asc' } },
    );
    const [first] = versions;
    if (first && mayReadExamples(principal, task, first.dataset)) return versions;
    throw DomainError.notFound('dataset');
  }

  async readableVersion(
    principal: Principal | null,
    task: Task,
    name: string,
    number: number,
  ): Promise<DatasetVersion> {
    const version = (await this.readable(principal, task, name)).find((each) => each.number === number);
    if (version) return version;
    throw DomainError.notFound('dataset version');
  }

  private async datasetFor(em: EntityManager, task: Task, name: string, query: PutDatasetQuery): Promise<Dataset> {
    const round = query.round ?? null;
    if (round !== null && !(await em.findOne(Round, { task, number: round }))) {
      em.create(Round, { task, number: round, state: 'closed', imported: true });
    }
    const dataset = await em.findOne(Dataset, { task, name });
    const { role = 'static', use = 'scoring', visibility = 'hidden' } = query;
    if (!dataset) {
      const publicSince = visibility === 'hidden' ? null : new Date();
      return em.create(Dataset, { task, name, role, round, use, visibility, publicSince });
    }

    expectAlike(dataset, query);
    show(dataset, query.visibility);
    return dataset;
  }

  private async addVersion(em: EntityManager, dataset: Dataset, intake: Intake): Promise<DatasetVersion> {
    const number = (await em.count(DatasetVersion, { dataset })) + 1;
    return em.create(DatasetVersion, { dataset, number, status: 'proposed', ...intake });
  }
}

/**
 * Sets the visibility. Hiding published content again does not clear `publicSince`, because the
 * content stays known.
 */
function show(dataset: Dataset, visibility: Visibility | undefined): void {
  if (visibility === undefined) return;
  dataset.visibility = visibility;
  if (visibility !== 'hidden') dataset.publicSince ??= new Date();
}

/** @throws DomainError `not_hidden`, `no_submitters` */
function shareInputs(em: EntityManager, task: Task, dataset: Dataset, until: string | null): void {
  dataset.inputsUntil = until === null ? null : new Date(until);
  if (until === null) return;
  if (dataset.visibility !== 'hidden') {
    throw new DomainError('conflict', 'not_hidden', `Everybody may read the inputs of "${dataset.name}" already.`);
  }
  if (!task.limitsSubmitters) {
    const sentence = 'Hidden inputs are for listed submitters only. First list who may submit to this task.';
    throw new DomainError('conflict', 'no_submitters', sentence);
  }
  Outbox.add(em, 'inputs.shared', { taskId: task.id, datasetId: dataset.id });
}

const factsOf = (dataset: Dataset): AuditedFacts => ({
  ...datasetSettings(dataset),
  publicSince: dataset.publicSince?.toISOString() ?? null,
  inputsUntil: dataset.inputsUntil?.toISOString() ?? null,
});

/** @throws DomainError `unknown_metric`, `human_figures_measured` */
function givenFigures(task: Task, version: DatasetVersion, given: GivenHumanFigures | null): HumanFigures | null {
  if (Object.values(version.human ?? {}).some(({ source }) => source === undefined)) {
    throw new DomainError(
      'conflict',
      'human_figures_measured',
      `Human performance on "${version.dataset.name}" was measured here, from the answers of validators, and cannot be replaced.`,
    );
  }
  if (given === null) return null;
  const known: readonly string[] = taskMetrics(task.definition);
  const unknown = Object.keys(given.metrics).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const message = `"${task.slug}" has no metric "${unknown}". It has ${known.join(', ')}.`;
    throw new DomainError('invalid', 'unknown_metric', message);
  }
  return Object.fromEntries(
    Object.entries(given.metrics).map(([name, { value, low = null, high = null, n = null }]) => [
      name,
      { n, value, low, high, source: given.source },
    ]),
  );
}

/** @throws DomainError `dataset_differs` */
function expectAlike(dataset: Dataset | null, query: PutDatasetQuery): void {
  if (!dataset || !differs(dataset, query)) return;
  throw new DomainError(
    'conflict',
    'dataset_differs',
    `The dataset "${dataset.name}" is ${describe(dataset)}. A new version cannot change that.`,
  );
}

/**
 * Returns whether a query contradicts the dataset. Properties that the query does not name match.
 */
const differs = (dataset: Dataset, { role, round, use }: PutDatasetQuery): boolean =>
  (role ?? dataset.role) !== dataset.role ||
  (use ?? dataset.use) !== dataset.use ||
  (role !== undefined && (round ?? null) !== (dataset.round ?? null));

const describe = (dataset: Dataset): string =>
  typeof dataset.round !== 'number'
    ? `${dataset.role}, for ${dataset.use}`
    : `of round ${dataset.round}, for ${dataset.use}`;

const stored = (
  version: DatasetVersion,
  { name, visibility }: Pick<Dataset, 'name' | 'visibility'>,
  created: boolean,
): DatasetStored => ({
  name,
  version: version.number,
  ...publishedDigest(version, visibility),
  examples: version.examples,
  status: version.status,
  created,
});
