import { RoundModel } from '@assay/collection/rounds';
import type { DeploymentReply } from '@assay/contracts/serving';
import { Evaluator } from '@assay/evaluation/evaluators';
import { newId } from '@assay/kernel';
import { Deployment, DEPLOYMENT_CHANNEL } from '@assay/serving';
import { Model } from '@assay/submissions';
import type { Round } from '@assay/tasks';
import {
  type ConnectedEvaluators,
  InternalServer,
  type ModelQuestion,
} from '../../../apps/api/src/serving/internal-server.js';
import type { ApiWorld } from '../worlds/api-world.js';

/** Deployments of target models. Only the evaluator that serves them is replaced by fixed answers. */
export class ServedModels implements ConnectedEvaluators {
  /** The answer to every instance, by deployment. */
  private readonly texts = new Map<string, string>();
  private readonly server = new InternalServer({ host: '127.0.0.1', port: 0 }, this);
  private readonly secret = newId();
  private readonly name = `beside-${newId()}`;
  private evaluator: Promise<void> | undefined;

  constructor(private readonly world: ApiWorld) {}

  /** Adds a model to an open round as a target. It answers every instance with `text`. */
  async add(round: Round, id: string, text: string): Promise<void> {
    await (this.evaluator ??= this.register());
    const em = this.world.orm.em.fork();
    const model = await em.findOneOrFail(Model, id);
    em.create(RoundModel, { round: round.id, model: id, reason: 'named', since: new Date() });
    const deployment = em.create(Deployment, {
      id: newId(),
      task: model.task.id,
      model: id,
      specification: model.specification!.id,
      state: 'ready',
      evaluator: `remote/${this.name}`,
      leaseUntil: new Date('2099-01-01T00:00:00Z'),
      readyAt: new Date(),
    });
    this.texts.set(deployment.id, text);
    await em.flush();
    await em.execute(`select pg_notify(?, ?)`, [DEPLOYMENT_CHANNEL, deployment.id]);
  }

  secretOf(): string {
    return this.secret;
  }

  ask(_evaluatorId: string, { deployment, ask, instances }: ModelQuestion): Promise<DeploymentReply> {
    const text = this.texts.get(deployment)!;
    return Promise.resolve(
      ask === 'explain'
        ? { kind: 'unexplained' }
        : { kind: 'answers', answers: instances.map(() => ({ text })), milliseconds: 1 },
    );
  }

  private async register(): Promise<void> {
    const em = this.world.orm.em.fork();
    const { name, secret } = this;
    const address = await this.server.address();
    em.create(Evaluator, { name, owner: null, tokenHash: secret, liveAddress: address, liveSecret: secret });
    await em.flush();
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
