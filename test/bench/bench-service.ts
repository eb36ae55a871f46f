import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFinal, type ModelView, type SubmitModel } from '@assay/contracts/models';
import { type TaskDefinitionInput } from '@assay/contracts/tasks';
import { findOrStartEngine, type DockerEngine } from '../../scripts/services/docker-engine.js';
import { startPostgres, type RunningPostgres } from '../../scripts/services/embedded-postgres.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import { startRedis, type TestRedis } from '../factories/worlds/test-services.js';
import { PassClock } from './pass-clock.js';

/** The labels of every bench task. */
export const LABELS = ['negative', 'neutral', 'positive'] as const;

/** The result of one submission. */
export interface Evaluated {
  readonly id: string;
  readonly model: ModelView;
  /**
   * Seconds from the request that creates the model until its owner has read its accuracy from the
   * API.
   */
  readonly secondsToAccuracy: number;
  /**
   * Seconds from the same request until the owner has read that the evaluation is complete, with
   * costs and the repeated run.
   */
  readonly secondsToFinal: number;
}

/** A production-like service: a durable PostgreSQL, a Redis, a Docker engine, an API, a worker and an evaluator. */
export class BenchService {
  private tasks = 0;

  private constructor(
    readonly world: ServiceWorld,
    readonly clock: PassClock,
    private readonly postgres: RunningPostgres | null,
    private readonly redis: TestRedis,
    private readonly engine: DockerEngine,
  ) {}

  static async start(folder: string, say: (text: string) => void): Promise<BenchService> {
    const engine = await findOrStartEngine({
      directory: join(folder, 'engine'),
      logs: folder,
      install: 'refused',
      say,
    });
    process.env['DOCKER_HOST'] = engine.host;
    const postgres = process.env['ASSAY_TEST_DATABASE_URL'] ? null : await ownPostgres(folder);
    if (postgres) {
      process.env['ASSAY_TEST_DATABASE_URL'] = postgres.url;
      process.env['ASSAY_TEST_APPLICATION_URL'] = postgres.applicationUrl;
    }
    const redis = await startRedis();
    const world = await ServiceWorld.start({
      REDIS_URL: redis.url,
      ASSAY_SIGN_INS_PER_MINUTE: '1000',
      ASSAY_FOLLOWED_AT_ONCE: '500',
      ASSAY_COSTLY_REQUESTS_PER_MINUTE: '600000',
      ASSAY_READS_PER_MINUTE: '600000',
      ASSAY_REQUESTS_PER_MINUTE: '600000',
      ASSAY_CHANGES_PER_MINUTE: '600000',
      ASSAY_UPLOADS_PER_MINUTE: '600000',
      ASSAY_LIVE_REQUESTS_PER_MINUTE: '600000',
    });
    return new BenchService(world, await PassClock.start(world.databaseUrl), postgres, redis, engine);
  }

  /**
   * Creates a task with one dataset, from the file at `examples`.
   * @returns The slug of the task.
   */
  async task(
    examples: string,
    more: Partial<TaskDefinitionInput> = {},
    visibility: 'hidden' | 'public' = 'hidden',
  ): Promise<string> {
    const slug = `bench-${++this.tasks}`;
    await this.world.task({
      slug,
      name: slug,
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: [...LABELS] },
      performance: 'accuracy',
      metrics: ['accuracy', 'macro_f1'],
      weights: { accuracy: 1 },
      quota: { perDay: 1_000, total: 1_000 },
      // the figures are those of runc, also where the engine has runsc
      runtime: 'runc',
      ...more,
    });
    const query = `role=static&visibility=${visibility}`;
    const { status, body } = await this.world.call('PUT', `/tasks/${slug}/datasets/examples?${query}`, {
      token: this.world.admin,
      type: 'application/x-ndjson',
      file: examples,
    });
    if (status !== 201) throw new Error(`the dataset was refused: ${status} ${JSON.stringify(body)}`);
    return slug;
  }

  /** Submits the file at `artifact` as `owner` and waits for its scores. */
  async evaluate(
    task: string,
    kind: SubmitModel['kind'],
    artifact: string,
    owner = this.world.builder,
  ): Promise<Evaluated> {
    // registers the user before the clock starts
    await this.world.user(owner);
    const started = performance.now();
    const id = await this.world.submit(task, { name: `model ${started}`, kind }, artifact, owner);
    const seconds = (): number => (performance.now() - started) / 1000;
    // a repeated run specification emits no scores: the model is in its final state immediately
    const scored = await this.world.untilEvent(
      id,
      (event) => event.type === 'score' || (event.type === 'state' && isFinal(event.state)),
      owner,
    );
    const secondsToAccuracy = seconds();
    if (!scored.model.evaluations.every(({ metrics }) => metrics['accuracy'] !== undefined)) {
      throw new Error(`the model has no accuracy: ${JSON.stringify(scored.model)}`);
    }
    const { model } = await this.world.untilFinal(id, owner);
    if (model.state !== 'scored') throw new Error(`the model ${model.state}: ${JSON.stringify(model.failure)}`);
    return { id, model, secondsToAccuracy, secondsToFinal: seconds() };
  }

  /** Returns whether all outbox events are delivered and no board is stale. */
  async isAtRest(): Promise<boolean> {
    const [row] = await this.world.rows<{ rest: boolean }>(
      `select not exists (select 1 from outbox_event where delivered_at is null) and not exists (select 1 from stale_board) as rest`,
    );
    return row!.rest;
  }

  /** Returns the versions of PostgreSQL and Docker. */
  async versions(): Promise<Readonly<Record<string, string>>> {
    const [row] = await this.world.rows<{ server_version: string }>('show server_version');
    return { postgres: row!.server_version, docker: this.engine.version };
  }

  async close(): Promise<void> {
    await this.clock.close();
    await this.world.close();
    await this.redis.stop();
    await this.postgres?.process.stop();
    await this.engine.process?.stop();
  }
}

async function ownPostgres(folder: string): Promise<RunningPostgres> {
  chmodSync(folder, 0o711);
  const directory = join(folder, 'postgres');
  mkdirSync(directory, { recursive: true });
  return startPostgres({
    directory,
    durability: 'safe',
    connections: 100,
    log: join(folder, 'postgres.log'),
  });
}
