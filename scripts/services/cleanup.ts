import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
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
  private readonly steps = [() => rm(this.directory, { recursive: true, force: true, maxRetries: 5 })];
  private running: Promise<void> | undefined;

  /** @param prefix prefix of the temporary folder's name */
  constructor(
    prefix: string,
    readonly progress: Progress,
  ) {
    this.directory = mkdtempSync(join(tmpdir(), prefix));
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
    for (const step of this.steps.reverse()) {
      await step().catch((error: unknown) => this.progress.say(`Cleanup failed: ${(error as Error).message}`));
    }
  }
}
