import type { Readable } from 'node:stream';
import type { ServiceWorld } from '../../factories/worlds/service-world.js';

/** The engine's log settings of a container. */
interface LogConfig {
  readonly Type: string;
  readonly Config: Readonly<Record<string, string>>;
}

interface StartEvent {
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

/**
 * Reads from the engine how much of a model's log it may store, whenever a container of a model
 * starts. test/e2e/sandbox-driver.spec.ts shows that the engine observes the setting.
 */
export class LogWatch {
  /** The settings by run ID. */
  private readonly settings = new Map<string, Promise<LogConfig | undefined>[]>();

  private constructor(
    private readonly world: ServiceWorld,
    private readonly events: Readable,
  ) {
    let text = '';
    events.on('data', (chunk: Buffer) => {
      const lines = `${text}${chunk.toString()}`.split('\n');
      text = lines.pop()!;
      for (const line of lines.filter(Boolean)) this.add(JSON.parse(line) as StartEvent);
    });
  }

  static async start(world: ServiceWorld): Promise<LogWatch> {
    const label = [`assay.instance=${world.instance}`, 'assay.role=model'];
    const events = await world.engine.docker.getEvents({ filters: { type: ['container'], event: ['start'], label } });
    return new LogWatch(world, events as Readable);
  }

  /**
   * Returns the settings of the containers of a model that has run, except those that were gone
   * before they could be read.
   */
  async of(model: string): Promise<readonly LogConfig[]> {
    const runs = await this.world.rows<{ id: string }>(
      'select r.id from run r join model m on m.specification_id = r.specification_id where m.id = $1',
      [model],
    );
    const read = await Promise.all(runs.flatMap(({ id }) => this.settings.get(id) ?? []));
    return read.filter((each) => each !== undefined);
  }

  close(): void {
    this.events.destroy();
  }

  private add({ Actor: { ID, Attributes } }: StartEvent): void {
    const read = this.world.engine.inspect(ID).then((container) => container?.HostConfig.LogConfig);
    const run = Attributes['assay.run'] ?? '';
    this.settings.set(run, [...(this.settings.get(run) ?? []), read]);
  }
}
