import { createHash } from 'node:crypto';
import { Outbox } from '@assay/persistence';
import { BenchmarksService, Task } from '@assay/tasks';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { collectBoard } from './board-content.service.js';
import { BoardRevision } from './board-revision.js';
import { promote } from './promotions.service.js';
import { amrsToKeep } from './weighed-board.js';

@Injectable()
export class LeaderboardPublisher {
  constructor(private readonly benchmarks: BenchmarksService) {}

  /**
   * Publishes the board of a task anew where anything on it has changed, and promotes by the task's policy. One at a time for a
   * task; repeating it changes nothing.
   * @returns the number of the new revision, or null.
   */
  async publish(em: EntityManager, taskId: string): Promise<number | null> {
    return em.fork().transactional(async (tx) => {
      const task = await tx.findOneOrFail(Task, taskId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const benchmark = await this.benchmarks.current(tx, task);
      if (!benchmark) return null;

      let content = await collectBoard(tx, task, benchmark);
      const kept = content.amrs ?? amrsToKeep(content);
      benchmark.amrs = kept;
      content = { ...content, amrs: kept };

      const digest = createHash('sha256')
        .update(JSON.stringify([benchmark.number, content]))
        .digest('hex');
      const latest = await tx.findOne(BoardRevision, { task }, { orderBy: { number: 'desc' } });
      if (latest?.digest === digest) return null;

      const revision = tx.create(BoardRevision, {
        task,
        number: (latest?.number ?? 0) + 1,
        benchmarkVersion: benchmark.number,
        content,
        digest,
        publishedAt: new Date(),
      });
      await promote(tx, task, revision);
      Outbox.add(tx, 'board.published', { taskId, revision: revision.number });
      await tx.flush();
      return revision.number;
    });
  }
}
