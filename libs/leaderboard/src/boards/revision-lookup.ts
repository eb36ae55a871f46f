import { DomainError } from '@assay/kernel';
import type { Notifications } from '@assay/persistence/outbox';
import { TaskRepository } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { BOARD_CHANNEL } from './board-revision.js';
import { BoardRevisionRepository, type RevisionSelection } from './board-revision.repository.js';

/** ISO 8601. A time without a zone is in UTC; a date stands for its beginning. */
const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })])
  .transform(
    (text) => new Date(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(text.slice(10)) || text.length === 10 ? text : `${text}Z`),
  );

/**
 * Milliseconds for which the newest revision of a task is cached: with notifications of
 * publications (`notified`), and without (`alone`), which is far shorter than a publication takes.
 * Notifications may be lost with their connection, so they do not replace the time limit.
 */
const FRESH = { notified: 100, alone: 5 } as const;
/** The number of tasks whose newest revision is cached. */
const REMEMBERED = 1000;

interface Newest {
  readonly at: number;
  readonly id: Promise<string | null>;
}

/** Finds the ID of the revision that a request is about. Concurrent requests share one lookup. */
export class RevisionLookup {
  private readonly newest = new Map<string, Newest>();
  private listening: Promise<unknown> | null = null;

  constructor(
    private readonly em: EntityManager,
    private readonly notifications?: Pick<Notifications, 'subscribe'>,
  ) {}

  /**
   * Returns the ID of the newest revision of the task; null if the task has none or does not exist.
   */
  latest(slug: string): Promise<string | null> {
    const now = performance.now();
    const known = this.newest.get(slug);
    if (known && now - known.at < (this.notifications ? FRESH.notified : FRESH.alone)) return known.id;

    const id = this.listen().then(() => this.revisions().newest(slug));
    if (this.newest.size >= REMEMBERED) this.newest.clear();
    this.newest.set(slug, { at: now, id });
    // those who wait receive the error; the next request tries again
    id.catch(() => this.newest.get(slug)?.id === id && this.newest.delete(slug));
    return id;
  }

  /**
   * Returns the ID of a revision. `v3` is the last revision of benchmark version 3, `r17` is
   * revision 17, and a time selects the revision that was the newest then.
   * @throws DomainError `invalid_as_of`, `no_such_revision`, `before_first_revision`,
   * `no_board_yet`, `not_found`
   */
  async asOf(slug: string, asOf: string): Promise<string> {
    const selection = selectionOf(asOf);
    const id = await this.revisions().newest(slug, selection);
    if (id !== null) return id;

    const first = await this.revisions().firstPublishedAt(slug);
    if (first === null) throw await this.nothing(slug);
    if (selection.value instanceof Date && selection.value < first) {
      const message = `"${slug}" had no board on ${asOf}. Its first revision was published on ${first.toISOString()}.`;
      throw new DomainError('not-found', 'before_first_revision', message);
    }
    throw new DomainError('not-found', 'no_such_revision', `"${slug}" has no board as of "${asOf}".`);
  }

  /**
   * Returns the error for a missing board: the task does not exist, or nothing was published yet.
   */
  async nothing(slug: string): Promise<DomainError> {
    if (!(await new TaskRepository(this.em.fork()).hasSlug(slug))) return DomainError.notFound('task');
    return new DomainError('not-found', 'no_board_yet', `"${slug}" has no board yet. No model has been scored.`);
  }

  /**
   * Subscribes to publications before the first lookup, which would otherwise miss those in
   * between.
   */
  private listen(): Promise<unknown> {
    return (this.listening ??= Promise.resolve(
      this.notifications?.subscribe(
        BOARD_CHANNEL,
        (slug) => this.newest.delete(slug),
        () => this.newest.clear(),
      ),
    ));
  }

  private revisions(): BoardRevisionRepository {
    return new BoardRevisionRepository(this.em.fork());
  }
}

function selectionOf(asOf: string): RevisionSelection {
  const [, kind, number] = /^([vr])(\d{1,9})$/.exec(asOf) ?? [];
  if (kind === 'v') return { by: 'benchmarkVersion', value: Number(number) };
  if (kind === 'r') return { by: 'number', value: Number(number) };
  const time = Moment.safeParse(asOf);
  if (time.success) return { by: 'publishedAt', value: time.data };
  throw new DomainError(
    'invalid',
    'invalid_as_of',
    `"${asOf}" is not a benchmark version (v3), a revision (r17) or a time.`,
  );
}
