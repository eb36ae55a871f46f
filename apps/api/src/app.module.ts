import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Pseudonyms } from '@assay/collection';
import { Metrics, Tracing } from '@assay/observability';
import { Notifications } from '@assay/persistence';
import { BLOB_STORE, keptSecret, LocalBlobStore } from '@assay/storage';
import { USER_STORAGE } from '@assay/submissions';
import { CEILINGS, hostCeilings } from '@assay/tasks';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AdministrationModule } from './administration/administration.module.js';
import { AnnotationsModule } from './annotations/annotations.module.js';
import { apiDatabase } from './api-database.js';
import { AuthModule } from './auth/auth.module.js';
import { CollectionStatisticsModule } from './collection-statistics/collection-statistics.module.js';
import { CompareModule } from './compare/compare.module.js';
import { CrowdRoutesModule } from './crowds/crowd-routes.module.js';
import { DatasetsModule } from './datasets/datasets.module.js';
import { Environment } from './environment.js';
import { ExportsModule } from './exports/exports.module.js';
import { HealthController } from './health/health.controller.js';
import { ReadinessChecks } from './health/readiness.js';
import { LeaderboardModule } from './leaderboard/leaderboard.module.js';
import { LiveModule } from './serving/live.module.js';
import { ModelsModule } from './models/models.module.js';
import { PeopleModule } from './people/people.module.js';
import { QuestionsModule } from './serving/questions.module.js';
import { ReleasesModule } from './releases/releases.module.js';
import { RoundsModule } from './rounds/rounds.module.js';
import { SearchModule } from './search/search.module.js';
import { ServiceGauges } from './service-gauges.js';
import { TasksModule } from './tasks/tasks.module.js';
import { ValidationsModule } from './validations/validations.module.js';

/** Provides what the modules of all resources need. */
@Global()
@Module({
  providers: [
    Environment,
    Metrics,
    {
      provide: Tracing,
      inject: [Environment],
      useFactory: ({ tracing }: Environment) => Tracing.start({ service: 'assay-api', ...tracing }),
    },
    {
      provide: BLOB_STORE,
      inject: [Environment],
      // creates the folder if it is missing; from then on, a missing folder is an error
      useFactory: ({ home }: Environment) => LocalBlobStore.open(join(home, 'blobs')),
    },
    {
      provide: USER_STORAGE,
      inject: [Environment],
      useFactory: ({ userStorage }: Environment) => userStorage,
    },
    {
      provide: CEILINGS,
      inject: [Environment],
      useFactory: async ({ home, ceilings }: Environment) => {
        await mkdir(home, { recursive: true });
        return hostCeilings(ceilings, home);
      },
    },
    {
      provide: Notifications,
      inject: [Environment],
      useFactory: (environment: Environment) =>
        new Notifications({ url: environment.databaseUrl, applicationName: 'assay-api-listener' }),
    },
    {
      provide: Pseudonyms,
      inject: [Environment],
      useFactory: async (environment: Environment) => {
        const path = join(environment.home, 'pseudonym-key');
        return new Pseudonyms(Buffer.from(await keptSecret(path, () => randomBytes(32).toString('hex')), 'hex'));
      },
    },
  ],
  exports: [Environment, Metrics, BLOB_STORE, USER_STORAGE, CEILINGS, Notifications, Pseudonyms],
})
class FoundationModule implements OnApplicationShutdown {
  constructor(private readonly notifications: Notifications) {}

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
  }
}

@Module({
  imports: [
    FoundationModule,
    MikroOrmModule.forRootAsync({
      driver: PostgreSqlDriver,
      inject: [Environment],
      // `separateRequests` creates the contexts of requests
      useFactory: (environment: Environment) => ({ ...apiDatabase(environment), registerRequestContext: false }),
    }),
    AuthModule,
    TasksModule,
    DatasetsModule,
    ModelsModule,
    RoundsModule,
    LeaderboardModule,
    CollectionStatisticsModule,
    CompareModule,
    ExportsModule,
    ValidationsModule,
    AnnotationsModule,
    PeopleModule,
    ReleasesModule,
    LiveModule,
    QuestionsModule,
    CrowdRoutesModule,
    SearchModule,
    AdministrationModule,
  ],
  controllers: [HealthController],
  providers: [ServiceGauges, ReadinessChecks],
})
export class AppModule {}
