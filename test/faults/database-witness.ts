import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MODEL_CHANNEL, type ModelEventMessage } from '../../libs/evaluation/src/model-events.js';
import { Notifications } from '../../libs/persistence/src/outbox/notifications.js';

const CHANNEL = 'faults_witness';

/**
 * Triggers that record, in the database itself, each time an evaluation receives a result (its
 * first one or a replacement), and that notify the witness of every change.
 *
 * Settled costs and rescored results keep the time of the result, so they are not recorded.
 */
const SCHEMA = `
  create table if not exists witnessed_result (evaluation uuid not null, run uuid, at timestamptz not null default clock_timestamp());
  create or replace function witness_result() returns trigger language plpgsql as $$
    begin insert into witnessed_result (evaluation, run) values (new.id, new.run); return new; end $$;
  create or replace trigger witness_result after update on evaluation
    for each row when (new.state = 'scored' and (old.state <> 'scored' or new.finished_at is distinct from old.finished_at)) execute function witness_result();
  create or replace function witness_change() returns trigger language plpgsql as $$
    begin perform pg_notify('${CHANNEL}', tg_table_name); return null; end $$;
  create or replace trigger witness_run after insert or update on run execute function witness_change();
  create or replace trigger witness_evaluation after insert or update on evaluation execute function witness_change();
  create or replace trigger witness_model after insert or update on model execute function witness_change();
  create or replace trigger witness_outbox after insert or update on outbox_event execute function witness_change();
  create or replace trigger witness_revision after insert on board_revision execute function witness_change();`;

/** Observes committed changes in the database. Survives restarts of the database. */
export class DatabaseWitness {
  private readonly waiting = new Set<() => void>();
  /** The number of times that a score event was received, by specification, task and dataset. */
  private readonly toldScores = new Map<string, number>();
  private readonly notifications: Notifications;

  private constructor(private readonly url: string) {
    this.notifications = new Notifications({ url, applicationName: 'faults-witness' });
  }

  static async start(url: string): Promise<DatabaseWitness> {
    const witness = new DatabaseWitness(url);
    await witness.rows(SCHEMA);
    const look = (): void => {
      for (const wake of witness.waiting) wake();
    };
    await witness.notifications.subscribe(CHANNEL, look, look);
    await witness.notifications.subscribe(MODEL_CHANNEL, (message) =>
      witness.hear(JSON.parse(message) as ModelEventMessage),
    );
    return witness;
  }

  /**
   * The scores that were announced more than once. Announcements made while the database was
   * unavailable are missed.
   */
  get repeatedScores(): readonly string[] {
    return [...this.toldScores].flatMap(([score, times]) => (times > 1 ? [`${score} told ${times} times`] : []));
  }

  async rows<T extends object>(query: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      // only a query without parameters may consist of several statements
      const result = await (parameters.length > 0 ? client.query<T>(query, [...parameters]) : client.query<T>(query));
      return result.rows;
    } finally {
      await client.end();
    }
  }

  /**
   * Returns the rows of `query` once they satisfy `holds`. Queries again after every commit.
   * @throws Error with the last rows, after `milliseconds`.
   */
  async when<T extends object>(
    query: string,
    parameters: readonly unknown[],
    holds: (rows: readonly T[]) => boolean,
    milliseconds = 180_000,
  ): Promise<T[]> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const changed = this.change(Math.max(1, deadline - performance.now()));
      const rows = await this.rows<T>(query, parameters);
      if (holds(rows)) return rows;
      if (performance.now() >= deadline) {
        throw new Error(`it did not come within ${milliseconds / 1000} s; the last rows: ${JSON.stringify(rows)}`);
      }
      await changed;
    }
  }

  /**
   * Blocks all writers for these specifications until the returned function is called. Runs that
   * are claimed meanwhile stay under way.
   */
  hold(specifications: readonly string[]): Promise<() => Promise<void>> {
    return this.keep('select id from run_specification where id = any($1) for update', [specifications]);
  }

  /** Blocks all readers of the table until the returned function is called. */
  lock(table: string): Promise<() => Promise<void>> {
    return this.keep(`lock table ${table} in access exclusive mode`, []);
  }

  /**
   * Waits until `count` connections of the processes with that application name wait for a lock.
   */
  async untilWaiting(application: string, count: number): Promise<void> {
    const query = `select pid from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;
    // PostgreSQL sends no notification about lock waits
    while ((await this.rows(query, [application])).length < count) await sleep(50);
  }

  close(): Promise<void> {
    return this.notifications.close();
  }

  private async keep(locking: string, parameters: readonly unknown[]): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    await client.query(locking, [...parameters]);
    return async () => {
      await client.query('commit').catch(() => undefined);
      await client.end();
    };
  }

  private hear({ specification, task, event }: ModelEventMessage): void {
    if (event.type !== 'score') return;
    const examples = [event.dataset, event.perturbation].filter(Boolean).join('~');
    const score = `score of specification ${specification} in task ${task} on ${examples}`;
    this.toldScores.set(score, (this.toldScores.get(score) ?? 0) + 1);
  }

  private change(atMost: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, atMost);
      this.waiting.add(wake);
    });
  }
}
