import {
  ForkSummary,
  ForkView,
  type LeaderboardView,
  SaveFork,
  SaveSnapshot,
  SnapshotSummary,
  SnapshotView,
  type TableFormat,
  tableFormatQuery,
} from '@assay/contracts/boards';
import { boardTable } from '@assay/leaderboard/formats';
import { type BoardFork, SavedBoardsService, type SnapshotFacts } from '@assay/leaderboard/saved';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiQueries, CurrentUser, firstPage, MaybeUser, Page, partById, type Principal } from '../routes.js';
import { Environment } from '../environment.js';
import { answerTable, formatOf } from '../bodies/table-answer.js';

const nextCursor = z.string().optional().describe('cursor of the next page; absent on the last page');
const ForkList = z.object({ items: z.array(ForkSummary), nextCursor }).meta({ id: 'ForkList' });
const SnapshotList = z.object({ items: z.array(SnapshotSummary), nextCursor }).meta({ id: 'SnapshotList' });

const FormatQuery = z.strictObject(tableFormatQuery);
type FormatQuery = z.infer<typeof FormatQuery>;

const savedTable = ({ board }: { readonly board: LeaderboardView }) => boardTable(board);

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class SavedBoardsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly saved: SavedBoardsService,
    private readonly environment: Environment,
  ) {}

  /** Saves your own weights under a name, as a fork. The board of a fork follows the data. */
  @Post('forks')
  @ApiCreatedResponse({ standardSchema: ForkSummary })
  async fork(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: SaveFork }) body: SaveFork,
  ): Promise<ForkSummary> {
    return forkSummary(await this.saved.fork(principal, await this.tasks.get(slug), body));
  }

  /** Returns the forks of a task: weights that people have saved under a name. */
  @Get('forks')
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: ForkList })
  async forks(@Param('slug') slug: string, @Query({ schema: Page }) query: Page): Promise<z.infer<typeof ForkList>> {
    return firstPage(await this.saved.forks(await this.tasks.get(slug), partById(query)), query, forkSummary);
  }

  /**
   * Returns the current board by the weights of a fork. The board states that these are not the
   * task's weights, and has the official rank in each row.
   */
  @Get('forks/:name')
  @ApiQueries(FormatQuery)
  @ApiOkResponse({ standardSchema: ForkView })
  @ApiProduces('application/json', 'text/csv', 'application/x-latex')
  async getFork(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Query({ schema: FormatQuery }) { format }: FormatQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const fork = await this.saved.getFork(await this.tasks.get(slug), name);
    const view: ForkView = { ...forkSummary(fork), board: await this.saved.forkBoard(fork, principal) };
    return answerTable(request, reply, { view, tableOf: savedTable, name: `${slug}-${name}`, format });
  }

  /** Deletes one of your forks. Snapshots that were taken of it stay. */
  @Delete('forks/:name')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async removeFork(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name') name: string,
  ): Promise<void> {
    await this.saved.removeFork(principal, await this.tasks.get(slug), name);
  }

  /**
   * Freezes a board under a name. The snapshot and its address are permanent: nobody can change or
   * delete it.
   */
  @Post('snapshots')
  @ApiCreatedResponse({ standardSchema: SnapshotSummary })
  async snapshot(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: SaveSnapshot }) body: SaveSnapshot,
  ): Promise<SnapshotSummary> {
    return this.snapshotSummary(slug, await this.saved.snapshot(principal, await this.tasks.get(slug), body));
  }

  /** Returns the snapshots of a task: frozen boards, each with a permanent address. */
  @Get('snapshots')
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: SnapshotList })
  async snapshots(
    @Param('slug') slug: string,
    @Query({ schema: Page }) query: Page,
  ): Promise<z.infer<typeof SnapshotList>> {
    const snapshots = await this.saved.snapshots(await this.tasks.get(slug), partById(query));
    return firstPage(snapshots, query, (snapshot) => this.snapshotSummary(slug, snapshot));
  }

  /** Returns a snapshot. Its bytes never change. */
  @Get('snapshots/:name')
  @ApiQueries(FormatQuery)
  @ApiOkResponse({ standardSchema: SnapshotView })
  @ApiProduces('application/json', 'text/csv', 'application/x-latex')
  async getSnapshot(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Query({ schema: FormatQuery }) { format }: FormatQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const snapshot = await this.saved.getSnapshot(await this.tasks.get(slug), name);
    const facts = this.snapshotSummary(slug, snapshot);
    const body = this.frozen(request, reply, { facts, board: snapshot.board, format });
    // only for a snapshot that was found: one that is missing may be created later
    void reply.header('cache-control', 'public, max-age=31536000, immutable');
    return body;
  }

  /**
   * Returns the body of a snapshot. As JSON, the board is not parsed and serialised again, because
   * its frozen bytes must not change.
   */
  private frozen(
    request: FastifyRequest,
    reply: FastifyReply,
    { facts, board, format }: { facts: SnapshotSummary; board: string; format: TableFormat | undefined },
  ): string | undefined {
    if (formatOf(request, format) === 'json') {
      void reply.header('content-type', 'application/json; charset=utf-8').header('vary', 'accept');
      return `${JSON.stringify(facts).slice(0, -1)},"board":${board}}`;
    }
    const view: SnapshotView = { ...facts, board: JSON.parse(board) as LeaderboardView };
    return answerTable(request, reply, { view, tableOf: savedTable, name: `${view.board.task}-${facts.name}`, format });
  }

  private snapshotSummary(slug: string, snapshot: SnapshotFacts): SnapshotSummary {
    return {
      ...summary(snapshot),
      revision: snapshot.revision,
      address: `${this.environment.publicUrl}/api/v1/tasks/${slug}/snapshots/${snapshot.name}`,
    };
  }
}

const summary = ({ name, owner, description, createdAt, weighing }: BoardFork | SnapshotFacts) => ({
  name,
  owner: owner.username,
  description,
  createdAt: createdAt.toISOString(),
  weighing,
});

const forkSummary = (fork: BoardFork): ForkSummary => summary(fork);
