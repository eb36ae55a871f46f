import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client whose sending, reading and disconnecting the test controls. */
export class SlowClient {
  private received = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
    });
    // the test observes a lost connection through `closed`
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<SlowClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new SlowClient(socket);
  }

  /** Sends the head of a request. Send the body with `send`. */
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

  /** Sends a chunk of a `transfer-encoding: chunked` body. An empty chunk ends the body. */
  sendChunk(text: string): this {
    return this.send(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  /**
   * Waits until the received text matches `pattern` and returns it.
   * @throws Error if the connection closes before.
   */
  async answered(pattern: RegExp): Promise<string> {
    const closed = this.closed();
    while (!pattern.test(this.received)) {
      if (this.socket.closed) throw new Error(`closed after: ${this.received}`);
      await Promise.race([this.next('data'), closed]);
    }
    return this.received;
  }

  /** Stops reading the response. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  resumeReading(): this {
    this.socket.resume();
    return this;
  }

  /** Resolves when the service has closed the connection, also if it did so with a reset. */
  async closed(): Promise<void> {
    if (!this.socket.closed) await this.next('close');
  }

  leave(): void {
    this.socket.destroy();
  }

  /** Resolves with the next `event`. Unlike `once` of Node, it does not reject on an error of the socket. */
  private next(event: 'close' | 'data'): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once(event, () => resolve());
    });
  }
}
