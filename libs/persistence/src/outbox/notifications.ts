import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';

export interface NotificationsSettings {
  readonly url: string;
  /** The name of the connection in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Receives the error when the connection is lost; it reconnects by itself. */
  readonly onError?: (error: unknown) => void;
}

type Listener = (payload: string) => void;

interface Subscription {
  readonly listener: Listener;
  readonly missed: (() => void) | undefined;
}

/** PostgreSQL refuses a payload of 8000 bytes or more. */
const LARGEST_PAYLOAD = 7999;
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5000;
const CONNECT_TIMEOUT = 10_000;

/**
 * Sends `payload` to `channel` when the transaction of `em` commits, or immediately outside a
 * transaction.
 * @throws RangeError if `payload` has 8000 bytes or more
 */
export async function notifyChannel(em: EntityManager, channel: string, payload: string): Promise<void> {
  const bytes = Buffer.byteLength(payload);
  if (bytes > LARGEST_PAYLOAD)
    throw new RangeError(`the notification has ${bytes} bytes; the limit is ${LARGEST_PAYLOAD}`);
  await em.execute('select pg_notify(?, ?)', [channel, payload]);
}

/**
 * LISTEN over a dedicated connection, which is opened at the first subscription and
 * reopened when it is lost. Notifications sent while it is lost are not delivered later: `missed`
 * of every subscription is called after each reconnection.
 */
export class Notifications {
  private readonly subscriptions = new Map<string, Set<Subscription>>();
  private client: pg.Client | null = null;
  private connecting: Promise<void> | null = null;
  private retry: NodeJS.Timeout | null = null;
  private wait = FIRST_WAIT;
  private lost = false;
  private closed = false;

  constructor(private readonly settings: NotificationsSettings) {}

  /**
   * Calls `listener` with every payload that is sent to `channel` from now on. Does not throw while
   * the database is unreachable.
   * @param missed called when payloads may have been lost: after a reconnection
   * @returns a function that ends the subscription
   */
  async subscribe(channel: string, listener: Listener, missed?: () => void): Promise<() => Promise<void>> {
    const subscription = { listener, missed };
    const others = this.subscriptions.get(channel) ?? new Set();
    this.subscriptions.set(channel, others.add(subscription));
    if (this.client && others.size === 1) await this.command(`listen ${pg.escapeIdentifier(channel)}`);
    await this.connect();

    return async () => {
      others.delete(subscription);
      if (others.size > 0 || this.subscriptions.get(channel) !== others) return;
      this.subscriptions.delete(channel);
      await this.command(`unlisten ${pg.escapeIdentifier(channel)}`);
    };
  }

  /** Closes the connection and ends all subscriptions. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.retry) clearTimeout(this.retry);
    this.subscriptions.clear();
    await this.connecting;
    const client = this.client;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private connect(): Promise<void> {
    if (this.client || this.closed || this.retry) return Promise.resolve();
    this.connecting ??= this.open().finally(() => (this.connecting = null));
    return this.connecting;
  }

  private async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.settings.url,
      application_name: this.settings.applicationName ?? 'assay-listener',
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const onLoss = (error: Error) => this.onLoss(client, error);
    client.on('error', onLoss);
    client.on('end', () => onLoss(new Error('the connection of the listener ended')));
    client.on('notification', ({ channel, payload }) => this.deliver(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.subscriptions.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      client.removeAllListeners('end');
      void client.end().catch(() => undefined);
      this.settings.onError?.(error);
      this.reconnectLater();
      return;
    }
    this.client = client;
    this.wait = FIRST_WAIT;
    if (this.lost) this.tellOfGap();
    this.lost = false;
  }

  private deliver(channel: string, payload: string): void {
    for (const { listener } of this.subscriptions.get(channel) ?? []) listener(payload);
  }

  private tellOfGap(): void {
    for (const subscriptions of this.subscriptions.values()) for (const { missed } of subscriptions) missed?.();
  }

  private onLoss(client: pg.Client, error: unknown): void {
    if (this.client !== client || this.closed) return;
    this.client = null;
    void client.end().catch(() => undefined);
    this.settings.onError?.(error);
    this.reconnectLater();
  }

  private reconnectLater(): void {
    if (this.closed || this.retry) return;
    this.lost = true;
    this.retry = setTimeout(() => {
      this.retry = null;
      void this.connect();
    }, this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  /**
   * Runs a command on the connection if there is one; a new connection listens to all channels
   * anyway.
   */
  private async command(sql: string): Promise<void> {
    await this.client?.query(sql).catch((error: unknown) => this.settings.onError?.(error));
  }
}
