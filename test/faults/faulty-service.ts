import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelState } from '@assay/contracts';
import { seededRng, type Rng } from '@assay/kernel';
import { expect } from '@jest/globals';
import { connectionShares } from '../../libs/persistence/src/connection-shares.js';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { misbehavingImage } from '../factories/misbehaving-image.js';
import { unloadableBundle } from '../factories/onnx-bundles.js';
import { ServiceWorld } from '../factories/service-world.js';
import { isFullForm } from '../factories/test-form.js';
import { startRedis, type TestRedis } from '../factories/test-services.js';
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
  /** Of all processes. */
  readonly environment?: Environment;
  /** Of PostgreSQL's. */
  readonly postgresEnvironment?: Environment;
  /** Where its home is made. */
  readonly folder?: string;
  /** What the service reaches the database of that URL by; itself, if nothing else. */
  readonly through?: (databaseUrl: string) => Promise<string>;
}

/** Of evaluators that are killed at any moment: what they were writing then is cleared from the disk while a test still looks. */
export const CLEARED_SOON: Environment = { ASSAY_ORPHAN_SECONDS: '20' };

/** Seconds of a lease, unless a test says otherwise: what a dead evaluator held is soon taken by others. */
const LEASE_SECONDS = 6;
const SETTLED_MILLISECONDS = 120_000;
/** The name of the second evaluator. */
const SECOND = 'second';
const CONNECTIONS = 120;
const PROCESSES = { api: 1, evaluator: 2 } as const;

/** Connections to the database that requests to the API share. */
export const API_POOL = connectionShares(CONNECTIONS, PROCESSES).api.pool;

/**
 * The whole service as processes that can be hurt: API and evaluators from the build, a PostgreSQL and a Redis of its own, one task with two
 * datasets, and eyes on the database and the engine.
 */
