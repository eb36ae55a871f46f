import { LivePredictions, ServingModule } from '@assay/serving';
import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DeploymentClient } from './deployment-client.js';
import { DeploymentPredictions } from './deployment-predictions.js';

/** Provides `LivePredictions`, which gives the answers of target models, to all modules. */
@Global()
@Module({
  imports: [ServingModule],
  providers: [DeploymentClient, { provide: LivePredictions, useClass: DeploymentPredictions }],
  exports: [LivePredictions],
})
export class LiveModule implements OnApplicationShutdown {
  constructor(private readonly client: DeploymentClient) {}

  onApplicationShutdown(): void {
    this.client.close();
  }
}
