import {
  LeaderboardQuery,
  LeaderboardView,
  LoopPolicy,
  LoopPreview,
  LoopView,
  MatrixQuery,
  tableFormatQuery,
} from '@assay/contracts';
import { PlacementDirectory } from '@assay/collection';
import { boardTable, LeaderboardService, MATRIX_MEDIA_TYPE, PromotionsService } from '@assay/leaderboard';
import type { Principal } from '@assay/identity';
import { definitionWith, TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiQueries } from '../api-queries.js';
import { CurrentUser } from '../auth/principal.guard.js';
import { answerTable, answerTagged, encodingOf, formatOf } from '../table-answer.js';
import { answerBoard, isPlainlyJson } from './kept-answers.js';

const BoardQuery = LeaderboardQuery.extend(tableFormatQuery);
type BoardQuery = z.infer<typeof BoardQuery>;

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class LeaderboardController {
  constructor(
    private readonly tasks: TasksService,
    private readonly leaderboards: LeaderboardService,
    private readonly promotions: PromotionsService,
    private readonly placements: PlacementDirectory,
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
      return answerBoard(request, reply, body);
    }
    const view = await this.leaderboards.board(task, query);
    const name = `${slug}-r${view.revision}`;
    return answerTable(request, reply, { view, tableOf: boardTable, name, format });
  }

  /**
   * Every model's figures on every dataset as columns, for ranking by any weights where they are looked at: numbers as float64, after a header in
   * JSON that has metrics, datasets, weights, exchange rates and the models. `encodeMatrix` of libs/scoring describes the bytes and
   * `RankableMatrix` ranks them, with the very Dynascores and order of the board.
   */
  @Get('leaderboard/matrix')
  @ApiQueries(MatrixQuery)
  @ApiOkResponse({ content: { [MATRIX_MEDIA_TYPE]: { schema: { type: 'string', format: 'binary' } } } })
  async matrix(
    @Param('slug') slug: string,
    @Query({ schema: MatrixQuery }) { asOf }: MatrixQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    const encoding = encodingOf(request);
    const body = await this.leaderboards.matrix({ slug }, asOf, encoding);
    // a revision never changes
    const isFixed = asOf?.startsWith('r') === true;
    void reply.header('cache-control', isFixed ? 'public, max-age=31536000, immutable' : 'no-cache');
    return answerTagged(request, reply, body, { type: MATRIX_MEDIA_TYPE, vary: 'accept-encoding', encoding });
  }

  /** The models that collection is against, on which evidence each was put there, and whether it can answer now. */
  @Get('loop')
  @ApiOkResponse({ standardSchema: LoopView })
  async loop(@Param('slug') slug: string): Promise<LoopView> {
    const loop = await this.promotions.loop(await this.tasks.get(slug));
    const servings = await this.placements.serving(loop.models.map(({ model }) => model.id));
    const models = loop.models.map((each) => {
      const serving = servings.get(each.model.id);
      return serving ? { ...each, serving } : each;
    });
    return { ...loop, models };
  }

  /** The target models that a policy would choose from the current board, and why not the next candidates. For the owner of the task; nothing is saved. */
  @Post('loop/preview')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: LoopPreview })
  async previewLoop(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: LoopPolicy }) policy: LoopPolicy,
  ): Promise<LoopPreview> {
    const task = await this.tasks.getOwned(principal, slug);
    return this.promotions.preview(task, definitionWith(task.definition, { loop: policy }).loop);
  }
}
