import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endCommands } from '../command.js';
import type { Progress } from './progress.js';

/**
 * Stops the processes that a script started, in reverse order, and removes its temporary folder.
 * Runs once.
 */
export class Cleanup {
  /** Absolute path of the temporary folder. */
  readonly directory: string;
  private readonly progress: Progress;
  private readonly steps: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;

  /** @param prefix prefix of the temporary folder's name */
  constructor(prefix: string, progress: Progress) {
    this.directory = mkdtempSync(join(tmpdir(), prefix));
    this.progress = progress;
  }

  /** True if the script is ending. It must start nothing more. */
  get started(): boolean {
    return this.running !== undefined;
  }

  /** Adds a step. The last step added runs first. */
  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /** Runs all steps, even after a failed one, and reports the failures. Never throws. */
  run(): Promise<void> {
    return (this.running ??= this.runSteps());
  }

  private async runSteps(): Promise<void> {
    endCommands();
    for (const step of this.steps.reverse()) await step().catch(this.report);
    try {
      rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      this.report(error);
    }
  }

  private readonly report = (error: unknown): void => {
    this.progress.say(`Cleanup failed: ${error instanceof Error ? error.message : String(error)}`);
  };
}
