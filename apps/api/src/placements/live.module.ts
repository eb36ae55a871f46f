import { LivePredictions, PlacementDirectory } from '@assay/collection';
import { Notifications } from '@assay/persistence';
import { EntityManager } from '@mikro-orm/postgresql';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { PlacementClient } from './placement-client.js';
import { PlacementPredictions } from './placement-predictions.js';

/**
 * Provides `LivePredictions`, which gives the answers of target models, and the directory of their
 * deployments.
 */
@Module({
  providers: [
    PlacementClient,
    {
      provide: PlacementDirectory,
      inject: [EntityManager, Notifications],
      useFactory: (em: EntityManager, notifications: Notifications) => new PlacementDirectory(em, notifications),
    },
    { provide: LivePredictions, useClass: PlacementPredictions },
  ],
  exports: [LivePredictions, PlacementDirectory],
})
export class LiveModule implements OnApplicationShutdown {
  constructor(private readonly client: PlacementClient) {}

  onApplicationShutdown(): void {
    this.client.close();
  }
}
