import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entities } from '@assay/application';
import { OutboxDispatcher } from '@assay/evaluation';
import { Jobs, JobsModule } from '@assay/jobs';
import { ResultBundles } from '@assay/leaderboard/results';
import { createLogger } from '@assay/observability';
import { databaseOptions } from '@assay/persistence';
import { Notifications, OutboxRelay } from '@assay/persistence/outbox';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Environment } from '../../../apps/api/src/environment.js';
import { SignProcessor } from '../../../apps/worker/src/processors/sign.processor.js';
import { ResultSigner } from '../../../apps/worker/src/signing/result-signer.js';
import { WorkerSettings } from '../../../apps/worker/src/worker-settings.js';
import type { ApiWorld } from './api-world.js';

/** A worker that only signs. It has a home of its own, which the API cannot know. */
export interface SigningWorker {
  readonly home: string;
  /** Stops the worker, and starts it again on the same home. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Stops the worker and removes its home. */
  close(): Promise<void>;
}

/** Starts a worker that signs the results of the models in `world`. By default, `home` is a new folder. */
export async function signingWorker(
  world: ApiWorld,
  home = mkdtempSync(join(tmpdir(), 'assay-worker-')),
): Promise<SigningWorker> {
  let stop = await start(world, home);
  const worker = {
    home,
    async restart(): Promise<void> {
      await worker.stop();
      stop = await start(world, home);
    },
    stop: () => stop(),
    async close(): Promise<void> {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return worker;
}

@Module({})
class SigningModule {}

const SIGNED = ['model.settled', 'result.requested'];

/** Returns the function that stops the worker. It may be called twice. */
async function start({ databaseUrl, app: api }: ApiWorld, home: string): Promise<() => Promise<void>> {
  const settings = { home, publicUrl: api.get(Environment).publicUrl };
  const database = databaseOptions({ url: databaseUrl, entities, poolMax: 3 });
  const app = await NestFactory.createApplicationContext(
    {
      module: SigningModule,
      imports: [
        MikroOrmModule.forRoot({ driver: PostgreSqlDriver, ...database }),
        JobsModule.forRoot({ databaseUrl, queues: ['sign'] }),
      ],
      providers: [
        { provide: WorkerSettings, useValue: settings },
        BenchmarksService,
        ResultBundles,
        ResultSigner,
        SignProcessor,
      ],
    },
    { logger: createLogger('error') },
  );
  const { em } = app.get(MikroORM);
  const notifications = new Notifications({ url: databaseUrl });
  const { dispatch } = new OutboxDispatcher(em, app.get(Jobs));
  const relay = new OutboxRelay(em, notifications, async (event) => {
    if (SIGNED.includes(event.type)) await dispatch(event);
  });
  await relay.start();

  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    await relay.stop();
    await notifications.close();
    await app.close();
  };
  return () => (stopped ??= stop());
}
