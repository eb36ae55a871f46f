import type { AnnotatorBoard } from '@assay/contracts/people';
import { DomainError, firstPage } from '@assay/kernel';
import { Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ownShare } from '../statistics/collection-figures.js';
import { earnedBadgesOf } from './badges.service.js';
import { collectionOf } from './eligibility.js';
import { type AnnotatorRow, ParticipantRepository } from './participant.repository.js';

const PSEUDONYM_SHOWN = 10;

/** The requested page of the board. */
interface BoardPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Ranks annotators by how well they write examples that models get wrong. */
@Injectable()
export class AnnotatorBoardService {
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
    const found = await new ParticipantRepository(em).annotators(task.id, number, boardMinimum, part);
    const { items: annotators, ...next } = firstPage(found, page, () => String(skipped + page.limit));
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
        vmer: share(row, (examples) => examples),
        errorRateAmongValidated: share(row, (_, validated) => validated),
        yield: row.fooling / row.decided,
      })),
      ...next,
    };
  }
}

/** Under a pseudonym, badges could reveal the person. */
const mayShowBadges = ({ board, showsBadges }: AnnotatorRow): boolean => board === 'name' && showsBadges;

/**
 * Returns the share of fooling examples with its interval.
 * @param of returns the examples of a context that it is a share of
 */
function share({ contexts }: AnnotatorRow, of: (examples: number, validated: number) => number) {
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
