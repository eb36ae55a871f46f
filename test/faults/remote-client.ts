import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SeparateHost } from './separate-host.js';

/** Sends the request of each line of its input, one after the other, and writes the response as a line. */
const SEND = `require('node:readline').createInterface(process.stdin).on('line', async (line) => {
  const { url, ...request } = JSON.parse(line);
  const response = await fetch(url, request);
  console.log(JSON.stringify({ status: response.status, text: await response.text() }));
});`;

/** The content of a request, as JSON or as a text of some type. */
export interface RemoteRequest {
  readonly json?: object;
  readonly type?: string;
  readonly text?: string;
  /** Default: the token of the client. */
  readonly token?: string;
}

export interface RemoteResponse {
  readonly status: number;
  readonly text: string;
}

interface Entrance {
  /** The URL of the service as the host reaches it. */
  readonly url: string;
  /** Path of the certificate of its CA. */
  readonly authority: string;
  readonly token: string;
}

/** A process on another host that sends requests to the service, one after the other. */
export class RemoteClient {
  private readonly process: ReturnType<SeparateHost['start']>;
  private readonly responses: ReturnType<typeof createInterface>;

  constructor(
    host: SeparateHost,
    private readonly entrance: Entrance,
  ) {
    this.process = host.start(SEND, { NODE_EXTRA_CA_CERTS: entrance.authority });
    this.responses = createInterface(this.process.stdout);
  }

  async send(
    method: string,
    path: string,
    { json, type = 'application/json', text, token = this.entrance.token }: RemoteRequest = {},
  ): Promise<RemoteResponse> {
    const body = json ? JSON.stringify(json) : text;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': type }),
    };
    const response = once(this.responses, 'line');
    this.process.stdin.write(`${JSON.stringify({ url: this.entrance.url + path, method, headers, body })}\n`);
    const [line] = (await response) as [string];
    return JSON.parse(line) as RemoteResponse;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.stdin.end();
    await ended;
  }
}
