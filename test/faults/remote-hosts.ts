import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DockerEngine, startPrivately } from '../../scripts/services/docker-engine.js';
import { project } from '../../scripts/command.js';
import { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import type { ServiceWorld } from '../factories/worlds/service-world.js';
import { RemoteClient } from './remote-client.js';
import { SeparateHost, TlsEntrance } from './separate-host.js';

/** Hosts for evaluators: a network namespace with an engine each, from which only a TLS port of the service is reached. */
export class RemoteHosts {
  readonly hosts: SeparateHost[] = [];
  readonly engines: DockerEngine[] = [];
  private entrance: TlsEntrance | undefined;

  private constructor(private readonly folder: string) {}

  /** @param folder for the images of the engines, logs and certificates */
  static async start(folder: string, count: number): Promise<RemoteHosts> {
    const remote = new RemoteHosts(folder);
    try {
      for (let place = 0; place < count; place++) await remote.add(place);
      return remote;
    } catch (error) {
      await remote.close();
      throw error;
    }
  }

  /** Opens the entrance to a service. */
  async connect({ url }: Pick<ServiceWorld, 'url'>): Promise<void> {
    const addresses = this.hosts.map(({ here }) => here);
    this.entrance = await TlsEntrance.open(this.folder, url, addresses);
  }

  /** Starts an evaluator of that name on the host at this place, or starts it again. */
  startEvaluator(
    world: ServiceWorld,
    name: string,
    place: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<SupervisedProcess> {
    const entrance = this.entrance!;
    return world.startAnother(
      name,
      { DOCKER_HOST: this.engines[place]!.host, NODE_EXTRA_CA_CERTS: entrance.authority, ...environment },
      { url: this.url(place), enter: this.hosts[place]!.enter },
    );
  }

  /** Returns the URL of the service as the host at this place reaches it. */
  url(place: number): string {
    return this.entrance!.url(place);
  }

  /**
   * Starts a shell on the host at this place, which runs the commands in a clone of the project.
   * @param log path of the file for its output
   */
  startShell(
    place: number,
    commands: readonly string[],
    log: string,
    environment: Readonly<Record<string, string>>,
  ): SupervisedProcess {
    return new SupervisedProcess({
      name: 'the shell on a host',
      ...this.hosts[place]!.enter('bash', ['-euc', commands.join('\n')]),
      environment: {
        PATH: process.env['PATH'],
        DOCKER_HOST: this.engines[place]!.host,
        NODE_EXTRA_CA_CERTS: this.entrance!.authority,
        ...environment,
      },
      cwd: project,
      log,
      stopSignal: 'SIGTERM',
      patience: 20_000,
    });
  }

  /** Starts a client of the service on the host at this place. */
  startClient(place: number, token: string): RemoteClient {
    const { authority } = this.entrance!;
    return new RemoteClient(this.hosts[place]!, { url: this.url(place), authority, token });
  }

  /** Returns how connections from all hosts to a port of this host end: `open`, or the code of the error. */
  connections(port: number): readonly string[] {
    return this.hosts.flatMap((host) => [host.here, '127.0.0.1'].map((address) => host.connection(address, port)));
  }

  async close(): Promise<void> {
    this.entrance?.close();
    for (const engine of this.engines) {
      await engine.process?.stop();
      await engine.release?.();
    }
    for (const host of this.hosts) host.remove();
  }

  private async add(place: number): Promise<void> {
    const host = new SeparateHost(place + 1);
    this.hosts.push(host);
    const directory = join(this.folder, `engine-${place}`);
    const logs = join(this.folder, `logs-${place}`);
    mkdirSync(logs);
    // one engine maps users, and one does not
    const remapUsers = place === 1;
    const plan = { directory, logs, install: 'refused', say: () => undefined, enter: host.enter, remapUsers } as const;
    this.engines.push(await startPrivately(plan));
  }
}
