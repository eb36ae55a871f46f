import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends, reads and leaves when the test says so. */
export class SlowClient {
  private received = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
    });
    // that it is cut off is what `closed` tells
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<SlowClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new SlowClient(socket);
  }

  /** Sends the head of a request; a body goes on with `send`. */
  ask(method: string, path: string, headers: Readonly<Record<string, string>>): this {
    const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    return this;
  }

  /** Sends bytes as they are. */
  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Sends a piece of a body that came with `transfer-encoding: chunked`; an empty one is its end. */
  sendChunk(text: string): this {
    return this.send(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  /** What was answered, once it matches. Ends with an error where the connection does before. */
  async answered(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) {
      if (this.socket.closed) throw new Error(`closed after: ${this.received}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    return this.received;
  }

  /** Takes nothing more of what is sent to it. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** Once the service has ended the connection. */
  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close');
  }

  leave(): void {
    this.socket.destroy();
  }
}
