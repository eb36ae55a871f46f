import { BenchmarkVersionList, HistoryQuery, HistoryView } from '@assay/contracts/datasets';
import { HistoryService } from '@assay/leaderboard/boards';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiQueries, MaybeUser, type Principal } from '../routes.js';
import { answerEncoded } from '../bodies/table-answer.js';

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class HistoryController {
  constructor(
    private readonly tasks: TasksService,
    private readonly histories: HistoryService,
  ) {}

  /** Returns the benchmark versions of a task, with what changed between them. */
  @Get('benchmark-versions')
  @ApiOkResponse({ standardSchema: BenchmarkVersionList })
  async benchmarkVersions(@Param('slug') slug: string): Promise<BenchmarkVersionList> {
    return { items: await this.histories.benchmarkVersions(await this.tasks.get(slug)) };
  }

  /**
   * Returns the score and rank of each model by benchmark version. They are those of the last board
   * of each version, with the weights that the task had then.
   */
  @Get('history')
  @Access({ cost: 'costly' })
  @ApiQueries(HistoryQuery)
  @ApiOkResponse({ standardSchema: HistoryView })
  async history(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: HistoryQuery }) { models }: HistoryQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HistoryView | Buffer | undefined> {
    const task = () => this.tasks.get(slug);
    if (models) return this.histories.history(await task(), principal, models);
    return answerEncoded(request, reply, await this.histories.body(slug, principal, task));
  }
}
