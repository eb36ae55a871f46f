import { Agent, request } from 'node:http';
import { DeploymentReply } from '@assay/contracts/serving';
import type { ConnectedEvaluator } from '@assay/serving';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DeploymentGone, EvaluatorConnections } from './evaluator-connections.js';
import { type ConnectedEvaluators, type ModelQuestion, questionPath } from './internal-server.js';

export interface DeploymentQuestion extends ModelQuestion {
  /** The milliseconds within which the whole response must arrive. */
  readonly deadline: number;
}

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Asks the evaluators that serve models: those that are connected to this process directly, and others
 * through the process that they are connected to. Never uses `fetch`, because it follows redirects.
 */
@Injectable()
export class DeploymentClient implements OnApplicationShutdown {
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });

  constructor(@Inject(EvaluatorConnections) private readonly connections: ConnectedEvaluators) {}

  /** @throws DeploymentGone */
  async ask(evaluator: ConnectedEvaluator, { deadline, ...question }: DeploymentQuestion): Promise<DeploymentReply> {
    if (this.connections.secretOf(evaluator.id) === evaluator.secret) {
      return this.connections.ask(evaluator.id, question, deadline);
    }
    const url = new URL(questionPath(evaluator.id, question), evaluator.address);
    const body = Buffer.from(JSON.stringify({ instances: question.instances }));
    const started = performance.now();
    const { secret } = evaluator;
    const answer =
      (await this.post(url, secret, body, { agent: this.agent, deadline })) ??
      // the process had closed the connection and has not seen the request
      (await this.post(url, secret, body, { agent: false, deadline: deadline - (performance.now() - started) }));
    if (!answer) throw new DeploymentGone('the connection ended');
    return DeploymentReply.parse(JSON.parse(answer.toString('utf8')));
  }

  onApplicationShutdown(): void {
    this.agent.destroy();
  }

  /** @returns null if a reused connection was stale */
  private post(
    url: URL,
    secret: string,
    body: Buffer,
    { agent, deadline }: { readonly agent: Agent | false; readonly deadline: number },
  ): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'content-length': body.length,
      };
      const signal = AbortSignal.timeout(Math.max(1, deadline));
      const call = request(url, { method: 'POST', agent, headers, signal }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          reject(new DeploymentGone(`it answered ${response.statusCode}`));
          return;
        }
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > MOST_BYTES) call.destroy(new DeploymentGone('its answer is too large'));
        });
        response.once('end', () => resolve(Buffer.concat(chunks, bytes)));
        response.once('error', (error) => reject(new DeploymentGone(error.message)));
      });
      call.once('error', (error: NodeJS.ErrnoException) => {
        const isStale = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (isStale) resolve(null);
        else reject(new DeploymentGone(error.message));
      });
      call.end(body);
    });
  }
}
