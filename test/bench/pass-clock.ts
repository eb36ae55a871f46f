import { MODEL_CHANNEL, type ModelEventMessage } from '@assay/evaluation';
import { Client } from 'pg';

/** The offline pass of one dataset, timed by PostgreSQL notifications. */
export interface TimedPass {
  /** Seconds from before the first request until the commit of the scores. */
  readonly seconds: number;
}

/**
 * Times offline passes from outside of the evaluator, by the events that it emits. The first
 * progress event shows how long ago the pass began. The score event is sent by the same commit that
 * records the scores.
 */
export class PassClock {
  private began: number | null = null;
  private passes: TimedPass[] = [];

  private constructor(private readonly client: Client) {}

  static async start(databaseUrl: string): Promise<PassClock> {
    const client = new Client({ connectionString: databaseUrl });
    const clock = new PassClock(client);
    client.on('notification', ({ payload }) => clock.hear(JSON.parse(payload ?? '{}') as ModelEventMessage));
    await client.connect();
    await client.query(`listen ${MODEL_CHANNEL}`);
    return clock;
  }

  /** Returns the passes that ended since the previous call. */
  taken(): readonly TimedPass[] {
    const { passes } = this;
    this.passes = [];
    return passes;
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private hear({ event }: ModelEventMessage): void {
    const now = performance.now();
    if (event.type === 'progress' && event.examplesPerSecond > 0) {
      this.began ??= now - (event.done / event.examplesPerSecond) * 1000;
    }
    if (event.type !== 'score') return;
    if (this.began !== null) this.passes.push({ seconds: (now - this.began) / 1000 });
    this.began = null;
  }
}
