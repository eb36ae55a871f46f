import { RoundModel } from '@assay/collection/rounds';
import type { DeploymentReply } from '@assay/contracts/serving';
import { newId } from '@assay/kernel';
import { Deployment, DEPLOYMENT_CHANNEL } from '@assay/serving';
import { Model } from '@assay/submissions';
import type { Round } from '@assay/tasks';
import { DeploymentServer } from '../../../apps/evaluator/src/serving/deployment-server.js';
import type { ApiWorld } from '../worlds/api-world.js';

/**
 * Deployments of target models, served by the evaluator's own server. Only the container behind it
 * is replaced by fixed answers.
 */
export class ServedModels {
  private readonly server = new DeploymentServer({ host: '127.0.0.1', port: 0 });

  constructor(private readonly world: ApiWorld) {}

  /** Adds a model to an open round as a target. It answers every instance with `text`. */
  async add(round: Round, id: string, text: string): Promise<void> {
    const em = this.world.orm.em.fork();
    const model = await em.findOneOrFail(Model, id);
    em.create(RoundModel, { round: round.id, model: id, reason: 'named', since: new Date() });
    const deployment = em.create(Deployment, {
      id: newId(),
      task: model.task.id,
      model: id,
      specification: model.specification!.id,
      state: 'ready',
      evaluator: 'beside the test',
      address: await this.server.address(),
      secret: newId(),
      leaseUntil: new Date('2099-01-01T00:00:00Z'),
      readyAt: new Date(),
    });
    this.server.add(deployment.id, {
      secret: deployment.secret!,
      ask: (question, instances): Promise<DeploymentReply> =>
        Promise.resolve(
          question === 'explain'
            ? { kind: 'unexplained' }
            : { kind: 'answers', answers: instances.map(() => ({ text })), milliseconds: 1 },
        ),
    });
    await em.flush();
    await em.execute(`select pg_notify(?, ?)`, [DEPLOYMENT_CHANNEL, deployment.id]);
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
