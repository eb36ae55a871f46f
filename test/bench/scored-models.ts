import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { entities } from '@assay/application';
import type { Estimate, Measures } from '@assay/contracts/metrics';
import { Evaluation } from '@assay/evaluation/evaluations';
import { scoringKey } from '@assay/evaluation/runs';
import { User } from '@assay/identity';
import { newId, seededRng } from '@assay/kernel';
import { databaseOptions } from '@assay/persistence';
import { drawNormal } from '@assay/scoring';
import { LocalBlobStore, storeResamples } from '@assay/storage';
import { Model, RunSpecification, specificationKey, specify } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { BenchmarkVersion, markBoardStale } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import pLimit from 'p-limit';
import type { ServiceWorld } from '../factories/worlds/service-world.js';

const DRAWS = 1000;
const OWNERS = 200;
/** The number of models whose rows are inserted together. */
const BATCH = 500;
/** The number of blobs that are written concurrently. */
const WRITERS = 32;
const Z95 = 1.96;

/**
 * Writes rows and blobs of a service as runs would have left them, for benches that do not measure
 * the runs.
 */
export class ScoredModels {
  private readonly blobs: LocalBlobStore;
  private readonly limit = pLimit(WRITERS);
  /**
   * By dataset version: the component of each resample that all models share, because they answer
   * the same examples.
   */
  private readonly common = new Map<string, Float32Array>();

  private constructor(
    private readonly orm: MikroORM,
    private readonly slug: string,
    home: string,
  ) {
    this.blobs = new LocalBlobStore(join(home, 'blobs'));
  }

  static async open(world: ServiceWorld, task: string): Promise<ScoredModels> {
    const orm = await MikroORM.init(databaseOptions({ url: world.databaseUrl, entities, poolMax: 4 }));
    return new ScoredModels(orm, task, world.home);
  }

  close(): Promise<void> {
    return this.orm.close(true);
  }

  /**
   * Adds models of a few owners, each scored and measured on every active dataset. Their resampled
   * values are in the blob store.
   */
  async add(count: number): Promise<void> {
    const em = this.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: this.slug });
    const benchmark = await em.findOneOrFail(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
    const versions = await em.find(DatasetVersion, { id: { $in: [...benchmark.datasets] } });
    const owners = await this.owners(em);
    for (let first = 0; first < count; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
      const models = batch.map((number) => modelRows(task, owners[number % owners.length]!, number));
      const cells = await Promise.all(models.flatMap((model) => this.cells(task, versions, model)));
      await em.transactional(async (tx) => {
        await tx.insertMany(
          Artifact,
          models.map(({ artifact }) => artifact),
        );
        await tx.insertMany(
          RunSpecification,
          models.map(({ specification }) => specification),
        );
        await tx.insertMany(
          Model,
          models.map(({ model }) => model),
        );
        await tx.insertMany(Evaluation, cells);
      });
      em.clear();
    }
    // cleans up after so many inserts now, so that the database does not do it during the
    // measurement
    await em.execute('vacuum analyze');
  }

  /** Changes one score and marks the board as stale in one transaction, as a run does. */
  async rescoreOne(round: number): Promise<void> {
    await this.orm.em.fork().transactional(async (em) => {
      const task = await em.findOneOrFail(Task, { slug: this.slug });
      const ofTask = { state: 'scored', datasetVersion: { dataset: { task } } } as const;
      const cell = await em.findOneOrFail(Evaluation, ofTask, { orderBy: { id: 'asc' }, offset: round });
      const { accuracy, ...others } = cell.metrics!;
      cell.metrics = { ...others, accuracy: { ...accuracy!, value: accuracy!.value + 1e-6 } };
      markBoardStale(em, task.id);
    });
  }

  async stale(): Promise<void> {
    await this.orm.em.fork().transactional(async (em) => {
      markBoardStale(em, (await em.findOneOrFail(Task, { slug: this.slug })).id);
    });
  }

  /** Returns the newest revision of the board; 0 if there is none. */
  async revision(): Promise<number> {
    const [row] = await this.orm.em
      .fork()
      .execute<{ number: number | null }[]>(
        'select max(r.number) as number from board_revision r join task t on t.id = r.task_id where t.slug = ?',
        [this.slug],
      );
    return row?.number ?? 0;
  }

  /** Returns the owners, which are the same for every task. */
  private async owners(em: EntityManager): Promise<readonly string[]> {
    const present = await em.find(User, { username: { $like: 'owner-%' } }, { fields: ['id'] });
    if (present.length > 0) return present.map(({ id }) => id);
    const rows = Array.from({ length: OWNERS }, (_, number) => ({
      id: newId(),
      username: `owner-${number}`,
      usernameKey: `owner-${number}`,
      email: `owner-${number}@example.org`,
      passwordHash: null,
      role: 'user' as const,
      createdAt: new Date(),
    }));
    await em.insertMany(User, rows);
    return rows.map(({ id }) => id);
  }

  private cells(task: Task, versions: readonly DatasetVersion[], { specification, number }: ModelRows) {
    const rng = seededRng(`model ${number}`);
    const ability = 0.5 + 0.45 * rng.next();
    const measures = measuresOf(rng.next(), rng.next());
    return versions.map(async (version) => {
      const accuracy = estimate(Math.min(0.99, ability + 0.04 * (rng.next() - 0.5)), version.examples);
      const macro = estimate(Math.max(0, accuracy.value - 0.02 * rng.next()), version.examples);
      const metrics = { accuracy, macro_f1: macro };
      return {
        id: newId(),
        specification: specification.id,
        datasetVersion: version.id,
        state: 'scored' as const,
        metrics,
        measures,
        slices: {},
        sliceSpreads: {},
        scoringKey: scoringKey(task.definition, version),
        resamples: await this.limit(() => this.resamples(version, metrics, number)),
        invalid: 0,
        createdAt: new Date(),
        finishedAt: new Date(),
      };
    });
  }

  /**
   * Stores the resampled values of a model. It shares half of its variance with all other models.
   */
  private async resamples(
    version: DatasetVersion,
    metrics: Readonly<Record<string, Estimate>>,
    number: number,
  ): Promise<string> {
    const common = this.common.get(version.id) ?? normals(`draws ${version.id}`);
    this.common.set(version.id, common);
    const own = normals(`model ${number} ${version.id}`);
    const columns = Object.entries(metrics).map(([name, { value, standardError }]) => {
      const scale = standardError! * Math.SQRT1_2;
      return [name, Float32Array.from(common, (shared, draw) => value + scale * (shared + own[draw]!))] as const;
    });
    return storeResamples(this.blobs, Object.fromEntries(columns));
  }
}

