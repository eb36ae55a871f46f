import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { randomBytes } from 'node:crypto';

/** Where a canary listens, as a probe is told: `tcp:<port>`, `udp:<port>` (on every address of the host) or `abstract:<name>`. */
export interface CanaryAddresses {
  readonly tcp: number;
  readonly udp: number;
  /** Of an abstract Unix socket: it needs no file, only the same network namespace. */
  readonly abstract: string;
}

/** Listeners on this host that no model may reach. Whatever arrives at one is kept. */
export class Canaries {
  readonly heard: string[] = [];

  private constructor(
    readonly addresses: CanaryAddresses,
    private readonly tcp: Server,
    private readonly udp: Socket,
    private readonly abstract: Server,
  ) {
    tcp.on('connection', (socket) => {
      this.heard.push(`tcp from ${socket.remoteAddress}`);
      socket.on('error', () => undefined).destroy();
    });
    udp.on('message', (_, from) => this.heard.push(`udp from ${from.address}`));
    abstract.on('connection', (socket) => {
      this.heard.push('abstract Unix socket');
      socket.on('error', () => undefined).destroy();
    });
  }

  /** Listens, and tries every listener once: one that hears nothing proves nothing. */
  static async start(): Promise<Canaries> {
    const tcp = createServer().listen(0, '0.0.0.0');
    const udp = createSocket('udp4').bind(0, '0.0.0.0');
    const name = `assay-canary-${randomBytes(6).toString('hex')}`;
    const abstract = createServer().listen(`\0${name}`);
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening'), once(abstract, 'listening')]);
    const addresses = { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port, abstract: name };
    const canaries = new Canaries(addresses, tcp, udp, abstract);
    await canaries.prove();
    return canaries;
  }

  async close(): Promise<void> {
    this.udp.close();
    await Promise.all([this.tcp, this.abstract].map((server) => new Promise((resolve) => server.close(resolve))));
  }

  private async prove(): Promise<void> {
    const { tcp, udp, abstract } = this.addresses;
    for (const address of [{ port: tcp, host: '127.0.0.1' }, { path: `\0${abstract}` }]) {
      const socket = connect(address);
      socket.on('error', () => undefined);
      await once(socket, 'close');
    }
    const told = once(this.udp, 'message');
    const sender = createSocket('udp4');
    sender.send('x', udp, '127.0.0.1');
    await told;
    sender.close();
    if (this.heard.length !== 3) throw new Error(`of three canaries were heard: ${this.heard.join(', ')}`);
    this.heard.length = 0;
  }
}
