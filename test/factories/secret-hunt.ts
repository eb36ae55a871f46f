import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { ServiceWorld } from './worlds/service-world.js';

/** Milliseconds between two scans of the running processes. */
const LOOK = 50;

/**
 * Collects the places where secrets must never appear: rows of jobs as they are written, events,
 * logs, and process arguments. Arguments are sampled every 50 ms from begin to end. A process that
 * lives for less may be missed, so finding none is no proof that there was none.
 */
export class SecretHunt {
  private readonly commandLines = new Set<string>();
  /** The commands that Redis received, if the queue is there. */
  private asked = '';
  private monitor: Redis | undefined;
  private readonly timer = setInterval(() => this.look(), LOOK).unref();

  /**
   * Starts the collection. Records every row written to the queue, because a finished job is
   * removed. The tables of the queue must exist.
   * @param redis The URL of the queue's Redis, if the queue is not in the database.
   */
  static async begin(world: ServiceWorld, redis?: string): Promise<SecretHunt> {
    await world.rows('create table public.seen_in_queue (content text)');
    await world.rows(`
      create function public.see_queue() returns trigger language plpgsql as
      $$ begin insert into public.seen_in_queue values (to_jsonb(new)::text); return new; end $$`);
    const tables = await world.rows<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
        where table_schema = 'bullmq' and table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      await world.rows(
        `create trigger seen before insert or update on ${name} for each row execute function public.see_queue()`,
      );
    }
    const hunt = new SecretHunt(world);
    if (redis !== undefined) await hunt.listen(redis);
    return hunt;
  }

  private constructor(private readonly world: ServiceWorld) {}

  end(): void {
    clearInterval(this.timer);
    this.monitor?.disconnect();
  }

  private async listen(redis: string): Promise<void> {
    this.monitor = await new Redis(redis, { maxRetriesPerRequest: 1 }).monitor();
    this.monitor.on('monitor', (_time: string, words: readonly string[]) => (this.asked += `${words.join(' ')}\n`));
  }

  /** Records the arguments of all running processes. */
  private look(): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        this.commandLines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        // the process has just ended
      }
    }
  }

  /** Returns everything that was collected, by place. */
  async everything(): Promise<Readonly<Record<string, string>>> {
    const column = async (sql: string) =>
      (await this.world.rows<{ content: string }>(sql)).map(({ content }) => content).join('\n');
    this.look();
    return {
      'the log of the API': readFileSync(join(this.world.home, 'api.log'), 'utf8'),
      'the log of the worker': readFileSync(join(this.world.home, 'worker.log'), 'utf8'),
      'the log of the evaluator': readFileSync(join(this.world.home, 'evaluator.log'), 'utf8'),
      jobs: this.monitor ? this.asked : await column('select content from public.seen_in_queue'),
      events: await column('select to_jsonb(outbox_event)::text as content from outbox_event'),
      'command lines': [...this.commandLines].join('\n'),
    };
  }
}
