import { Agent, request } from 'node:http';
import { DeploymentReply, type DeploymentRequest } from '@assay/contracts/serving';

/** The deployment does not serve the model, or no longer does. */
export class DeploymentGone extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'DeploymentGone';
  }
}

export interface DeploymentAddress {
  readonly id: string;
  readonly address: string;
  readonly secret: string;
}

export interface DeploymentQuestion extends DeploymentRequest {
  readonly ask: 'predict' | 'explain';
  /** The milliseconds within which the whole response must arrive. */
  readonly deadline: number;
}

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Sends requests to the evaluators that serve models. Never uses `fetch`, because it follows
 * redirects.
 */
export class DeploymentClient {
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });

  /** @throws DeploymentGone */
  async ask(to: DeploymentAddress, { ask, instances, deadline }: DeploymentQuestion): Promise<DeploymentReply> {
    const url = new URL(`/placements/${to.id}/${ask}`, to.address);
    const body = Buffer.from(JSON.stringify({ instances }));
    const started = performance.now();
    const answer =
      (await this.post(url, to.secret, body, { agent: this.agent, deadline })) ??
      // the evaluator had closed the connection and has not seen the request
      (await this.post(url, to.secret, body, { agent: false, deadline: deadline - (performance.now() - started) }));
    if (!answer) throw new DeploymentGone('the connection ended');
    return DeploymentReply.parse(JSON.parse(answer.toString('utf8')));
  }

  close(): void {
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
