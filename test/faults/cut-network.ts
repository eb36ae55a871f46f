import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** A network path to a service on this host, which a test can cut: no byte gets through then. */
export class CutNetwork {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  /** Called with the number of bytes that the service has sent. */
  private onSent: (bytes: number) => void = () => undefined;

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {
    server.on('connection', (socket) => this.forward(socket));
  }

  static async to(url: string): Promise<CutNetwork> {
    const server = createServer({ pauseOnConnect: true });
    const path = new CutNetwork(server, new URL(url));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return path;
  }

  /** The URL of the service behind this path. */
  get url(): string {
    const { port } = this.server.address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  /** Connections stay open and silent, and new ones are silent too. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Cuts the path as soon as the service has sent this many more bytes. Resolves then. */
  cutAfter(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      let left = bytes;
      this.onSent = (sent) => {
        left -= sent;
        if (left > 0) return;
        this.onSent = () => undefined;
        this.cut();
        resolve();
      };
    });
  }

  /** New connections lead to the service at this URL. */
  leadTo(url: string): void {
    this.target = new URL(url);
  }

  /** New connections get through. The silent ones are reset. */
  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.mend();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(socket: Socket): void {
    this.keep(socket);
    if (this.isCut) return;
    const onward = this.keep(connect(Number(this.target.port), this.target.hostname));
    socket.pipe(onward).pipe(socket);
    onward.on('data', ({ length }) => this.onSent(length));
    socket.once('close', () => onward.destroy());
    onward.once('close', () => socket.destroy());
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket.on('error', () => undefined);
  }
}
