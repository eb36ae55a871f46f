import { setTimeout as sleep } from 'node:timers/promises';
import { SupervisedProcess } from './supervised-process.js';

/** Seconds before each restart of a process that keeps ending. */
const PAUSES = [1, 2, 4, 8, 16, 30] as const;
/**
 * Milliseconds after which a running process counts as stable, and the pauses start from the first
 * again.
 */
const STEADY = 60_000;

/** A process that is restarted when it ends by itself, from the call of `keep` on. */
export class RestartingProcess {
  private readonly stopping = new AbortController();
  private watch: Promise<void> | undefined;

  /** @param clear cleans up after a process that ended, before the next one is started */
  constructor(
    private current: SupervisedProcess,
    private readonly say: (text: string) => void,
    private readonly clear = (): Promise<void> => Promise.resolve(),
  ) {}

  keep(): void {
    this.watch ??= this.watchOver();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.current.stop();
    await this.watch;
  }

  private async watchOver(): Promise<void> {
    const { signal } = this.stopping;
    for (let ends = 0; !signal.aborted; ends += 1) {
      const started = Date.now();
      const how = await this.current.ended;
      if (signal.aborted) return;

      if (Date.now() - started > STEADY) ends = 0;
      const pause = PAUSES[ends] ?? 30;
      const { name, log } = this.current.plan;
      this.say(`${name} ${how} (its log: ${log}). It starts again in ${pause} s.`);
      await sleep(pause * 1000, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;

      await this.clear().catch((error: unknown) => this.say((error as Error).message));
      if (!signal.aborted) this.current = new SupervisedProcess(this.current.plan);
    }
  }
}
