import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { within } from '@assay/kernel';
import Docker from 'dockerode';
import { SandboxUnavailable } from '../sandbox.js';

/**
 * Seconds for calls that the engine answers from memory, for calls that work on a container, and
 * for removals.
 */
const patience = { quick: 10, work: 30, removal: 20 } as const;

export type EngineError = Error & { readonly statusCode?: number; readonly json?: { readonly message?: string } };

/**
 * A client of the engine (dockerode) with a deadline on every call, so that a hung daemon does not
 * hang the worker. A refusal by the engine is thrown unchanged; no response is
 * `SandboxUnavailable`.
 */
export class DockerEngine {
  readonly docker: Docker;

  /** @param address as in `DOCKER_HOST`. Default: that variable, or else the standard socket. */
  constructor(
    address?: string,
    private readonly seconds: Readonly<Record<keyof typeof patience, number>> = patience,
  ) {
    this.docker = new Docker(connection(address ?? process.env['DOCKER_HOST']));
  }

  info(): Promise<EngineInfo> {
    return this.call('info', this.seconds.quick, this.docker.info() as Promise<EngineInfo>);
  }

  async image(name: string): Promise<Docker.ImageInspectInfo | null> {
    return this.call('image inspect', this.seconds.quick, orNull(this.docker.getImage(name).inspect()));
  }

  /** Returns the IDs of all images that are not only layers of another one. */
  async images(): Promise<string[]> {
    const images = await this.call('image list', this.seconds.quick, this.docker.listImages());
    return images.map(({ Id }) => Id);
  }

  removeImage(name: string): Promise<unknown> {
    return this.call('image remove', this.seconds.work, orNull(this.docker.getImage(name).remove()));
  }

  /** Loads a docker-archive of `bytes` bytes. The deadline allows for a disk of 10 MB/s. */
  load(archive: Readable, bytes: number): Promise<void> {
    return this.call('image load', 60 + bytes / 10e6, this.docker.loadImage(archive).then(drained), () => {
      archive.destroy();
    });
  }

  create(options: Docker.ContainerCreateOptions): Promise<Docker.Container> {
    return this.call('container create', this.seconds.work, this.docker.createContainer(options));
  }

  start(id: string): Promise<unknown> {
    return this.call('container start', this.seconds.work, this.docker.getContainer(id).start());
  }

  async inspect(id: string): Promise<Docker.ContainerInspectInfo | null> {
    return this.call('container inspect', this.seconds.quick, orNull(this.docker.getContainer(id).inspect()));
  }

  /**
   * Kills and removes a container with its volumes. Does not fail if the container is gone or being
   * removed.
   */
  async remove(id: string): Promise<void> {
    const container = this.docker.getContainer(id);
    await this.call('container remove', this.seconds.removal, orNull(container.remove({ force: true, v: true })));
  }

  list(labels: readonly string[]): Promise<Docker.ContainerInfo[]> {
    return this.call(
      'container list',
      this.seconds.quick,
      this.docker.listContainers({ all: true, filters: { label: [...labels] } }),
    );
  }

  /** Starts an additional process in a container and does not wait for it. */
  execute(id: string, options: { readonly Cmd: string[]; readonly User: string }): Promise<unknown> {
    const run = async () => {
      const started = await (await this.docker.getContainer(id).exec(options)).start({ Detach: true });
      // dockerode keeps the connection open, even with Detach
      started.destroy();
    };
    return this.call('container exec', this.seconds.work, run());
  }

  /**
   * Resolves when the container ends, however long that takes. The caller stops listening with
   * `signal`.
   */
  async wait(id: string, signal: AbortSignal): Promise<{ StatusCode: number }> {
    try {
      return JSON.parse(await text(await this.waiting(id, signal))) as { StatusCode: number };
    } catch (error) {
      throw failed('container wait', error as Error);
    }
  }

