import { AccountsModule } from '@assay/accounts';
import { ApplicationModule } from '@assay/application';
import { CollectionModule } from '@assay/collection';
import { EvaluationModule } from '@assay/evaluation';
import { IdentityModule } from '@assay/identity';
import { LeaderboardModule } from '@assay/leaderboard';
import { NotificationsModule } from '@assay/notifications';
import { ServingModule } from '@assay/serving';
import { SubmissionsModule } from '@assay/submissions';
import { TasksModule } from '@assay/tasks';
import { Global, Module } from '@nestjs/common';

const MODULES = [
  AccountsModule,
  ApplicationModule,
  CollectionModule,
  EvaluationModule,
  IdentityModule,
  LeaderboardModule,
  NotificationsModule,
  ServingModule,
  SubmissionsModule,
  TasksModule,
];

/** Provides the services and the use cases of the libs to the modules of all resources. */
@Global()
@Module({ imports: MODULES, exports: MODULES })
export class ContextsModule {}
