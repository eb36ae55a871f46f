import type { LeaderboardView, SavedWeighing, SaveFork, SaveSnapshot } from '@assay/contracts/boards';
import { isAdministrator, type Principal, User } from '@assay/identity';
import { AuditLog, type AuditRecord } from '@assay/identity/audit';
import { DomainError, type PartOfList } from '@assay/kernel';
import { isUniqueViolation } from '@assay/persistence/queries';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LeaderboardService } from '../boards/leaderboard.service.js';
import { BoardFork, BoardSnapshot } from './saved-board.js';

/** A snapshot without its board, which may be large. */
export type SnapshotFacts = Pick<
  BoardSnapshot,
  'id' | 'name' | 'owner' | 'description' | 'weighing' | 'revision' | 'createdAt'
>;

/** The maximum number of forks, and of snapshots, of one user in one task. */
const LARGEST_NUMBER = 100;

/** Saves boards under a name: forks follow the data, snapshots are frozen. */
@Injectable()
export class SavedBoardsService {
  constructor(
    private readonly em: EntityManager,
    private readonly leaderboards: LeaderboardService,
  ) {}

  /**
   * Saves a weighing under a name.
   * @throws DomainError `name_taken`, `too_many_saved`, and the errors of a board with such weights
   */
  async fork(principal: Principal, task: Task, { name, description, ...weighing }: SaveFork): Promise<BoardFork> {
    // rejects unusable weights now rather than when the fork is first viewed
    await this.boardOf(task, weighing);
    await this.checkNumber(BoardFork, principal, task);
    const owner = await this.em.findOneOrFail(User, principal.userId);
    const fork = this.em.create(BoardFork, { task, owner, name, description, weighing });
    AuditLog.record(this.em, principal, {
      action: 'fork.made',
      subject: audited('fork', task, fork),
      to: { weighing },
    });
    return this.keep('fork', fork);
  }

  /** Returns at most `most` forks, oldest first, after the one with the ID `after`. */
  async forks(task: Task, { most, after }: PartOfList): Promise<BoardFork[]> {
    const where = { task, ...(after !== null && { id: { $gt: after } }) };
    return this.em.find(BoardFork, where, { populate: ['owner'], orderBy: { id: 'asc' }, limit: most });
  }

  async getFork(task: Task, name: string): Promise<BoardFork> {
    const fork = await this.em.findOne(BoardFork, { task, name }, { populate: ['owner'] });
    if (fork) return fork;
    throw new DomainError('not-found', 'unknown_fork', `"${task.slug}" has no fork "${name.slice(0, 80)}".`);
  }

  async removeFork(principal: Principal, task: Task, name: string): Promise<void> {
    const fork = await this.getFork(task, name);
    if (fork.owner.id !== principal.userId && !isAdministrator(principal)) {
      throw new DomainError('forbidden', 'not_the_owner', 'Only the owner of this fork may remove it.');
    }
    const { weighing } = fork;
    AuditLog.record(this.em, principal, {
      action: 'fork.removed',
      subject: audited('fork', task, fork),
      from: { weighing },
    });
    await this.em.remove(fork).flush();
  }

  /** Returns the current board under the weights of the fork, as `reader` sees it. */
  async forkBoard(fork: BoardFork, reader: Principal | null): Promise<LeaderboardView> {
    return this.leaderboards.board(fork.task, fork.weighing, reader);
  }

  /**
   * Freezes a board permanently under a name, as everybody sees it, also for the owner of the task.
   * @throws DomainError as `fork`, and if the fork or revision does not exist
   */
  async snapshot(principal: Principal, task: Task, request: SaveSnapshot): Promise<BoardSnapshot> {
    const { name, description, fork, asOf, ...given } = request;
    const weighing = fork === undefined ? given : (await this.getFork(task, fork)).weighing;
    const board = await this.boardOf(task, weighing, asOf);
    await this.checkNumber(BoardSnapshot, principal, task);
    const owner = await this.em.findOneOrFail(User, principal.userId);
    const { revision } = board;
    const frozen = { task, owner, name, description, weighing, revision, board: JSON.stringify(board) };
    const kept = this.em.create(BoardSnapshot, frozen);
    const subject = audited('snapshot', task, kept);
    AuditLog.record(this.em, principal, { action: 'snapshot.made', subject, to: { weighing, revision } });
    return this.keep('snapshot', kept);
  }

  /** Returns at most `most` snapshots, oldest first, after the one with the ID `after`. */
  async snapshots(task: Task, { most, after }: PartOfList): Promise<readonly SnapshotFacts[]> {
    const where = { task, ...(after !== null && { id: { $gt: after } }) };
    return this.em.find(BoardSnapshot, where, {
      populate: ['owner'],
      exclude: ['board'],
      orderBy: { id: 'asc' },
      limit: most,
    });
  }

  async getSnapshot(task: Task, name: string): Promise<BoardSnapshot> {
    const snapshot = await this.em.findOne(BoardSnapshot, { task, name }, { populate: ['owner'] });
    if (snapshot) return snapshot;
    throw new DomainError('not-found', 'unknown_snapshot', `"${task.slug}" has no snapshot "${name.slice(0, 80)}".`);
  }

  private boardOf(task: Task, weighing: SavedWeighing, asOf?: string): Promise<LeaderboardView> {
    return this.leaderboards.board(task, { ...weighing, ...(asOf !== undefined && { asOf }) });
  }

  private async keep<T extends BoardFork | BoardSnapshot>(what: string, saved: T): Promise<T> {
    try {
      await this.em.flush();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('conflict', 'name_taken', `This task already has a ${what} "${saved.name}".`);
    }
    return saved;
  }

  private async checkNumber(
    kind: typeof BoardFork | typeof BoardSnapshot,
    { userId }: Principal,
    task: Task,
  ): Promise<void> {
    const present = await this.em.count(kind as typeof BoardFork, { task, owner: userId });
    if (present < LARGEST_NUMBER) return;
    const what = kind === BoardFork ? 'forks' : 'snapshots';
    const message = `You have ${present} ${what} in "${task.slug}", the limit for one user. Delete one of them first.`;
    throw new DomainError('conflict', 'too_many_saved', message);
  }
}

const audited = (
  kind: 'fork' | 'snapshot',
  task: Task,
  { id, name }: BoardFork | BoardSnapshot,
): AuditRecord['subject'] => ({ kind, id, name: `${task.slug}/${name}` });
