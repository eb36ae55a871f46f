import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegisteredEvaluators } from '@assay/contracts/evaluators';
import type { ModelState } from '@assay/contracts/models';
import { seededRng, type Rng } from '@assay/kernel';
import { expect } from '@jest/globals';
import { connectionShares } from '../../libs/persistence/src/connection-shares.js';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { misbehavingImage } from '../factories/hostile/misbehaving-image.js';
import { unloadableBundle } from '../factories/models/onnx-bundles.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import { isFullForm } from '../factories/test-form.js';
import { startRedis, type TestRedis } from '../factories/worlds/test-services.js';
import { DatabaseWitness } from './database-witness.js';
import { EngineWatch } from './engine-watch.js';
import { brokenInvariants, repeatedResults, stillBroken } from './invariants.js';
import { startOwnPostgres, type OwnPostgres } from './own-servers.js';
import { DATASETS, parity, parityExamples, parityPredictions } from './parity-task.js';

export const QUEUE_BACKENDS = ['PostgreSQL', 'Redis'] as const;
export type QueueBackendName = (typeof QUEUE_BACKENDS)[number];

type Environment = Readonly<Record<string, string>>;
type Submission = Parameters<ServiceWorld['submit']>[1];

export interface FaultySettings {
  readonly queue: QueueBackendName;
  /** Settings for all processes of the service. */
  readonly environment?: Environment;
  /** Settings for the PostgreSQL processes. */
  readonly postgresEnvironment?: Environment;
  /** The folder in which the home folder is created. */
  readonly folder?: string;
  /**
   * Returns the URL by which the service reaches the database at the given URL. Default: the same
   * URL.
   */
  readonly through?: (databaseUrl: string) => Promise<string>;
}

/**
 * Settings for tests that kill evaluators: files that a killed evaluator was writing are removed
 * from the disk while the test is still checking.
 */
export const CLEARED_SOON: Environment = { ASSAY_ORPHAN_SECONDS: '20' };

/**
 * The duration of a lease in seconds, unless a test sets another one. It is short so that the runs
 * of a dead evaluator are soon leased again.
 */
const LEASE_SECONDS = 6;
const SETTLED_MILLISECONDS = 120_000;
/** The name of the second evaluator and of the second worker. */
const SECOND = 'second';
const CONNECTIONS = 120;
const PROCESSES = { api: 1, worker: 2 } as const;

/** The number of database connections that all requests to the API share. */
export const API_POOL = connectionShares(CONNECTIONS, PROCESSES).api.pool;

/**
 * The whole service as processes that can be killed: API, workers and evaluators from the build, with its
 * own PostgreSQL, its own Redis if the queue is there, one task with two datasets, and observers of
 * the database and the engine.
 */
export class FaultyService {
  private readonly folder = mkdtempSync(join(tmpdir(), 'assay-faults-'));
  private submissions = 0;
  /** The models whose artifacts were accepted with 202. */
  private readonly accepted: string[] = [];
  /** The position up to which each log was read. */
  private readonly read = new Map<string, number>();
  /** The path of the last submitted image. */
  private image: Promise<string> | undefined;

  private constructor(
    readonly world: ServiceWorld,
    readonly postgres: OwnPostgres,
    readonly redis: TestRedis | null,
    readonly witness: DatabaseWitness,
    readonly engineWatch: EngineWatch,
  ) {}

  static async start(settings: FaultySettings): Promise<FaultyService> {
    const postgres = await startOwnPostgres(settings.postgresEnvironment);
    const redis = settings.queue === 'Redis' ? await startRedis() : null;
    try {
      return await FaultyService.on(postgres, redis, settings);
    } catch (error) {
      await redis?.stop();
      await postgres.close();
      throw error;
    }
  }

  private static async on(
    postgres: OwnPostgres,
    redis: TestRedis | null,
    { environment, folder, through }: FaultySettings,
  ): Promise<FaultyService> {
    const common = {
      ...(through && { DATABASE_URL: await through(postgres.database.url) }),
      ASSAY_LEASE_SECONDS: String(LEASE_SECONDS),
      ASSAY_DB_CONNECTIONS: String(CONNECTIONS),
      ASSAY_WORKER_PROCESSES: String(PROCESSES.worker),
      ...(redis && { REDIS_URL: redis.url }),
      ...environment,
    };
    const world = await ServiceWorld.start(common, postgres.database, folder);
    const witness = await DatabaseWitness.start(world.databaseUrl);
    const service = new FaultyService(
      world,
      postgres,
      redis,
      witness,
      await EngineWatch.start(world.engine, world.instance),
    );
    await service.takeInTask();
    // waits for the jobs of the task setup, so that a test holds back only its own
    await witness.when('select id from outbox_event where delivered_at is null', [], (waiting) => waiting.length === 0);
    return service;
  }

