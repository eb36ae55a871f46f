import { expectRoom, type StorageUse } from '@assay/submissions';

/** What somebody keeps, and what uploads under way take or announce, by what they are for. */
export interface Kept {
  readonly use: StorageUse;
  readonly uploads: ReadonlyMap<string, number>;
}

export interface Announcement {
  /** What a resumable upload is for; of those that are for the same only the largest counts. */
  readonly upload?: string;
  /** Bytes that are here already. */
  readonly from?: number;
  /** Bytes that will be here in the end, where that is said. */
  readonly announced?: number | undefined;
}

/** How often what somebody keeps is read anew before they are told that there is no room: what has just ended may be counted twice. */
const READINGS = 3;

/**
 * Bytes that come to users of this process, whichever way: each has room while it comes, as if it were kept already. What comes to other
 * processes is seen once it lies among the uploads, or is kept.
 */
export class Arrivals {
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly read: (userId: string) => Promise<Kept>) {}

  /** @throws DomainError `storage_quota` where there is no room for what is announced */
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

/** Bytes of one request. */
export class Arrival {
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

  /** So many more have come. @throws DomainError `storage_quota` where there is no room for them */
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
  /** They count until it has been read anew what is kept: they may be part of it, or not. */
  private readonly ended = new Set<Arrival>();
  private kept: Kept | undefined;
  private readings = 0;
  private newest = 0;
  private waiting = 0;

  constructor(private readonly read: () => Promise<Kept>) {}

  get isIdle(): boolean {
    return this.coming.size === 0 && this.waiting === 0;
  }

  async admit(arrival: Arrival): Promise<void> {
    this.waiting++;
    try {
      await this.readAnew();
      await this.readWhileFull(arrival);
      // at once with what follows, as others come as well
      this.check(arrival);
      this.coming.add(arrival);
    } finally {
      this.waiting--;
    }
  }

  end(arrival: Arrival): void {
    if (this.coming.delete(arrival)) this.ended.add(arrival);
  }

  /** That all fits which comes. @throws DomainError `storage_quota` */
  async expectRoom(): Promise<void> {
    await this.readWhileFull();
    this.check();
  }

  private async readWhileFull(more?: Arrival): Promise<void> {
    for (let reading = 1; reading < READINGS && !this.hasRoom(more); reading++) await this.readAnew();
  }

  private check(more?: Arrival): void {
    expectRoom(this.kept!.use, 0, this.arriving(more));
  }

  private hasRoom(more: Arrival | undefined): boolean {
    const { artifacts, datasets, limit } = this.kept!.use;
    return limit === null || artifacts + datasets + this.arriving(more) <= limit;
  }

  private arriving(more: Arrival | undefined): number {
    const uploads = new Map(this.kept!.uploads);
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
    const kept = await this.read();
    // an earlier one may take longer
    if (reading < this.newest) return;
    this.newest = reading;
    this.kept = kept;
    for (const arrival of seen) this.ended.delete(arrival);
  }
}
