import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DeploymentReply, DeploymentRequest } from '@assay/contracts/serving';

/** A question to a target model. */
export interface ModelQuestion {
  /** ID of the deployment. */
  readonly deployment: string;
  readonly ask: 'predict' | 'explain';
  readonly instances: DeploymentRequest['instances'];
}

/** The evaluators that are connected to this process. */
export interface ConnectedEvaluators {
  /** Returns the secret that callers must present. Undefined: the evaluator is not connected here. */
  secretOf(evaluatorId: string): string | undefined;
  /**
   * @param milliseconds within which the evaluator must answer
   * @throws Error if it does not answer
   */
  ask(evaluatorId: string, question: ModelQuestion, milliseconds?: number): Promise<DeploymentReply>;
}

const MOST_BYTES = 64 * 1024 * 1024;
const ROUTE = /^\/evaluators\/([0-9a-f-]{36})\/deployments\/([0-9a-f-]{36})\/(predict|explain)$/;

/** Returns the path of a question on the internal server. */
export const questionPath = (evaluatorId: string, { deployment, ask }: Omit<ModelQuestion, 'instances'>): string =>
  `/evaluators/${evaluatorId}/deployments/${deployment}/${ask}`;

/**
 * The internal HTTP server through which other API processes reach the evaluators whose WebSockets this
 * process has. Every request needs the secret of the connection.
 */
export class InternalServer {
  private listening: Promise<Server> | null = null;

  constructor(
    private readonly settings: { readonly host: string; readonly port: number },
    private readonly evaluators: ConnectedEvaluators,
  ) {}

  /** Returns the address of the server. The first call starts it. */
  async address(): Promise<string> {
    this.listening ??= this.listen();
    const { address, port, family } = (await this.listening).address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  async close(): Promise<void> {
    const server = await this.listening;
    this.listening = null;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  }

  private listen(): Promise<Server> {
    const server = createServer((request, response) => {
      this.answer(request, response).catch(() => end(response, 500));
    });
    // idle connections stay open: closing one under the caller's next request looks like a crash
    server.keepAliveTimeout = 0;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.settings.port, this.settings.host, () => resolve(server));
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answerTo(request);
    if (typeof answer === 'number') {
      end(response, answer);
      return;
    }
    const reply = JSON.stringify(answer);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) });
    response.end(reply);
  }

  /** Returns the reply, or the status of a refusal. */
  private async answerTo(request: IncomingMessage): Promise<DeploymentReply | number> {
    const [, evaluator = '', deployment = '', ask] = ROUTE.exec(request.url ?? '') ?? [];
    const secret = this.evaluators.secretOf(evaluator);
    // also 401 for unknown IDs: only callers with the secret may learn that an evaluator is connected
    if (secret === undefined || !mayAsk(request, secret)) return 401;
    if (request.method !== 'POST') return 405;

    const body = await bodyOf(request);
    if (body === null) return 413;
    const parsed = DeploymentRequest.safeParse(jsonOf(body));
    if (!parsed.success) return 400;

    return this.evaluators.ask(evaluator, {
      deployment,
      ask: ask as ModelQuestion['ask'],
      instances: parsed.data.instances,
    });
  }
}

function mayAsk({ headers }: IncomingMessage, secret: string): boolean {
  const shown = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(sha256(shown), sha256(secret));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status, { connection: 'close' });
  response.end();
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
