import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
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
import { LeaderboardRoutesModule } from './leaderboard/leaderboard-routes.module.js';
import { LiveModule } from './serving/live.module.js';
import { ModelsModule } from './models/models.module.js';
import { PeopleModule } from './people/people.module.js';
import { QuestionsModule } from './serving/questions.module.js';
import { ReleasesModule } from './releases/releases.module.js';
import { RoundsModule } from './rounds/rounds.module.js';
import { SearchModule } from './search/search.module.js';
import { ServiceGauges } from './observability/service-gauges.js';
import { TaskRoutesModule } from './tasks/task-routes.module.js';
import { ValidationsModule } from './validations/validations.module.js';

import { ContextsModule } from './contexts.module.js';
import { FoundationModule } from './foundation.module.js';

@Module({
  imports: [
    FoundationModule,
    MikroOrmModule.forRootAsync({
      driver: PostgreSqlDriver,
      inject: [Environment],
      // `separateRequests` creates the contexts of requests
      useFactory: (environment: Environment) => ({ ...apiDatabase(environment), registerRequestContext: false }),
    }),
    ContextsModule,
    AuthModule,
    TaskRoutesModule,
    LeaderboardRoutesModule,
    DatasetsModule,
    ModelsModule,
    RoundsModule,
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
