import { LivePredictions, ServingModule } from '@assay/serving';
import { Global, Module } from '@nestjs/common';
import { DeploymentClient } from './deployment-client.js';
import { DeploymentPredictions } from './deployment-predictions.js';
import { EvaluatorConnections } from './evaluator-connections.js';

/** Provides `LivePredictions`, which gives the answers of target models, to all modules. */
@Global()
@Module({
  imports: [ServingModule],
  providers: [DeploymentClient, EvaluatorConnections, { provide: LivePredictions, useClass: DeploymentPredictions }],
  exports: [EvaluatorConnections, LivePredictions],
})
export class LiveModule {}
