import type { SaturationView } from '@assay/contracts/annotating';
import { type BoardContent, LeaderboardService } from '@assay/leaderboard/boards';
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
  /** The curves by the content of their board, which the leaderboard service caches. */
  private readonly curves = new WeakMap<BoardContent, Pick<SaturationView, 'overall' | 'datasets'>>();

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
      ...this.curvesOf(content),
    };
  }

  private curvesOf(content: BoardContent): Pick<SaturationView, 'overall' | 'datasets'> {
    const known = this.curves.get(content);
    if (known) return known;
    const curves = {
      overall: overallCurve(content),
      datasets: content.datasets.map((dataset) => ({
        dataset: dataset.name,
        ...(dataset.round !== null && { round: dataset.round }),
        ...datasetCurve(content, dataset),
      })),
    };
    this.curves.set(content, curves);
    return curves;
  }
}
