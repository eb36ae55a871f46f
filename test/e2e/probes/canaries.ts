import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DockerEngine } from '@assay/sandbox/docker';

/**
 * The time until a container in the engine's network has reached all listeners, in milliseconds.
 */
const PROOF_MILLISECONDS = 60_000;

interface CanaryAddresses {
  /**
   * The addresses of a canary, in the format of the probe `network`: every address of its network,
   * including IPv6 if there is any, and an abstract Unix socket, which is reachable without a file
   * from the same network.
   */
  readonly addresses: readonly string[];
  /** The port of its IPv4 TCP listener. */
  readonly tcp: number;
}

/** A process that listens where nothing may arrive. */
class Canary {
  private constructor(
    private readonly child: ChildProcess,
    private readonly listening: CanaryAddresses,
  ) {}

  /** @param network The file of the network namespace, if not that of this process. */
  static async start(network?: string): Promise<Canary> {
    const elsewhere = network !== undefined && {
      execPath: 'nsenter',
      execArgv: [`--net=${network}`, process.execPath],
    };
    const child = fork(join(import.meta.dirname, 'canary.mjs'), { execArgv: [], ...elsewhere });
    const listening = once(child, 'message') as Promise<[CanaryAddresses]>;
    const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a canary exited with code ${code}`)));
    died.catch(() => undefined);
    return new Canary(child, (await Promise.race([listening, died]))[0]);
  }

  get addresses(): readonly string[] {
    return this.listening.addresses;
  }

  get port(): number {
    return this.listening.tcp;
  }

  /** Returns what has arrived since the last call. */
  async heard(): Promise<string[]> {
    const answer = once(this.child, 'message') as Promise<[string[]]>;
    this.child.send('what was heard?');
    return (await answer)[0];
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

/**
 * Listeners that no model may reach: one in the network in which the engine runs, which its
 * containers could be given, and one in the network of the platform's processes, to which a model
 * might make them send requests. `scripts/test` runs these in separate networks and names the
 * engine's in `ASSAY_ENGINE_NETWORK`. Elsewhere both are the same.
 */
export class Canaries {
  private constructor(
    private readonly engine: Canary,
    private readonly platform: Canary,
  ) {}

  static async start(): Promise<Canaries> {
    const engine = await Canary.start(process.env['ASSAY_ENGINE_NETWORK']);
    return new Canaries(engine, await Canary.start());
  }

  /** The port in the platform's network. */
  get port(): number {
    return this.platform.port;
  }

  /** All addresses in the engine's network, in the format of the probe `network`. */
  get addresses(): readonly string[] {
    return this.engine.addresses;
  }

  /** Returns what has arrived since the last call. */
  async heard(): Promise<string[]> {
    return (await Promise.all([this.engine.heard(), this.platform.heard()])).flat();
  }

  /**
   * Checks that the listeners can be reached from where a model would be if it were not isolated.
   * Otherwise their silence would prove nothing.
   * @param image The image of the probes.
   */
  async prove(engine: DockerEngine, image: string): Promise<void> {
    await this.provePlatform();
    const { id } = await engine.create({
      Image: image,
      Cmd: ['network', ...this.addresses],
      Env: ['AIP_HTTP_PORT=0'],
      User: '65534:65534',
      HostConfig: { NetworkMode: 'host', CapDrop: ['ALL'], ReadonlyRootfs: true },
    });
    try {
      await engine.start(id);
      const heard = await this.heardWithin(PROOF_MILLISECONDS);
      if (heard.length === this.addresses.length) return;
      throw new Error(`of ${this.addresses.join(', ')} were called: ${heard.join(', ')}`);
    } finally {
      await engine.remove(id);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.engine.close(), this.platform.close()]);
  }

  private async provePlatform(): Promise<void> {
    const socket = connect(this.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'close');
    const heard = await this.platform.heard();
    if (heard.length !== 1) throw new Error(`the canary of the platform's network heard: ${heard.join(', ')}`);
  }

  private async heardWithin(milliseconds: number): Promise<string[]> {
    const heard: string[] = [];
    for (const end = Date.now() + milliseconds; heard.length < this.addresses.length && Date.now() < end;) {
      heard.push(...(await this.engine.heard()));
      await sleep(25);
    }
    return heard;
  }
}
