import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Mood = 'forwards' | 'hangs' | 'refuses';

/** A proxy for this machine's Docker engine. Its socket can hang or refuse connections. */
export class EngineProxy {
  private readonly path = join(tmpdir(), `assay-engine-${randomBytes(4).toString('hex')}.sock`);
  private readonly sockets = new Set<Socket>();
  /** Connections that were opened while it hung. */
  private waiting: Socket[] = [];
  private mood: Mood = 'forwards';
  private readonly listener: Server;

  private constructor(private readonly target: string) {
    this.listener = createServer((client) => this.take(client));
  }

  /** @param address The address of the engine, in the format of `DOCKER_HOST`. */
  static async start(address = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock'): Promise<EngineProxy> {
    const proxy = new EngineProxy(address.slice('unix://'.length));
    proxy.listener.listen(proxy.path);
    await once(proxy.listener, 'listening');
    return proxy;
  }

  /** The address of the proxy, in the format of `DOCKER_HOST`. */
  get host(): string {
    return `unix://${this.path}`;
  }

  /** Stops forwarding in both directions, without closing any connection. */
  hang(): void {
    this.mood = 'hangs';
    for (const socket of this.sockets) socket.pause();
  }

  /** Closes all connections, and every new one. */
  refuse(): void {
    this.mood = 'refuses';
    for (const socket of [...this.sockets, ...this.waiting]) socket.destroy();
  }

  /** Forwards again, including what arrived while it hung. */
  forward(): void {
    this.mood = 'forwards';
    for (const socket of this.sockets) socket.resume();
    for (const client of this.waiting.splice(0)) this.join(client);
  }

  async close(): Promise<void> {
    this.refuse();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private take(client: Socket): void {
    client.on('error', () => undefined);
    if (this.mood === 'forwards') this.join(client);
    else if (this.mood === 'hangs') this.waiting.push(client);
    else client.destroy();
  }

  private join(client: Socket): void {
    const engine = connect(this.target);
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      this.sockets.add(from);
      from
        .on('data', (bytes: Buffer) => to.write(bytes))
        .on('error', () => undefined)
        .on('end', () => to.end())
        .on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
    }
  }
}