  /** The first evaluator. */
  get evaluator(): SupervisedProcess {
    return this.world.evaluator;
  }

  /** Starts both evaluators unless they are running. Does not wait until they are ready. */
  async startBothEvaluators(): Promise<void> {
    if (!this.evaluator.running) await this.world.startEvaluator();
    if (!this.second?.running) await this.world.startAnother(SECOND);
  }

  /** The first worker. */
  get worker(): SupervisedProcess {
    return this.world.worker;
  }

  /** Starts both workers unless they are running. Does not wait until they are ready. */
  startBothWorkers(): void {
    if (!this.worker.running) this.world.startWorker();
    if (!this.world.anotherWorker(SECOND)?.running) this.world.startAnotherWorker(SECOND);
  }

  /** Leaves only the first worker running. */
  async leaveOneWorker(): Promise<void> {
    await this.world.anotherWorker(SECOND)?.stop();
    if (!this.worker.running) this.world.startWorker();
  }

  /** Stops both workers. */
  async stopBothWorkers(): Promise<void> {
    await Promise.all([this.worker.stop(), this.world.anotherWorker(SECOND)?.stop()]);
  }

  /** Leaves exactly one evaluator running: the first if neither was. */
  async leaveOneEvaluator(): Promise<void> {
    if (!this.second?.running) {
      if (!this.evaluator.running) await this.world.startEvaluator();
    } else if (this.evaluator.running) {
      await this.second.stop();
    }
  }

  /** Stops both evaluators. */
  async stopBothEvaluators(): Promise<void> {
    await Promise.all([this.evaluator.stop(), this.second?.stop()]);
  }

  /**
   * Returns the process of an evaluator and the name of its log.
   * @param instance The name in the labels of its containers.
   */
  evaluatorNamed(instance: string): { readonly process: SupervisedProcess; readonly log: string } {
    if (instance === this.world.instance) return { process: this.evaluator, log: 'evaluator' };
    const name = instance.slice(this.world.instance.length + 1);
    return { process: this.world.another(name)!, log: `evaluator-${name}` };
  }

  private get second(): SupervisedProcess | undefined {
    return this.world.another(SECOND);
  }

  /**
   * Submits a predictions file with unique bytes: work without a container.
   * @returns The model's ID.
   */
  submitPredictions(): Promise<string> {
    const number = ++this.submissions;
    return this.submit({ name: `file ${number}`, kind: 'predictions' }, parityPredictions(number));
  }

  /**
   * Submits an image with a unique command, so that it really runs.
   * @param way See test/e2e/models/misbehaving.mjs.
   * @param image `last`: the image that was submitted last, if any, which is not admitted again;
   * `new`: a new one.
   * @param task The slug of the task.
   */
  async submitContainer(way = 'honest', image: 'last' | 'new' = 'last', task: string = parity.slug): Promise<string> {
    const name = `container ${++this.submissions}`;
    if (image === 'new' || !this.image) this.image = this.makeImage(name);
    return this.submit({ name, kind: 'container', command: [way, name] }, await this.image, task);
  }

  /** Submits a bundle that is admitted, and then fails because no runtime can load it. */
  async submitBundle(): Promise<string> {
    const name = `bundle ${++this.submissions}`;
    return this.submit({ name, kind: 'onnx' }, await unloadableBundle(name));
  }

