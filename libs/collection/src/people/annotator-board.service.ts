import type { AnnotatorBoard } from '@assay/contracts/people';
import { DomainError, firstPage } from '@assay/kernel';
import { Round, type Task } from '@assay/tasks';
import { EntityManager, IsolationLevel } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ownShare } from '../statistics/collection-figures.js';
import { earnedBadgesOf } from './badges.service.js';
import { collectionOf } from './eligibility.js';
import { type AnnotatorRow, type ContextCounts, ParticipantRepository } from './participant.repository.js';

const PSEUDONYM_SHOWN = 10;
const CACHED_ANNOTATORS = 20_000;

/** The requested page of the board. */
interface BoardPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Ranks annotators by how well they write examples that models get wrong. */
@Injectable()
export class AnnotatorBoardService {
  /** By task, round and annotator, with the version of the counters. */
  private readonly contexts = new LRUCache<string, { readonly version: string; readonly counts: ContextCounts }>({
    max: CACHED_ANNOTATORS,
  });

  constructor(private readonly em: EntityManager) {}

  /**
   * Returns annotators by error rate among validated: fooling ÷ validated examples, over the
   * examples written against a model. Lists those who have at least `boardMinimum` validated
   * examples.
   * @param number of a round; null: all rounds of the task
   * @param page its cursor is the number of annotators before the page
   * @throws DomainError `no_board_here` for a task with a content warning; `not_found` if there is
   *   no such round; `unknown_cursor`
   */
  async board(task: Task, number: number | null, asker: string | null, page: BoardPage): Promise<AnnotatorBoard> {
    const { contentWarning, boardMinimum } = collectionOf(task);
    if (contentWarning !== undefined) {
      throw new DomainError(
        'not-found',
        'no_board_here',
        `"${task.slug}" has no board of annotators, because it has a content warning.`,
      );
    }
    const em = this.em.fork();
    if (number !== null && (await em.count(Round, { task: task.id, number })) === 0)
      throw DomainError.notFound('round');
    const skipped = skippedBy(page.cursor);
    const part = { skipped, most: page.limit + 1 };
    const { annotators, next, contexts } = await em.transactional(
      async (tx) => {
        const found = await new ParticipantRepository(tx).annotators(task.id, number, boardMinimum, part);
        const { items, ...rest } = firstPage(found, page, () => String(skipped + page.limit));
        return { annotators: items, next: rest, contexts: await this.contextsOf(tx, task, number, items) };
      },
      // the contexts belong to the counters
      { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
    );
    const badges = await earnedBadgesOf(
      em,
      annotators.filter((row) => row.userId === asker || mayShowBadges(row)).map(({ userId }) => userId),
    );
    return {
      task: task.slug,
      round: number,
      minimum: boardMinimum,
      rows: annotators.map((row) => ({
        rank: row.rank,
        ...nameOf(row),
        isYou: row.userId === asker,
        examples: row.examples,
        decided: row.decided,
        validated: row.validated,
        fooling: row.fooling,
        badges: badges.get(row.userId) ?? [],
        vmer: share(contexts.get(row.userId)!, (examples) => examples),
        errorRateAmongValidated: share(contexts.get(row.userId)!, (_, validated) => validated),
        yield: row.fooling / row.decided,
      })),
      ...next,
    };
  }

  /** Returns the contexts of annotators by user. Those whose counters did not change come from the cache. */
  private async contextsOf(
    em: EntityManager,
    task: Task,
    number: number | null,
    annotators: readonly AnnotatorRow[],
  ): Promise<ReadonlyMap<string, ContextCounts>> {
    const keyOf = (userId: string): string => `${task.id} ${number} ${userId}`;
    const known = new Map<string, ContextCounts>();
    for (const { userId, version } of annotators) {
      const cached = this.contexts.get(keyOf(userId));
      if (cached?.version === version) known.set(userId, cached.counts);
    }
    const missing = annotators.filter(({ userId }) => !known.has(userId));
    if (missing.length === 0) return known;
    const users = missing.map(({ userId }) => userId);
    const read = await new ParticipantRepository(em).contexts(task.id, number, users);
    for (const { userId, version } of missing) {
      const counts = read.get(userId)!;
      this.contexts.set(keyOf(userId), { version, counts });
      known.set(userId, counts);
    }
    return known;
  }
}

/** Under a pseudonym, badges could reveal the person. */
const mayShowBadges = ({ board, showsBadges }: AnnotatorRow): boolean => board === 'name' && showsBadges;

/**
 * Returns the share of fooling examples with its interval.
 * @param of returns the examples of a context that it is a share of
 */
function share(contexts: ContextCounts, of: (examples: number, validated: number) => number) {
  const clusters = contexts.flatMap(([examples, validated, fooling, times]) => {
    const size = of(examples, validated);
    return size === 0 ? [] : [{ examples: size, sum: fooling, times }];
  });
  const { value, low, high } = ownShare(clusters)!;
  return { value, low, high };
}

/** @throws DomainError `unknown_cursor` */
function skippedBy(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
}

function nameOf({ board, displayName, username, pseudonym }: AnnotatorRow): { name: string; username: string | null } {
  if (board === 'name') return { name: displayName ?? username, username };
  return { name: `annotator-${pseudonym.slice(0, PSEUDONYM_SHOWN)}`, username: null };
}