export class FaultyService {
  private readonly folder = mkdtempSync(join(tmpdir(), 'assay-faults-'));
  private submissions = 0;
  /** Models whose artifacts were answered with 202. */
  private readonly accepted: string[] = [];
  /** How far each log was read. */
  private readonly read = new Map<string, number>();
  /** The last image that was submitted. */
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
      ASSAY_EVALUATOR_PROCESSES: String(PROCESSES.evaluator),
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
    // what taking in the task has rung for is over: what a test holds back is its own
    await witness.when('select id from outbox_event where delivered_at is null', [], (waiting) => waiting.length === 0);
    return service;
  }

  /** The first evaluator. */
  get evaluator(): SupervisedProcess {
    return this.world.evaluator;
  }

  /** Starts the first evaluator and the second, unless they run already. Does not wait until they are ready. */
  startBothEvaluators(): void {
    if (!this.evaluator.running) this.world.startEvaluator();
    if (!this.second?.running) this.world.startAnother(SECOND);
  }

  /** Leaves one evaluator running, the first if neither runs. */
  async leaveOneEvaluator(): Promise<void> {
    if (!this.second?.running) {
      if (!this.evaluator.running) this.world.startEvaluator();
    } else if (this.evaluator.running) {
      await this.second.stop();
    }
  }

  /** Stops the first evaluator and the second. */
  async stopBothEvaluators(): Promise<void> {
    await Promise.all([this.evaluator.stop(), this.second?.stop()]);
  }

  /** The process of an evaluator, and the name of its log. @param instance as its containers are labelled */
  evaluatorNamed(instance: string): { readonly process: SupervisedProcess; readonly log: string } {
    if (instance === this.world.instance) return { process: this.evaluator, log: 'evaluator' };
    const name = instance.slice(this.world.instance.length + 1);
    return { process: this.world.another(name)!, log: `evaluator-${name}` };
  }

  private get second(): SupervisedProcess | undefined {
    return this.world.another(SECOND);
  }

  /** Submits a file of predictions, each with other bytes: work without a container. @returns the model's id */
  submitPredictions(): Promise<string> {
    const number = ++this.submissions;
    return this.submit({ name: `file ${number}`, kind: 'predictions' }, parityPredictions(number));
  }

  /**
   * Submits an image under a command of its own, so that it really runs.
   * @param way see test/e2e/models/misbehaving.mjs
   * @param image `last`: the one that was submitted last, if any, which is not admitted again; `new`: another one
   */
  async submitContainer(way = 'honest', image: 'last' | 'new' = 'last'): Promise<string> {
    const name = `container ${++this.submissions}`;
    if (image === 'new' || !this.image) this.image = this.makeImage(name);
    return this.submit({ name, kind: 'container', command: [way, name] }, await this.image);
  }

  /** Submits a bundle that is admitted, and then fails because no runtime loads it. */
  async submitBundle(): Promise<string> {
    const name = `bundle ${++this.submissions}`;
    return this.submit({ name, kind: 'onnx' }, await unloadableBundle(name));
  }

  /** Waits until all of these models are final. @returns their states by id */
  async untilFinal(ids: readonly string[], milliseconds?: number): Promise<Map<string, ModelState>> {
    const rows = await this.witness.when<{ id: string; state: ModelState }>(
      `select id, state from model where id = any($1) and state in ('scored', 'failed', 'cancelled')`,
      [ids],
      (final) => final.length === ids.length,
      milliseconds,
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /** Waits until all of these models are scored. */
  async untilScored(ids: readonly string[], milliseconds?: number): Promise<void> {
    const states = await this.untilFinal(ids, milliseconds);
    const others = [...states].filter(([, state]) => state !== 'scored');
    if (others.length > 0) throw new Error(`not scored: ${JSON.stringify(others)}\n${await this.failures()}`);
  }

  /** The runs of the model that evaluate it, oldest first. */
  runs(model: string): Promise<{ id: string; state: string; stage: string; attempts: number; fence: number }[]> {
    return this.witness.rows(
      `select r.id, r.state, r.stage, r.attempts, r.fence from run r join model m on m.specification_id = r.specification_id
        where m.id = $1 order by r.created_at`,
      [model],
    );
  }

  async specification(model: string): Promise<string> {
    const [row] = await this.witness.rows<{ id: string }>('select specification_id as id from model where id = $1', [
      model,
    ]);
    return row!.id;
  }

  /** What the process of that name has logged so far is not waited for any more. */
  forgetLog(name: string): void {
    const path = this.world.log(name);
    this.read.set(path, existsSync(path) ? readFileSync(path, 'utf8').length : 0);
  }

  /** Waits until the process of that name has logged `text` since it was last waited for. */
  async untilLogged(name: string, text: string): Promise<void> {
    const path = this.world.log(name);
    const from = this.read.get(path) ?? 0;
    const place = (): number => readFileSync(path, 'utf8').indexOf(text, from);
    await this.world.until(() => Promise.resolve(place() >= 0), SETTLED_MILLISECONDS);
    this.read.set(path, place() + text.length);
  }

  /** Waits until an evaluator has said that this part does not answer it. */
  untilNotReady(part: 'blobs' | 'docker'): Promise<void> {
    const query = 'select name from evaluator_presence where problems ? $1';
    return this.world.until(async () => (await this.witness.rows(query, [part])).length > 0, SETTLED_MILLISECONDS);
  }

  /**
   * Waits until an evaluator has looked once more for runs whose leases are over: it does so each time that it says that it is
   * there.
   */
  async untilReconciled(instance: string): Promise<void> {
    const query = 'select seen_at as seen from evaluator_presence where name = $1';
    const seen = async (): Promise<number> => {
      const [row] = await this.witness.rows<{ seen: Date }>(query, [instance]);
      return row?.seen.getTime() ?? 0;
    };
    let last = await seen();
    // what began with the first sign of life is over at the second
    for (let signs = 0; signs < 2; signs++) {
      await this.world.until(async () => (await seen()) > last, SETTLED_MILLISECONDS);
      last = await seen();
    }
  }

  /** Kills an evaluator as a power cut would. */
  async kill(evaluator: SupervisedProcess): Promise<void> {
    process.kill(evaluator.pid, 'SIGKILL');
    await evaluator.ended;
  }

  /** Of every test the last line: once there is nothing left to do, all invariants hold. */
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

  private async submit(submission: Submission, artifact: string | Uint8Array): Promise<string> {
    const id = await this.world.submit(parity.slug, submission, artifact);
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

/** The seed of this run, which everything that is drawn depends on: in the short form another one each day. */
export const seed = process.env['ASSAY_FAULTS_SEED'] ?? new Date().toISOString().slice(0, isFullForm ? -1 : 10);

/** All of them in the full form; in the short one `count` that are drawn, in their order. */
export function drawn<T>(rng: Rng, all: readonly T[], count: number): readonly T[] {
  if (isFullForm) return all;
  const left = [...all];
  const taken = new Set(Array.from({ length: count }, () => left.splice(rng.below(left.length), 1)[0]));
  return all.filter((one) => taken.has(one));
}

/** A source of randomness of its own for each `purpose`, which it prints with the seed. */
export function faultsRng(purpose: string): Rng {
  console.info(`${purpose}: ASSAY_FAULTS_SEED=${seed}`);
  return seededRng(`${seed}/${purpose}`);
}