  /**
   * Waits until all these models are final.
   * @returns Their states by ID.
   */
  async untilFinal(ids: readonly string[], milliseconds?: number): Promise<Map<string, ModelState>> {
    const rows = await this.witness.when<{ id: string; state: ModelState }>(
      `select id, state from model where id = any($1) and state in ('scored', 'failed', 'cancelled')`,
      [ids],
      (final) => final.length === ids.length,
      milliseconds,
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /**
   * Waits until all these models are scored.
   * @throws Error if a model ends in another state.
   */
  async untilScored(ids: readonly string[], milliseconds?: number): Promise<void> {
    const states = await this.untilFinal(ids, milliseconds);
    const others = [...states].filter(([, state]) => state !== 'scored');
    if (others.length > 0) throw new Error(`not scored: ${JSON.stringify(others)}\n${await this.failures()}`);
  }

  /** Returns the evaluation runs of the model's specification, oldest first. */
  runs(model: string): Promise<{ id: string; state: string; stage: string; attempts: number; fence: number }[]> {
    return this.witness.rows(
      `select r.id, r.state, r.stage, r.attempts, r.fence from run r join model m on m.specification_id = r.specification_id
        where m.id = $1 and r.purpose = 'evaluation' order by r.created_at`,
      [model],
    );
  }

  async specification(model: string): Promise<string> {
    const [row] = await this.witness.rows<{ id: string }>('select specification_id as id from model where id = $1', [
      model,
    ]);
    return row!.id;
  }

  /** Makes `untilLogged` ignore what that process has logged so far. */
  forgetLog(name: string): void {
    const path = this.world.log(name);
    this.read.set(path, existsSync(path) ? readFileSync(path, 'utf8').length : 0);
  }

  /** Waits until that process has logged `text` after the last match. */
  async untilLogged(name: string, text: string): Promise<void> {
    const path = this.world.log(name);
    const from = this.read.get(path) ?? 0;
    const place = (): number => readFileSync(path, 'utf8').indexOf(text, from);
    await this.world.until(() => Promise.resolve(place() >= 0), SETTLED_MILLISECONDS);
    this.read.set(path, place() + text.length);
  }

  /** Waits until an evaluator has reported that it cannot run models. */
  untilUnable(): Promise<void> {
    const token = this.world.admin;
    return this.world.until(async () => {
      const { items } = (await this.world.expect(200, 'GET', '/evaluators', { token })).body as RegisteredEvaluators;
      return items.some(({ problem }) => problem !== null);
    }, SETTLED_MILLISECONDS);
  }

  /** Waits until a worker has reported that it cannot write to the disk. */
  untilDiskIsFull(): Promise<void> {
    const query = `select name from worker_presence where problems ? 'blobs'`;
    return this.world.until(async () => (await this.witness.rows(query)).length > 0, SETTLED_MILLISECONDS);
  }

  /**
   * Waits until a worker has checked again for expired leases. It does so at the same interval as its
   * reports.
   */
  async untilReconciled(instance: string): Promise<void> {
    const query = 'select seen_at as seen from worker_presence where name = $1';
    const seen = async (): Promise<number> => {
      const [row] = await this.witness.rows<{ seen: Date }>(query, [instance]);
      return row?.seen.getTime() ?? 0;
    };
    let last = await seen();
    // a check that began with the first report has ended by the second
    for (let signs = 0; signs < 2; signs++) {
      await this.world.until(async () => (await seen()) > last, SETTLED_MILLISECONDS);
      last = await seen();
    }
  }

  /** Kills a process like a power cut. */
  async kill({ pid, ended }: SupervisedProcess): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await ended;
  }

  /** Checks that all invariants hold once no work is left. The last line of every test. */
  async expectInvariants(): Promise<void> {
    const broken = await stillBroken(this.world, () => this.broken());
    if (broken.length > 0) broken.push(this.world.logs());
    expect(broken).toEqual([]);
  }

  async close(): Promise<void> {
    this.engineWatch.close();
    await this.witness.close();
    await this.world.close();
    await this.redis?.stop();
    await this.postgres.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async broken(): Promise<string[]> {
    const { world, redis, accepted } = this;
    const settled = { world, redis, accepted, activeJobs: isFullForm ? 'counted' : 'left alone' } as const;
    return [
      ...(await brokenInvariants(settled)),
      ...(await repeatedResults(this.witness)),
      ...(await this.engineWatch.leftovers()).map((what) => `left behind: ${what}`),
    ];
  }

  private async submit(
    submission: Submission,
    artifact: string | Uint8Array,
    task: string = parity.slug,
  ): Promise<string> {
    const id = await this.world.submit(task, submission, artifact);
    this.accepted.push(id);
    return id;
  }

  private async takeInTask(): Promise<void> {
    await this.world.task(parity);
    for (const [name, size] of Object.entries(DATASETS)) {
      await this.world.dataset(parity.slug, name, 'visibility=public', parityExamples(name, size));
    }
  }

  private async makeImage(name: string): Promise<string> {
    const path = join(this.folder, `${name}.tar.zst`);
    await misbehavingImage(`${this.world.instance} ${name}`, path);
    return path;
  }

  private async failures(): Promise<string> {
    const rows = await this.witness.rows('select name, state, failure from model where failure is not null');
    return `${JSON.stringify(rows)}\n${this.world.logs()}`;
  }
}

/**
 * The seed of all random choices in this run. The short form uses the same seed for a whole day.
 */
export const seed = process.env['ASSAY_FAULTS_SEED'] ?? new Date().toISOString().slice(0, isFullForm ? -1 : 10);

/**
 * Returns all values in the full form, and `count` random ones, in their original order, in the
 * short form.
 */
export function drawn<T>(rng: Rng, all: readonly T[], count: number): readonly T[] {
  if (isFullForm) return all;
  const left = [...all];
  const taken = new Set(Array.from({ length: count }, () => left.splice(rng.below(left.length), 1)[0]));
  return all.filter((one) => taken.has(one));
}

/** Returns a separate random generator for each `purpose`, and prints the purpose with the seed. */
export function faultsRng(purpose: string): Rng {
  console.info(`${purpose}: ASSAY_FAULTS_SEED=${seed}`);
  return seededRng(`${seed}/${purpose}`);
}