type ModelRows = ReturnType<typeof modelRows>;

function modelRows(task: Task, owner: string, number: number) {
  const digest = createHash('sha256').update(`${task.slug} model ${number}`).digest('hex');
  const createdAt = new Date();
  const artifact = {
    id: newId(),
    digest,
    kind: 'container' as const,
    size: 1_000_000 + number,
    state: 'admitted' as const,
    image: { port: 8080, protocol: null, unpackedBytes: 1_000_000, unreadable: [] },
    createdAt,
  };
  const described = {
    id: newId(),
    task: task.id,
    owner,
    name: `Model ${number}`,
    kind: 'container' as const,
    description: '',
    card: '',
    trainedOn: [],
    protocol: 'invocations' as const,
    command: null,
    state: 'scored' as const,
    published: true,
    withdrawn: false,
    createdAt,
    acceptedAt: createdAt,
  };
  const content = specify(task.definition, described, artifact);
  const specification = { id: newId(), key: specificationKey(content), artifact: artifact.id, content, createdAt };
  return { number, artifact, specification, model: { ...described, specification: specification.id } };
}

function measuresOf(speed: number, size: number): Measures {
  const latency = 2 + 50 * speed;
  return {
    throughput: 1000 / latency,
    latency_p50: latency,
    latency_p90: 1.1 * latency,
    latency_p95: 1.2 * latency,
    latency_p99: 1.5 * latency,
    latency_count: 1000,
    memory: 0.2 + 3 * size,
    memory_cgroup: 0.3 + 3 * size,
    cold_start: 400,
    contended: false,
    hardware: 'bench, 1 cpu, runc',
  };
}

function estimate(value: number, examples: number): Estimate {
  const standardError = Math.sqrt((value * (1 - value)) / examples);
  return { value, low: value - Z95 * standardError, high: value + Z95 * standardError, standardError };
}

function normals(seed: string): Float32Array {
  const rng = seededRng(seed);
  return Float32Array.from({ length: DRAWS }, () => drawNormal(rng));
}
