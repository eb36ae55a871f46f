import type { SaturationView } from '@assay/contracts/annotating';
import { LeaderboardService } from '@assay/leaderboard/boards';
import { datasetCurve, overallCurve } from '@assay/leaderboard/summaries';
import type { Principal } from '@assay/identity';
import type { Task } from '@assay/tasks';
import { Injectable } from '@nestjs/common';

/**
 * Computes how closely models approached human performance over time, as in figure 1 of the
 * Dynabench paper.
 */
@Injectable()
export class SaturationService {
  constructor(private readonly leaderboards: LeaderboardService) {}

  /**
   * Uses the figures of the newest board for all models, whatever was known when they were
   * submitted. Scores are those that `reader` may see.
   * @throws DomainError `no_board_yet`
   */
  async saturation(task: Task, reader: Principal | null): Promise<SaturationView> {
    const { number, content } = await this.leaderboards.revision(task, undefined, reader);
    return {
      task: task.slug,
      performance: content.performance,
      revision: number,
      overall: overallCurve(content),
      datasets: content.datasets.map((dataset) => ({
        dataset: dataset.name,
        ...(dataset.round !== null && { round: dataset.round }),
        ...datasetCurve(content, dataset),
      })),
    };
  }
}
