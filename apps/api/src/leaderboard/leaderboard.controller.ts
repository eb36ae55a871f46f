import {
  LeaderboardQuery,
  LeaderboardView,
  LoopPreview,
  LoopView,
  MatrixQuery,
  tableFormatQuery,
} from '@assay/contracts/boards';
import { LoopPolicy } from '@assay/contracts/tasks';
import { BoardDifferences } from '@assay/leaderboard/comparison';
import { LeaderboardService, MATRIX_MEDIA_TYPE } from '@assay/leaderboard/boards';
import { boardTable } from '@assay/leaderboard/formats';
import { PromotionsService } from '@assay/leaderboard/promotions';
import { DeploymentDirectory } from '@assay/serving';
import { definitionWith, TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, ApiQueries, CurrentUser, MaybeUser, type Principal } from '../routes.js';
import { RequestLimit } from '../limits/request-limits.js';
import { answerEncoded, answerTable, answerTagged, encodingOf, formatOf } from '../bodies/table-answer.js';

/** The rows of a board in JSON and in a table, unless the request sets a limit. */
const SHOWN_ROWS = 100;
const TABLE_ROWS = 10_000;

const BoardQuery = LeaderboardQuery.extend(tableFormatQuery);

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class LeaderboardController {
  constructor(
    private readonly tasks: TasksService,
    private readonly leaderboards: LeaderboardService,
    private readonly differences: BoardDifferences,
    private readonly promotions: PromotionsService,
    private readonly deployments: DeploymentDirectory,
    private readonly limits: RequestLimit,
  ) {}

  /**
   * Returns the leaderboard by the task's weights, or by those of the request. A weight in the
   * request replaces the task's weight for the same metric or dataset. The response is JSON with
   * 100 rows unless `limit` is set, or a table in CSV or LaTeX with up to 10,000. If more rows
   * follow, `nextCursor` and the header `Link` of a table name the next page. With `against`, each
   * row has its difference from a model, or from itself on the previous benchmark version, and a
   * table has the first 200 rows. A response that is not cached counts as a costly request as well.
   */
  @Get('leaderboard')
  @ApiQueries(BoardQuery)
  @ApiOkResponse({ standardSchema: LeaderboardView })
  @ApiProduces('application/json', 'text/csv', 'application/x-latex')
  async leaderboard(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: BoardQuery }) { format, against, ...query }: z.infer<typeof BoardQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | undefined> {
    const task = { slug };
    const charge = () => this.limits.charge('costly', request, reply);
    const isJson = formatOf(request, format) === 'json';
    if (against !== undefined) {
      await charge();
      const limited = { ...(isJson && { limit: SHOWN_ROWS }), ...query, against };
      const view = await this.differences.board(await this.tasks.get(slug), limited, principal);
      return answerTable(request, reply, { view, tableOf: boardTable, name: `${slug}-r${view.revision}`, format });
    }
    if (isJson) {
      return answerEncoded(
        request,
        reply,
        await this.leaderboards.body(task, { limit: SHOWN_ROWS, ...query }, principal, charge),
      );
    }
    await charge();
    const view = await this.leaderboards.board(task, { limit: TABLE_ROWS, ...query }, principal);
    if (view.nextCursor !== undefined) void reply.header('link', nextPage(request, view.nextCursor));
    const name = `${slug}-r${view.revision}`;
    return answerTable(request, reply, { view, tableOf: boardTable, name, format });
  }

  /**
   * Returns all figures of the leaderboard as columns, so that a client can rank the models by any
   * weights. A JSON header has the metrics, datasets, weights, exchange rates and models; the
   * figures follow as float64. `encodeMatrix` of libs/scoring describes the bytes. `RankableMatrix`
   * ranks them, and gives exactly the scores and the order of the board.
   */
  @Get('leaderboard/matrix')
  @Access({ cost: 'costly' })
  @ApiQueries(MatrixQuery)
  @ApiOkResponse({ content: { [MATRIX_MEDIA_TYPE]: { schema: { type: 'string', format: 'binary' } } } })
  async matrix(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: MatrixQuery }) { asOf }: MatrixQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    const encoding = encodingOf(request);
    const body = await this.leaderboards.matrix({ slug }, asOf, { encoding, reader: principal });
    // a revision never changes, but the owner of the task may see more of it than others
    const isFixed = asOf?.startsWith('r') === true && body.disclosure === undefined;
    const shared = isFixed ? 'public, max-age=31536000, immutable' : 'no-cache';
    void reply.header('cache-control', body.disclosure === 'exact' ? 'private, no-cache' : shared);
    return answerTagged(request, reply, body, { type: MATRIX_MEDIA_TYPE, vary: 'accept-encoding', encoding });
  }

  /**
   * Returns the models in the loop, which examples are collected against. Each has the evidence for
   * its promotion, and whether it can answer now.
   */
  @Get('loop')
  @ApiOkResponse({ standardSchema: LoopView })
  async loop(@Param('slug') slug: string): Promise<LoopView> {
    const loop = await this.promotions.loop(await this.tasks.get(slug));
    const servings = await this.deployments.serving(loop.models.map(({ model }) => model.id));
    const models = loop.models.map((each) => {
      const serving = servings.get(each.model.id);
      return serving ? { ...each, serving } : each;
    });
    return { ...loop, models };
  }

  /**
   * Returns the target models that a policy would choose from the current board. The response also
   * states why the next candidates would not be chosen. Only the owner of the task can request it,
   * and nothing is saved.
   */
  @Post('loop/preview')
  @Access({ cost: 'costly', scope: 'read' })
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

/** Returns the header `Link` (RFC 8288) with the address of the next page of a request. */
function nextPage({ url }: FastifyRequest, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.set('cursor', cursor);
  return `<${pathname}?${searchParams.toString()}>; rel="next"`;
}
