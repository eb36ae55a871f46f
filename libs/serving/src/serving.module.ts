import { Notifications } from '@assay/persistence/outbox';
import { EntityManager } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { DeploymentDirectory } from './deployment-directory.js';

/** Provides where target models are served. The app provides `Notifications` globally. */
@Module({
  providers: [
    {
      provide: DeploymentDirectory,
      inject: [EntityManager, Notifications],
      useFactory: (em: EntityManager, notifications: Notifications) => new DeploymentDirectory(em, notifications),
    },
  ],
  exports: [DeploymentDirectory],
})
export class ServingModule {}
