import type { DockerEngine } from '@assay/sandbox/docker';

/** Counts the containers that the engine starts for one evaluator. */
export class ContainerStarts {
  count = 0;

  private constructor(private readonly events: NodeJS.ReadableStream) {}

  static async watch(engine: DockerEngine, instance: string): Promise<ContainerStarts> {
    const filters = JSON.stringify({ event: ['start'], label: [`assay.instance=${instance}`] });
    const events = await engine.docker.getEvents({ filters });
    const starts = new ContainerStarts(events);
    events.on('data', (chunk: Buffer) => {
      starts.count += chunk.toString().trim().split('\n').length;
    });
    return starts;
  }

  close(): void {
    (this.events as NodeJS.ReadableStream & { destroy(): void }).destroy();
  }
}
