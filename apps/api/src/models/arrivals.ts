import { expectRoom, type StorageUse } from '@assay/submissions/artifacts';

/**
 * The storage that a user occupies, and the bytes that the user's uploads in progress occupy or
 * announce, by model ID.
 */
export interface StorageState {
  readonly use: StorageUse;
  readonly uploads: ReadonlyMap<string, number>;
}

export interface Announcement {
  /** The target of a resumable upload. Of the uploads for one target, only the largest counts. */
  readonly upload?: string;
  /** The bytes that have already arrived. */
  readonly from?: number;
  /** The bytes that will have arrived in the end, if the client announces them. */
  readonly announced?: number | undefined;
}

/**
 * The maximum number of reads of a user's storage before an upload is rejected for lack of room.
 * The storage is read again because an upload that has just ended may be counted twice.
 */
const READINGS = 3;

/**
 * Reserves room for bytes that are arriving in this process, by any route: they count as if they
 * were stored. Bytes that arrive in other processes count once they are among the uploads or
 * stored.
 */
export class Arrivals {
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly read: (userId: string) => Promise<StorageState>) {}

  /**
   * Starts an arrival.
   * @throws DomainError `storage_quota` if there is no room for what is announced
   */
  async open(userId: string, announcement: Announcement = {}): Promise<Arrival> {
    const account = this.accounts.get(userId) ?? new Account(() => this.read(userId));
    this.accounts.set(userId, account);
    const arrival = new Arrival(account, announcement, () => {
      if (account.isIdle) this.accounts.delete(userId);
    });
    await account.admit(arrival).catch((error: unknown) => {
      arrival.end();
      throw error;
    });
    return arrival;
  }
}

/** The bytes of one request. */
class Arrival {
  readonly upload: string | undefined;
  private readonly announced: number;
  private arrived: number;

  constructor(
    private readonly account: Account,
    { upload, from = 0, announced = 0 }: Announcement,
    private readonly onEnd: () => void,
  ) {
    this.upload = upload;
    this.arrived = from;
    this.announced = announced;
  }

  get bytes(): number {
    return Math.max(this.announced, this.arrived);
  }

  /**
   * Adds bytes that have arrived.
   * @throws DomainError `storage_quota` if there is no room for them
   */
  async add(count: number): Promise<void> {
    const before = this.bytes;
    this.arrived += count;
    if (this.bytes > before) await this.account.expectRoom();
  }

  end(): void {
    this.account.end(this);
    this.onEnd();
  }
}

class Account {
  private readonly coming = new Set<Arrival>();
  /**
   * The arrivals that have ended. They count until the storage is read again, because it may or may
   * not include them yet.
   */
  private readonly ended = new Set<Arrival>();
  private stored: StorageState | undefined;
  private readings = 0;
  private newest = 0;
  private waiting = 0;

  constructor(private readonly read: () => Promise<StorageState>) {}

  get isIdle(): boolean {
    return this.coming.size === 0 && this.waiting === 0;
  }

  async admit(arrival: Arrival): Promise<void> {
    this.waiting++;
    try {
      await this.readAnew();
      await this.readWhileFull(arrival);
      // synchronous with the next statement, because other arrivals are admitted concurrently
      this.check(arrival);
      this.coming.add(arrival);
    } finally {
      this.waiting--;
    }
  }

  end(arrival: Arrival): void {
    if (this.coming.delete(arrival)) this.ended.add(arrival);
  }

  /**
   * Requires room for everything that is arriving.
   * @throws DomainError `storage_quota`
   */
  async expectRoom(): Promise<void> {
    await this.readWhileFull();
    this.check();
  }

  private async readWhileFull(more?: Arrival): Promise<void> {
    for (let reading = 1; reading < READINGS && !this.hasRoom(more); reading++) await this.readAnew();
  }

  private check(more?: Arrival): void {
    expectRoom(this.stored!.use, 0, this.arriving(more));
  }

  private hasRoom(more: Arrival | undefined): boolean {
    const { artifacts, datasets, limit } = this.stored!.use;
    return limit === null || artifacts + datasets + this.arriving(more) <= limit;
  }

  private arriving(more: Arrival | undefined): number {
    const uploads = new Map(this.stored!.uploads);
    let bytes = 0;
    for (const arrival of [...this.coming, ...this.ended, ...(more ? [more] : [])]) {
      if (arrival.upload === undefined) bytes += arrival.bytes;
      else uploads.set(arrival.upload, Math.max(uploads.get(arrival.upload) ?? 0, arrival.bytes));
    }
    return [...uploads.values()].reduce((sum, upload) => sum + upload, bytes);
  }

  private async readAnew(): Promise<void> {
    const reading = ++this.readings;
    const seen = [...this.ended];
    const stored = await this.read();
    // a newer read may have finished first
    if (reading < this.newest) return;
    this.newest = reading;
    this.stored = stored;
    for (const arrival of seen) this.ended.delete(arrival);
  }
}
