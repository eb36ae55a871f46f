import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { HealthParts } from './health-check.js';
import type { Metrics } from './metrics.js';

export interface MetricsServerSettings {
  readonly host: string;
  /** Without a port nothing listens. */
  readonly port: number | undefined;
  /** The bearer token for the metrics. Without one, anybody may read them. */
  readonly token: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` of a process without an API on a port of
 * its own, if one is set.
 */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsServer.name);
  private server: Server | null = null;

  constructor(
    private readonly metrics: Metrics,
    private readonly health: HealthParts,
    private readonly settings: MetricsServerSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.settings;
    if (port === undefined) return;
    const server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
    this.server = server;
    this.logger.log(`serving metrics on http://${host}:${port}/metrics`);
  }

  onApplicationShutdown(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, contentType } = await this.answerTo(request).catch(() => text(500, 'failed'));
    response.writeHead(status, { 'content-type': contentType }).end(body);
  }

  private async answerTo({ method, url, headers }: IncomingMessage): Promise<Answer> {
    if (method !== 'GET') return text(405, 'method not allowed; use GET');
    if (url === '/health/live') return json(200, { status: 'ok' });
    if (url === '/health/ready') return this.ready();
    if (url !== '/metrics') return text(404, 'not found; the paths are /metrics, /health/live and /health/ready');
    if (!mayReadMetrics(this.settings.token, headers.authorization))
      return text(401, 'send the metrics token as a bearer token');
    const { contentType, body } = await this.metrics.expose();
    return { status: 200, contentType, body };
  }

  private async ready(): Promise<Answer> {
    const parts = await this.health();
    const isReady = parts.every(({ ready }) => ready);
    return json(isReady ? 200 : 503, { status: isReady ? 'ok' : 'not_ready', parts });
  }
}

const text = (status: number, body: string): Answer => ({ status, body: `${body}\n`, contentType: 'text/plain' });

const json = (status: number, body: object): Answer => ({
  status,
  body: JSON.stringify(body),
  contentType: 'application/json',
});

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Returns whether a request with this `Authorization` header may read the metrics. Without a
 * configured `token`, every request may. The comparison takes constant time.
 */
export function mayReadMetrics(token: string | undefined, authorization: string | undefined): boolean {
  return token === undefined || timingSafeEqual(digest(`Bearer ${token}`), digest(authorization ?? ''));
}
