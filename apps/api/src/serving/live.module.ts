import { Notifications } from '@assay/persistence';
import { LivePredictions, DeploymentDirectory } from '@assay/serving';
import { EntityManager } from '@mikro-orm/postgresql';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { DeploymentClient } from './deployment-client.js';
import { DeploymentPredictions } from './deployment-predictions.js';

/**
 * Provides `LivePredictions`, which gives the answers of target models, and the directory of their
 * deployments.
 */
@Module({
  providers: [
    DeploymentClient,
    {
      provide: DeploymentDirectory,
      inject: [EntityManager, Notifications],
      useFactory: (em: EntityManager, notifications: Notifications) => new DeploymentDirectory(em, notifications),
    },
    { provide: LivePredictions, useClass: DeploymentPredictions },
  ],
  exports: [LivePredictions, DeploymentDirectory],
})
export class LiveModule implements OnApplicationShutdown {
  constructor(private readonly client: DeploymentClient) {}

  onApplicationShutdown(): void {
    this.client.close();
  }
}
