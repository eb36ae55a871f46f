import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The path of the receiver. Contains a secret of its own. */
export const RECEIVER_PATH = '/in/a-secret-of-the-receiver';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse) => void | Promise<void>;

/**
 * Records all received requests and responds with the next entry of `answers`, or with 200 if there
 * is none.
 */
export class WebhookReceiver {
  readonly received: Received[] = [];
  readonly answers: Answer[] = [];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      const answer = this.answers.shift() ?? ((to: ServerResponse) => void to.end('taken'));
      void answer(response);
    });
  });

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${RECEIVER_PATH}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get ids(): unknown[] {
    return this.received.map(({ headers }) => headers['webhook-id']);
  }
}

/** Returns an answer with that status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end(`status ${code}`);

/** Verifies the signature as a receiver does. Implemented from the specification alone. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(signature);
}
