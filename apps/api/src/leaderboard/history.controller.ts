import { BenchmarkVersionList, HistoryQuery, HistoryView } from '@assay/contracts';
import { HistoryService } from '@assay/leaderboard';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiQueries } from '../api-queries.js';

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class HistoryController {
  constructor(
    private readonly tasks: TasksService,
    private readonly histories: HistoryService,
  ) {}

  /** What the boards of the task stand on, and stood on, with what changed between. */
  @Get('benchmark-versions')
  @ApiOkResponse({ standardSchema: BenchmarkVersionList })
  async benchmarkVersions(@Param('slug') slug: string): Promise<BenchmarkVersionList> {
    return { items: await this.histories.benchmarkVersions(await this.tasks.get(slug)) };
  }

  /** Score and rank of each model by benchmark version: on the last board of each, with the weights that the task had then. */
  @Get('history')
  @ApiQueries(HistoryQuery)
  @ApiOkResponse({ standardSchema: HistoryView })
  async history(
    @Param('slug') slug: string,
    @Query({ schema: HistoryQuery }) query: HistoryQuery,
  ): Promise<HistoryView> {
    return this.histories.history(await this.tasks.get(slug), query.models);
  }
}
