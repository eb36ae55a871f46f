import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entities } from '@assay/application';
import { type ModelKind } from '@assay/contracts/models';
import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { databaseOptions } from '@assay/persistence';
import { OutboxEvent } from '@assay/persistence/outbox';
import { LocalBlobStore } from '@assay/storage';
import { Model, RunSpecification, specificationKey, specify } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { BenchmarkVersion, currentVersions } from '@assay/tasks/benchmarks';
import { commitmentTo, Dataset, DatasetVersion } from '@assay/tasks/datasets';
import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { measuringLocks } from '../../../apps/evaluator/src/host/measuring-locks.js';
import { migratedDatabase } from './migrated-database.js';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * A task with active datasets and models, with its own database, folder and blob store, and with
 * its own measuring locks, as on a separate host.
 */
export class EvaluationWorld {
  readonly blobs: LocalBlobStore;
  readonly locks = measuringLocks(newId());

  private constructor(
    readonly url: string,
    /** The URL of the same database for its owner role. */
    readonly ownerUrl: string,
    readonly orm: MikroORM,
    readonly folder: string,
    private readonly dropDatabase: () => Promise<void>,
  ) {
    this.blobs = new LocalBlobStore(join(folder, 'blobs'));
  }

  static async create(): Promise<EvaluationWorld> {
    const database = await migratedDatabase();
    const url = database.applicationUrl;
    const orm = await MikroORM.init(databaseOptions({ url, entities, poolMax: 10 }));
    const folder = await mkdtemp(join(tmpdir(), 'assay-world-'));
    return new EvaluationWorld(url, database.url, orm, folder, () => database.drop());
  }

  async close(): Promise<void> {
    await this.orm.close(true);
    await this.dropDatabase();
    await rm(this.folder, { recursive: true, force: true });
  }

  get em(): EntityManager {
    return this.orm.em.fork();
  }

  /** Opens a separate connection pool, as another process would. */
  otherProcess(): Promise<MikroORM> {
    return MikroORM.init(databaseOptions({ url: this.url, entities, poolMax: 5 }));
  }

  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.em.transactional((em) => work(em));
  }

  /** Returns the ID of a new user. */
  async user(): Promise<string> {
    const em = this.em;
    const { id } = newUser(em, `user-${newId().slice(-12)}`);
    await em.flush();
    return id;
  }

  async task(definition: Partial<TaskDefinitionInput> = {}): Promise<Task> {
    const em = this.em;
    const slug = `task-${newId().slice(-12)}`;
    const owner = newUser(em, slug);
    const task = em.create(Task, {
      slug,
      owner,
      definition: TaskDefinition.parse({
        slug,
        name: 'Sentiment',
        inputs: [{ name: 'text', type: 'text' }],
        output: { name: 'label', type: 'label', labels: ['positive', 'negative'] },
        performance: 'accuracy',
        ...definition,
      }),
    });
    await em.flush();
    return task;
  }

  /**
   * Adds an active dataset version to the task, and with it a new benchmark version. `content` is
   * the digest of the blob with its lines.
   */
  async dataset(
    task: Task,
    name: string,
    given: Partial<Pick<DatasetVersion, 'content' | 'examples'> & Pick<Dataset, 'visibility' | 'use'>> = {},
  ): Promise<DatasetVersion> {
    const em = this.em;
    const { content = sha256(`${task.slug}/${name}`), examples = 4, visibility = 'public', use = 'scoring' } = given;
    const dataset =
      (await em.findOne(Dataset, { task: task.id, name })) ??
      em.create(Dataset, { task: task.id, name, role: 'static', round: null, use, visibility });
    const version = em.create(DatasetVersion, {
      dataset,
      number: 1,
      digest: content,
      ...commitmentTo(content),
      content,
      inputsDigest: content,
      examples,
      goldCounts: null,
      status: 'active',
    });
    const last = await em.findOne(BenchmarkVersion, { task: task.id }, { orderBy: { number: 'desc' } });
    const { performance, weights, aggregate, limits, slices } = task.definition;
    em.create(BenchmarkVersion, {
      task: task.id,
      number: (last?.number ?? 0) + 1,
      datasets: [...(last?.datasets ?? []), version.id],
      definition: { performance, aggregate, limits, slices, ...(weights && { weights }) },
      metricVersions: currentVersions(task.definition),
      amrs: null,
    });
    await em.flush();
    return version;
  }

  /**
   * Creates a model whose artifact has arrived. `bytes` determines the artifact and, with the task,
   * the run specification.
   */
  async model(
    task: Task,
    given: {
      readonly bytes?: string;
      readonly digest?: string;
      readonly admitted?: boolean;
      readonly kind?: ModelKind;
      /** ID of its owner (default: that of the task). */
      readonly owner?: string;
      readonly published?: boolean;
    } = {},
  ): Promise<Model> {
    const em = this.em;
    const { bytes = newId(), digest = sha256(bytes), admitted = false, kind = 'container' } = given;
    const { owner = task.owner.id, published = true } = given;
    const model = em.create(Model, {
      task: task.id,
      owner,
      name: 'A model',
      kind,
      description: '',
      card: '',
      trainedOn: [],
      protocol: 'invocations',
      command: null,
      specification: null,
      failure: null,
      published,
      acceptedAt: new Date(),
    });
    const image = { port: 8080, protocol: null, unpackedBytes: 1000, unreadable: [] };
    const artifact =
      (await em.findOne(Artifact, { digest, kind })) ??
      em.create(Artifact, {
        digest,
        kind,
        size: 1000,
        state: admitted ? 'admitted' : 'received',
        failure: null,
        image: admitted ? image : null,
      });
    const content = specify(task.definition, model, artifact);
    const key = specificationKey(content);
    model.specification =
      (await em.findOne(RunSpecification, { key })) ?? em.create(RunSpecification, { key, artifact, content });
    await em.flush();
    return model;
  }

  async events(type: string): Promise<Record<string, unknown>[]> {
    const found = await this.em.find(OutboxEvent, { type }, { orderBy: { id: 'asc' } });
    return found.map((event) => event.payload as Record<string, unknown>);
  }

  state(model: Model): Promise<Pick<Model, 'state' | 'failure'>> {
    return this.em.findOneOrFail(Model, model.id);
  }

  runs(model: Model): Promise<Run[]> {
    return this.em.find(Run, { specification: model.specification!.id }, { orderBy: { id: 'asc' } });
  }

  cells(model: Model): Promise<Evaluation[]> {
    return this.em.find(
      Evaluation,
      { specification: model.specification!.id },
      { populate: ['datasetVersion.dataset'], orderBy: { datasetVersion: { dataset: { name: 'asc' } } } },
    );
  }
}

const newUser = (em: EntityManager, username: string): User =>
  em.create(User, { username, usernameKey: username, email: `${username}@example.org`, passwordHash: null });