  /**
   * Returns the response as a stream: its headers arrive immediately, its body when the container
   * ends. Dockerode's own `wait` reads the body to its end and never settles if there is none, for
   * example when the daemon dies.
   */
  private waiting(id: string, signal: AbortSignal): Promise<Readable> {
    const options = {
      path: `/containers/${id}/wait?condition=not-running`,
      method: 'POST',
      isStream: true,
      abortSignal: signal,
      statusCodes: { 200: true, 404: 'no such container' },
    };
    return new Promise((resolve, reject) => {
      this.modem.dial(options, (error, answer) => {
        // the signal of a request has no effect after the response
        if (answer) resolve(addAbortSignal(signal, answer));
        else reject(error!);
      });
    });
  }

  /** The modem of dockerode, whose types do not declare its methods. */
  private get modem(): Modem {
    return this.docker.modem as Modem;
  }

  logs(id: string): Promise<Buffer | null> {
    const options = { stdout: true, stderr: true, follow: false } as const;
    return this.call('container logs', this.seconds.quick, orNull(this.docker.getContainer(id).logs(options)));
  }

  private async call<T>(what: string, limit: number, answer: Promise<T>, abandon?: () => void): Promise<T> {
    const late = (): SandboxUnavailable => {
      abandon?.();
      return new SandboxUnavailable(`the container engine did not answer "${what}" within ${Math.round(limit)} s`);
    };
    try {
      return await within(limit * 1000, answer, late);
    } catch (error) {
      throw failed(what, error as Error);
    }
  }
}

interface Modem {
  dial(options: object, callback: (error: Error | null, answer: Readable | null) => void): void;
}

/**
 * Returns the error that a call throws: refusals and `SandboxUnavailable` unchanged, everything
 * else as `SandboxUnavailable`.
 */
const failed = (what: string, cause: Error): Error =>
  isRefusal(cause) || cause instanceof SandboxUnavailable
    ? cause
    : new SandboxUnavailable(`the container engine failed at "${what}": ${cause.message}`, { cause });

export interface EngineInfo {
  /** Identifies the engine. Null or empty where it has none. */
  readonly ID?: string | null;
  readonly ServerVersion: string;
  readonly NCPU: number;
  /** The folder of its images and containers. */
  readonly DockerRootDir?: string;
  readonly CgroupVersion?: string;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
}

/** Returns whether the engine responded with a refusal: such an error has a status code. */
export function isRefusal(error: unknown): error is EngineError {
  return error instanceof Error && typeof (error as EngineError).statusCode === 'number';
}

/** Returns the engine's message without the text that dockerode adds. */
export function refusal(error: EngineError): string {
  return error.json?.message ?? error.message;
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isRefusal(error) && (error.statusCode === 404 || isGoing(error))) return null;
    throw error;
  }
}

/** Returns whether the engine refused because the same container is already being removed. */
function isGoing(error: EngineError): boolean {
  return error.statusCode === 409 && /already in progress|marked for removal/.test(refusal(error));
}

/**
 * Reads the progress that `docker load` prints. A failure is one of its lines, after status 200.
 */
async function drained(progress: NodeJS.ReadableStream): Promise<void> {
  let end = '';
  for await (const chunk of progress) end = (end + String(chunk)).slice(-65_536);
  for (const line of end.split('\n')) {
    const failure = /"errorDetail":\s*\{.*?"message":\s*"((?:[^"\\]|\\.)*)"/.exec(line);
    if (failure) throw new Error(`the image was not loaded: ${failure[1] ?? ''}`);
  }
}

function connection(address: string | undefined): Docker.DockerOptions {
  if (!address) return { socketPath: '/var/run/docker.sock' };
  if (address.startsWith('unix://')) return { socketPath: address.slice('unix://'.length) };
  const { protocol, hostname, port } = new URL(address);
  return { protocol: protocol === 'https:' ? 'https' : 'http', host: hostname, port: Number(port) || 2375 };
}
