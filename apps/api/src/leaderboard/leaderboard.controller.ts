import { LeaderboardQuery, LeaderboardView, LoopView, tableFormatQuery } from '@assay/contracts';
import { boardTable, LeaderboardService, PromotionsService } from '@assay/leaderboard';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiQueries } from '../api-queries.js';
import { answerBytes, answerTable, formatOf } from '../table-answer.js';
import { isPlainlyJson } from './kept-answers.js';

const BoardQuery = LeaderboardQuery.extend(tableFormatQuery);
type BoardQuery = z.infer<typeof BoardQuery>;

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class LeaderboardController {
  constructor(
    private readonly tasks: TasksService,
    private readonly leaderboards: LeaderboardService,
    private readonly promotions: PromotionsService,
  ) {}

  /**
   * The board by the task's weights, or by those of the request, which replace the task's for what they name. As JSON, or as a table in CSV or
   * LaTeX.
   */
  @Get('leaderboard')
  @ApiQueries(BoardQuery)
  @ApiOkResponse({ standardSchema: LeaderboardView })
  @ApiProduces('application/json', 'text/csv', 'application/x-latex')
  async leaderboard(
    @Param('slug') slug: string,
    @Query({ schema: BoardQuery }) { format, ...query }: BoardQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | undefined> {
    const task = { slug };
    if (formatOf(request, format) === 'json') {
      const body = await this.leaderboards.body(task, query);
      if (isPlainlyJson(request)) this.leaderboards.remember(request.url, task, query);
      return answerBytes(request, reply, body);
    }
    const view = await this.leaderboards.board(task, query);
    const name = `${slug}-r${view.revision}`;
    return answerTable(request, reply, { view, tableOf: boardTable, name, format });
  }

  /** The models that collection is against, and on which evidence each was put there. */
  @Get('loop')
  @ApiOkResponse({ standardSchema: LoopView })
  async loop(@Param('slug') slug: string): Promise<LoopView> {
    return this.promotions.loop(await this.tasks.get(slug));
  }
}
