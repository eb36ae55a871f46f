import { setTimeout as sleep } from 'node:timers/promises';
import type { DockerEngine } from '@assay/sandbox/docker';
import type { GetEventsOptions } from 'dockerode';
import split from 'split2';

/** An event of the engine about a container, a volume or a network. */
interface EngineEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

export interface ContainerEvent {
  /** The ID of the container. */
  readonly container: string;
  readonly action: 'create' | 'start' | 'die' | 'destroy';
  readonly role: string;
  readonly instance: string;
}

type Listener = (event: ContainerEvent) => void;

/**
 * Observes everything that the engine does with the containers of evaluators whose names begin with
 * `prefix`.
 */
export class EngineWatch {
  private readonly own = new Set<string>();
  private readonly volumes = new Set<string>();
  private readonly networks = new Set<string>();
  private readonly listeners = new Set<Listener>();
  private stream: (NodeJS.ReadableStream & { destroy?: () => void }) | undefined;
  private isClosed = false;

  private constructor(
    private readonly engine: DockerEngine,
    private readonly prefix: string,
  ) {}

  static async start(engine: DockerEngine, prefix: string): Promise<EngineWatch> {
    const watch = new EngineWatch(engine, prefix);
    await watch.listen();
    return watch;
  }

  /** The number of containers that were created. */
  get made(): number {
    return this.own.size;
  }

  /**
   * Calls `listener` immediately for every further event.
   * @returns A function that removes the listener.
   */
  on(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Returns the next event that has these properties. */
  next(wanted: Partial<ContainerEvent>): Promise<ContainerEvent> {
    return new Promise((resolve) => {
      const stop = this.on((event) => {
        const fits = Object.entries(wanted).every(([key, value]) => event[key as keyof ContainerEvent] === value);
        if (!fits) return;
        stop();
        resolve(event);
      });
    });
  }

  /**
   * Returns the volumes and networks that the containers used. There should be none: they outlive
   * their containers.
   */
  async leftovers(): Promise<string[]> {
    const volumes = await Promise.all(
      [...this.volumes].map((name) =>
        this.engine.docker
          .getVolume(name)
          .inspect()
          .then(
            () => [`volume ${name}`],
            () => [],
          ),
      ),
    );
    return [...volumes.flat(), ...[...this.networks].map((name) => `network ${name}`)];
  }

  close(): void {
    this.isClosed = true;
    this.stream?.destroy?.();
  }

  private async listen(): Promise<void> {
    const filters: GetEventsOptions['filters'] = { type: ['container', 'volume', 'network'] };
    this.stream = await this.engine.docker.getEvents({ filters });
    this.stream.on('error', () => undefined).once('close', () => void this.listenAgain());
    this.stream.pipe(split()).on('data', (line: string) => {
      if (line !== '') this.take(JSON.parse(line) as EngineEvent);
    });
  }

  /** Subscribes again after the engine was killed, as soon as its successor responds. */
  private async listenAgain(): Promise<void> {
    while (!this.isClosed) {
      const hears = await this.listen().then(
        () => true,
        () => false,
      );
      if (hears) return;
      await sleep(200);
    }
  }

  private take({ Type, Action, Actor: { ID, Attributes } }: EngineEvent): void {
    const { container = '', name = ID } = Attributes;
    if (Type === 'volume' && this.own.has(container)) this.volumes.add(ID);
    // a model has no network, and its relay shares the model's
    if (Type === 'network' && this.own.has(container) && name !== 'none') this.networks.add(name);
    if (Type !== 'container') return;

    const instance = Attributes['assay.instance'] ?? '';
    if (!instance.startsWith(this.prefix)) return;
    this.own.add(ID);
    if (!isContainerAction(Action)) return;
    const role = Attributes['assay.role'] ?? '';
    for (const listener of this.listeners) listener({ container: ID, action: Action, role, instance });
  }
}

const isContainerAction = (action: string): action is ContainerEvent['action'] =>
  ['create', 'start', 'die', 'destroy'].includes(action);
