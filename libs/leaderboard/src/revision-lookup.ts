import { DomainError } from '@assay/kernel';
import type { Notifications } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { BOARD_CHANNEL } from './board-revision.js';

/** ISO 8601; a time without a zone is in UTC, a day is its beginning. */
const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })])
  .transform(
    (text) => new Date(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(text.slice(10)) || text.length === 10 ? text : `${text}Z`),
  );

/**
 * Milliseconds for which the newest revision of a task is not looked for again: where publications ring, and where they do not, which is far
 * shorter than one takes. A ring may be lost with its connection.
 */
const FRESH = { rung: 100, alone: 5 } as const;
/** Tasks whose newest revision is remembered. */
const REMEMBERED = 1000;

interface Newest {
  readonly at: number;
  readonly id: Promise<string | null>;
}

/** Which revision of a task's board a request is about, by id. Many requests at once look it up once. */
export class RevisionLookup {
  private readonly newest = new Map<string, Newest>();
  private listening: Promise<unknown> | null = null;

  constructor(
    private readonly em: EntityManager,
    private readonly notifications?: Pick<Notifications, 'subscribe'>,
  ) {}

  /** The newest revision of the task; null where it has none, or is none. */
  latest(slug: string): Promise<string | null> {
    const now = performance.now();
    const known = this.newest.get(slug);
    if (known && now - known.at < (this.notifications ? FRESH.rung : FRESH.alone)) return known.id;

    const id = this.listen().then(() => this.find(slug, '', []));
    if (this.newest.size >= REMEMBERED) this.newest.clear();
    this.newest.set(slug, { at: now, id });
    // who waits hears of the error; the next asks anew
    id.catch(() => this.newest.get(slug)?.id === id && this.newest.delete(slug));
    return id;
  }

  /**
   * `v3`: the last revision of benchmark version 3; `r17`: revision 17; a time: the revision that stood then.
   * @throws DomainError `invalid_as_of`, `no_such_revision`, `before_first_revision`, `no_board_yet`, `not_found`
   */
  async asOf(slug: string, asOf: string): Promise<string> {
    const moment = momentOf(asOf);
    const id = await this.find(slug, moment.where, [moment.value]);
    if (id !== null) return id;

    const first = await this.first(slug);
    if (first === null) throw await this.nothing(slug);
    if (moment.value instanceof Date && moment.value < first) {
      const message = `"${slug}" had no board on ${asOf}: its first revision was published on ${first.toISOString()}.`;
      throw new DomainError('not-found', 'before_first_revision', message);
    }
    throw new DomainError('not-found', 'no_such_revision', `"${slug}" has no board as of "${asOf}".`);
  }

  /** Why there is no board: no such task, or nothing was published. */
  async nothing(slug: string): Promise<DomainError> {
    const tasks = await this.em.fork().execute<unknown[]>('select 1 from task where slug = ?', [slug]);
    if (tasks.length === 0) return DomainError.notFound('task');
    return new DomainError('not-found', 'no_board_yet', `"${slug}" has no board yet: nothing was scored.`);
  }

  /** Whoever reads before it listens would miss what is published in between. */
  private listen(): Promise<unknown> {
    return (this.listening ??= Promise.resolve(
      this.notifications?.subscribe(
        BOARD_CHANNEL,
        (slug) => this.newest.delete(slug),
        () => this.newest.clear(),
      ),
    ));
  }

  private async find(slug: string, where: string, values: readonly unknown[]): Promise<string | null> {
    const rows = await this.em
      .fork()
      .execute<{ id: string }[]>(
        `select r.id from board_revision r join task t on t.id = r.task_id where t.slug = ? ${where} order by r.number desc limit 1`,
        [slug, ...values],
      );
    return rows[0]?.id ?? null;
  }

  private async first(slug: string): Promise<Date | null> {
    const rows = await this.em
      .fork()
      .execute<{ at: Date | string }[]>(
        'select r.published_at as at from board_revision r join task t on t.id = r.task_id where t.slug = ? order by r.number limit 1',
        [slug],
      );
    return rows[0] ? new Date(rows[0].at) : null;
  }
}

function momentOf(asOf: string): { readonly where: string; readonly value: number | Date } {
  const [, kind, number] = /^([vr])(\d{1,9})$/.exec(asOf) ?? [];
  if (kind === 'v') return { where: 'and r.benchmark_version = ?', value: Number(number) };
  if (kind === 'r') return { where: 'and r.number = ?', value: Number(number) };
  const time = Moment.safeParse(asOf);
  if (time.success) return { where: 'and r.published_at <= ?', value: time.data };
  throw new DomainError(
    'invalid',
    'invalid_as_of',
    `"${asOf}" is not a benchmark version (v3), a revision (r17) or a time.`,
  );
}
