import { filter, firstValueFrom, race, Subject, timer } from 'rxjs';
import type { Notifications } from './notifications.js';

/** Tells those who look for rows when the channel says that there may be one. */
export class ChannelSignal {
  /** Null: the payload is unknown. */
  private readonly payloads = new Subject<string | null>();

  constructor(private readonly channel: string) {}

  async listen(notifications: Pick<Notifications, 'subscribe'>): Promise<void> {
    await notifications.subscribe(
      this.channel,
      (payload) => this.payloads.next(payload),
      () => this.wake(),
    );
  }

  /** Ends all waits. */
  wake(): void {
    this.payloads.next(null);
  }

  /**
   * Resolves at the next notification, or after some milliseconds, because a notification may be
   * lost. Call it before the look for a row, and await it afterwards.
   * @param wanted the payload to wait for; default: any
   */
  next(milliseconds: number, wanted?: string): Promise<unknown> {
    const isMeant = (payload: string | null) => wanted === undefined || payload === null || payload === wanted;
    return firstValueFrom(race(this.payloads.pipe(filter(isMeant)), timer(milliseconds)));
  }
}
