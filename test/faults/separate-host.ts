import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createServer, type Server } from 'node:tls';
import { findProgram } from '../../scripts/services/debian-packages.js';
import type { Command } from '../../scripts/services/docker-engine.js';
import { FAKETIME, fakeTime } from './moved-clock.js';

/** The networks of separate hosts: private addresses that nothing else here uses. */
const NETWORK = '10.231';

/** True if this process may make network namespaces, and the programs for it are there. */
export const canSeparateHosts = (): boolean =>
  process.getuid?.() === 0 && ['ip', 'nsenter', 'openssl', 'dockerd'].every((name) => findProgram(name) !== undefined);

/**
 * A network namespace that stands for another host. It has one link to this one and no other route,
 * so it does not reach what listens on loopback here.
 */
export class SeparateHost {
  private readonly name = `assay-${randomBytes(3).toString('hex')}`;
  private readonly link = `${this.name.slice(-6)}-l`;
  /** The address of this host at the link. */
  readonly here: string;
  private readonly there: string;

  /** @param number from 1 to 250; different for each host of a test */
  constructor(number: number) {
    this.here = `${NETWORK}.${number}.1`;
    this.there = `${NETWORK}.${number}.2`;
    ip('netns', 'add', this.name);
    const end = `${this.name.slice(-6)}-r`;
    ip('link', 'add', this.link, 'type', 'veth', 'peer', 'name', end);
    ip('link', 'set', end, 'netns', this.name);
    ip('address', 'add', `${this.here}/30`, 'dev', this.link);
    ip('link', 'set', this.link, 'up');
    for (const words of [
      ['address', 'add', `${this.there}/30`, 'dev', end],
      ['link', 'set', end, 'up'],
      ['link', 'set', 'lo', 'up'],
    ]) {
      ip('-netns', this.name, ...words);
    }
  }

  /** Returns the command that runs a program on this host. */
  readonly enter = (command: string, parameters: readonly string[]): Command => ({
    command: 'nsenter',
    arguments: [`--net=/run/netns/${this.name}`, command, ...parameters],
  });

  /** Returns how a connection from this host to a port ends: `open`, or the code of the error. */
  connection(address: string, port: number): string {
    const script = `require('node:net').connect(${port}, '${address}')
      .on('connect', function () { console.log('open'); this.destroy(); }).on('error', ({ code }) => console.log(code))`;
    const { command, arguments: words } = this.enter(process.execPath, ['-e', script]);
    return execFileSync(command, words, { encoding: 'utf8' }).trim();
  }

  /** Starts a program for Node.js on this host. */
  start(script: string, environment: Readonly<Record<string, string>>): ChildProcessByStdio<Writable, Readable, null> {
    const { command, arguments: words } = this.enter(process.execPath, ['-e', script]);
    return spawn(command, words, { env: { ...process.env, ...environment }, stdio: ['pipe', 'pipe', 'inherit'] });
  }

  /** No packet passes the link until `mend`. */
  cut(): void {
    ip('link', 'set', this.link, 'down');
  }

  mend(): void {
    ip('link', 'set', this.link, 'up');
  }

  remove(): void {
    ip('link', 'del', this.link);
    ip('netns', 'del', this.name);
  }
}

const ip = (...words: readonly string[]): void => {
  execFileSync('ip', words, { stdio: 'pipe' });
};

/** The addresses of a service over TLS, with a certificate of a private CA. */
export class TlsEntrance {
  private readonly servers: Server[] = [];
  /** Path of the certificate of the CA. */
  readonly authority: string;

  private constructor(private readonly folder: string) {
    this.authority = join(folder, 'ca.pem');
  }

  /**
   * Listens on these addresses, and passes everything on.
   * @param folder for keys and certificates
   * @param url of the service
   */
  static async open(folder: string, url: string, addresses: readonly string[]): Promise<TlsEntrance> {
    const entrance = new TlsEntrance(folder);
    entrance.certify(addresses);
    const { hostname, port } = new URL(url);
    for (const address of addresses) {
      const options = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'cert.pem')) };
      const server = createServer(options, (socket) => {
        const onward = connect(Number(port), hostname);
        socket.pipe(onward).pipe(socket);
        for (const [one, other] of [
          [socket, onward],
          [onward, socket],
        ] as const) {
          one.on('error', () => undefined).once('close', () => other.destroy());
        }
      });
      server.on('tlsClientError', () => undefined);
      await once(server.listen(0, address), 'listening');
      entrance.servers.push(server);
    }
    return entrance;
  }

  /** The URL of the service at the address with this place in the list. */
  url(place: number): string {
    const { address, port } = this.servers[place]!.address() as { address: string; port: number };
    return `https://${address}:${port}`;
  }

  close(): void {
    for (const server of this.servers) server.close();
  }

  private certify(addresses: readonly string[]): void {
    const extensions = join(this.folder, 'extensions');
    writeFileSync(extensions, `subjectAltName=${addresses.map((address) => `IP:${address}`).join(',')}\n`);
    // valid since yesterday, so that hosts whose clocks are behind accept them
    const env = { ...process.env, ...(FAKETIME && fakeTime('-1d')) };
    const made = (...words: readonly string[]) =>
      execFileSync('openssl', words, { cwd: this.folder, env, stdio: 'pipe' });
    const key = ['-newkey', 'rsa:2048', '-nodes'];
    made('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '3', '-subj', '/CN=test CA');
    made('req', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=assay');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '3', '-extfile', extensions];
    made('x509', '-req', '-in', 'request.pem', ...signed, '-out', 'cert.pem');
  }
}
