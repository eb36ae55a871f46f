import { randomBytes } from 'node:crypto';
import type { DeploymentReply } from '@assay/contracts/serving';
import { EvaluatorRepository } from '@assay/evaluation/evaluators';
import { notifyChannel } from '@assay/persistence/outbox';
import { DEPLOYMENT_CHANNEL } from '@assay/serving';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { Environment } from '../environment.js';
import { EvaluatorSocket } from './evaluator-socket.js';
import { type ConnectedEvaluators, InternalServer, type ModelQuestion } from './internal-server.js';

/** No evaluator answers for the model, or it no longer does. */
export class DeploymentGone extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'DeploymentGone';
  }
}

/** Milliseconds within which an evaluator must answer a question that another process forwards. */
const FORWARDED_MILLISECONDS = 600_000;

/** The evaluators whose WebSockets this process has. */
@Injectable()
export class EvaluatorConnections implements ConnectedEvaluators, OnModuleDestroy {
  private readonly logger = new Logger(EvaluatorConnections.name);
  private readonly connected = new Map<string, EvaluatorSocket>();
  private readonly server: InternalServer;

  constructor(
    private readonly em: EntityManager,
    { internal }: Environment,
  ) {
    this.server = new InternalServer(internal, this);
  }

  async onModuleDestroy(): Promise<void> {
    for (const socket of this.connected.values()) socket.close();
    await this.server.close();
  }

  /**
   * Adds the WebSocket of an evaluator. It replaces an earlier one of the same evaluator.
   * @param mayStay returns whether the evaluator may stay connected; called at every ping
   */
  async add(evaluatorId: string, webSocket: WebSocket, mayStay: () => Promise<boolean>): Promise<void> {
    const secret = randomBytes(32).toString('hex');
    const socket = new EvaluatorSocket(webSocket, secret, mayStay);
    this.connected.get(evaluatorId)?.close();
    this.connected.set(evaluatorId, socket);
    const ended = socket.ended.then(() => {
      if (this.connected.get(evaluatorId) === socket) this.connected.delete(evaluatorId);
    });
    const connection = { address: await this.server.address(), secret };
    await this.record((evaluators) => evaluators.connect(evaluatorId, connection));
    await ended;
    await this.record((evaluators) => evaluators.disconnect(evaluatorId, connection));
  }

  private async record(change: (evaluators: EvaluatorRepository) => Promise<void>): Promise<void> {
    const em = this.em.fork();
    await change(new EvaluatorRepository(em));
    // all processes read again where models are served
    await notifyChannel(em, DEPLOYMENT_CHANNEL, '');
  }

  secretOf(evaluatorId: string): string | undefined {
    return this.connected.get(evaluatorId)?.secret;
  }

  /** @throws DeploymentGone */
  async ask(
    evaluatorId: string,
    question: ModelQuestion,
    milliseconds = FORWARDED_MILLISECONDS,
  ): Promise<DeploymentReply> {
    const socket = this.connected.get(evaluatorId);
    if (!socket) throw new DeploymentGone('the evaluator is not connected');
    const reply = await socket.ask(question, milliseconds);
    if (reply) return reply;
    throw new DeploymentGone('the evaluator does not answer for the model');
  }
}
