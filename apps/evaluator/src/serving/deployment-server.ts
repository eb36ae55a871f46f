import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DeploymentReply, DeploymentRequest } from '@assay/contracts/serving';

export type DeploymentQuestion = 'predict' | 'explain';

/** A target model that is served under the ID of its deployment. */
export interface ServedDeployment {
  /** The bearer token that callers must send. */
  readonly secret: string;
  /** @param instances each as JSON */
  ask(question: DeploymentQuestion, instances: readonly string[]): Promise<DeploymentReply>;
}

const MOST_BYTES = 64 * 1024 * 1024;
const ROUTE = /^\/placements\/([0-9a-f-]{36})\/(predict|explain)$/;

/**
 * The internal HTTP server through which the API reaches the target models of this evaluator. Every
 * request needs the secret of its deployment.
 */
export class DeploymentServer {
  private readonly served = new Map<string, ServedDeployment>();
  private listening: Promise<Server> | null = null;

  constructor(private readonly settings: { readonly host: string; readonly port: number }) {}

  /** Returns the address of the server. The first call starts it. */
  async address(): Promise<string> {
    this.listening ??= this.listen();
    const { address, port, family } = (await this.listening).address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  add(deploymentId: string, served: ServedDeployment): void {
    this.served.set(deploymentId, served);
  }

  remove(deploymentId: string): void {
    this.served.delete(deploymentId);
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
    const [, id = '', question] = ROUTE.exec(request.url ?? '') ?? [];
    const served = this.served.get(id);
    // also 401 for unknown IDs: only callers with the secret may learn that a deployment exists
    if (!served || !mayAsk(request, served.secret)) return 401;
    if (request.method !== 'POST') return 405;

    const body = await bodyOf(request);
    if (body === null) return 413;
    const parsed = DeploymentRequest.safeParse(jsonOf(body));
    if (!parsed.success) return 400;

    const instances = parsed.data.instances.map((instance) => JSON.stringify(instance));
    return served.ask(question as DeploymentQuestion, instances);
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
