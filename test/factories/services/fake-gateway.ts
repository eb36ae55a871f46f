import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

const PREFIX = '/api/v1/evaluator';

/** A request that the fake service received. */
export interface GatewayRequest {
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Responds to a request. The connection stays open until the response ends. */
export type GatewayReply = (response: ServerResponse, request: GatewayRequest) => void;

/** Responds with JSON. */
export const json =
  (body: unknown, status = 200): GatewayReply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Responds without content. */
export const noContent: GatewayReply = (response) => response.writeHead(204).end();

/** Responds with problem details. */
export const problem =
  (status: number, code: string, detail = ''): GatewayReply =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ type: 'about:blank', title: code, status, code, detail }));

/** Closes the connection without a response. */
export const hangUp: GatewayReply = (response) => response.destroy();

/** Never responds, as a long poll without work. */
export const silent: GatewayReply = () => undefined;

/** The routes for evaluators of a service on a loopback port, with scripted replies. */
export class FakeGateway {
  readonly requests: { readonly route: string; readonly request: GatewayRequest }[] = [];
  /** The WebSockets that were accepted, in order. */
  readonly sockets: WebSocket[] = [];
  /** The JSON that was received on them. */
  readonly received: unknown[] = [];
  /** The statuses that refuse the next WebSockets. */
  readonly refusals: number[] = [];
  private readonly replies = new Map<string, GatewayReply[]>();
  private readonly live = new WebSocketServer({ noServer: true });

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { route, request } = this.record(incoming, Buffer.concat(chunks));
        this.replyTo(route)(response, request);
      });
    });
    server.on('upgrade', (incoming, socket, head) => {
      this.record(incoming, head);
      const status = this.refusals.shift();
      if (status !== undefined) {
        socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.live.handleUpgrade(incoming, socket, head, (accepted) => {
        accepted.on('message', (message) => this.received.push(JSON.parse((message as Buffer).toString())));
        this.sockets.push(accepted);
      });
    });
  }

  static async start(): Promise<FakeGateway> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new FakeGateway(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /** Sets the replies to the next requests of a route, such as `POST /leases`. The last one repeats. */
  on(route: string, ...replies: readonly GatewayReply[]): void {
    this.replies.set(route, [...replies]);
  }

  /** Returns the requests of a route so far. */
  of(route: string): readonly GatewayRequest[] {
    return this.requests.filter((each) => each.route === route).map(({ request }) => request);
  }

  /** Returns the JSON bodies of the requests of a route so far. */
  bodiesOf(route: string): readonly unknown[] {
    return this.of(route).map(({ body }) => JSON.parse(body.toString()) as unknown);
  }

  /** Ends all connections, and accepts no other. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    for (const socket of this.sockets) socket.terminate();
    await closed;
  }

  private record(incoming: IncomingMessage, body: Buffer): { route: string; request: GatewayRequest } {
    const { pathname, searchParams: query } = new URL(incoming.url!, this.url);
    const recorded = {
      route: `${incoming.method} ${pathname.slice(PREFIX.length)}`,
      request: { query, headers: incoming.headers, body },
    };
    this.requests.push(recorded);
    return recorded;
  }

  private replyTo(route: string): GatewayReply {
    const replies = this.replies.get(route) ?? [problem(404, 'not_found', route)];
    return replies.length > 1 ? replies.shift()! : replies[0]!;
  }
}
