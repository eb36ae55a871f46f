import { Notifications } from '@assay/persistence/outbox';
import { DeploymentDirectory } from '@assay/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DeploymentClient } from '../../../apps/api/src/serving/deployment-client.js';
import { DeploymentPredictions } from '../../../apps/api/src/serving/deployment-predictions.js';
import type { ConnectedEvaluators } from '../../../apps/api/src/serving/internal-server.js';

const NO_EVALUATORS: ConnectedEvaluators = {
  secretOf: () => undefined,
  ask: () => Promise.reject(new Error('no evaluator is connected to the test')),
};

/** Asks target models as an API process does whose evaluators are connected to another process. */
export class LiveCaller {
  readonly predictions: DeploymentPredictions;
  private readonly client = new DeploymentClient(NO_EVALUATORS);
  private readonly notifications: Notifications;

  constructor(em: EntityManager, databaseUrl: string) {
    this.notifications = new Notifications({ url: databaseUrl });
    this.predictions = new DeploymentPredictions(new DeploymentDirectory(em, this.notifications), this.client);
  }

  async close(): Promise<void> {
    this.client.onApplicationShutdown();
    await this.notifications.close();
  }
}
