import type { LeaderboardQuery, LeaderboardView } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BoardRevision } from './board-revision.js';
import { leaderboardPage, leaderboardView } from './leaderboard-view.js';
import { OFFICIAL, weigh } from './weighed-board.js';

/** ISO 8601; a time without a zone is in UTC, a day is its beginning. */
const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })])
  .transform(
    (text) => new Date(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(text.slice(10)) || text.length === 10 ? text : `${text}Z`),
  );

@Injectable()
export class LeaderboardService {
  constructor(private readonly em: EntityManager) {}

  /** The board of a task, now or as it was. */
  async board(task: Task, query: LeaderboardQuery): Promise<LeaderboardView> {
    return leaderboardPage(leaderboardView(await this.revision(task, query.asOf), query), query);
  }

  /** `v3`: the last revision of benchmark version 3; `r17`: revision 17; a time: the revision that stood then. */
  async revision(task: Task, asOf?: string): Promise<BoardRevision> {
    const revision = await this.em.findOne(
      BoardRevision,
      { task, ...this.moment(asOf) },
      { orderBy: { number: 'desc' } },
    );
    if (revision) return revision;
    throw asOf === undefined
      ? new DomainError('not-found', 'no_board_yet', `"${task.slug}" has no board yet: nothing was scored.`)
      : new DomainError('not-found', 'no_such_revision', `"${task.slug}" has no board as of "${asOf}".`);
  }

  /** Whether a model of the task stands on its board now. */
  async hasRankedModels(task: Task): Promise<boolean> {
    const revision = await this.em.findOne(BoardRevision, { task }, { orderBy: { number: 'desc' } });
    return revision !== null && weigh(revision.content, OFFICIAL).ranking.order.length > 0;
  }

  private moment(asOf: string | undefined): object {
    if (asOf === undefined) return {};
    const numbered = /^([vr])(\d{1,9})$/.exec(asOf);
    if (numbered)
      return numbered[1] === 'v' ? { benchmarkVersion: Number(numbered[2]) } : { number: Number(numbered[2]) };
    const time = Moment.safeParse(asOf);
    if (time.success) return { publishedAt: { $lte: time.data } };
    throw new DomainError(
      'invalid',
      'invalid_as_of',
      `"${asOf}" is no benchmark version (v3), revision (r17) or time.`,
    );
  }
}
