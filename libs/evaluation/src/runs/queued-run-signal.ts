import type { Notifications } from '@assay/persistence/outbox';
import { filter, firstValueFrom, race, Subject, timer } from 'rxjs';
import { RUN_QUEUED_CHANNEL, type RunStage } from './run.js';

/** Announces that a run may be queued at any stage. */
const ANY = '';

/** Tells those who look for runs when one is queued. */
export class QueuedRunSignal {
  /** The stages at which runs were queued. */
  private readonly queued = new Subject<string>();

  async listen(notifications: Notifications): Promise<void> {
    await notifications.subscribe(
      RUN_QUEUED_CHANNEL,
      (stage) => this.queued.next(stage),
      () => this.wake(),
    );
  }

  /** Ends all waits. */
  wake(): void {
    this.queued.next(ANY);
  }

  /**
   * Resolves when a run is queued at the stage, or after some milliseconds: a run may have been put
   * off, and a notification may be lost. Call it before the look for a run, and await it afterwards.
   */
  next(stage: RunStage, milliseconds: number): Promise<unknown> {
    const isOfStage = (queued: string) => queued === stage || queued === ANY;
    return firstValueFrom(race(this.queued.pipe(filter(isOfStage)), timer(milliseconds)));
  }
}
