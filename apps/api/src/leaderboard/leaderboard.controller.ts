import { createHash } from 'node:crypto';
import { LeaderboardQuery, LeaderboardView, LoopView } from '@assay/contracts';
import { LeaderboardService, PromotionsService } from '@assay/leaderboard';
import { TasksService } from '@assay/tasks';
import { Controller, Get, HttpStatus, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiQueries } from '../api-queries.js';

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class LeaderboardController {
  constructor(
    private readonly tasks: TasksService,
    private readonly leaderboards: LeaderboardService,
    private readonly promotions: PromotionsService,
  ) {}

  /** The board by the task's weights, or by those of the request, which replace the task's for what they name. */
  @Get('leaderboard')
  @ApiQueries(LeaderboardQuery)
  @ApiOkResponse({ standardSchema: LeaderboardView })
  async leaderboard(
    @Param('slug') slug: string,
    @Query({ schema: LeaderboardQuery }) query: LeaderboardQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const view = await this.leaderboards.board(await this.tasks.get(slug), query);
    const body = JSON.stringify(view);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    void reply
      .header('etag', etag)
      .header('cache-control', 'no-cache')
      .header('content-type', 'application/json; charset=utf-8');
    if (!names(request.headers['if-none-match'], etag)) return body;
    void reply.status(HttpStatus.NOT_MODIFIED);
    return undefined;
  }

  /** The models that collection is against, and on which evidence each was put there. */
  @Get('loop')
  @ApiOkResponse({ standardSchema: LoopView })
  async loop(@Param('slug') slug: string): Promise<LoopView> {
    return this.promotions.loop(await this.tasks.get(slug));
  }
}

/** Whether an If-None-Match (RFC 9110, 13.1.2) names `etag`. */
const names = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
