import { ForkSummary, ForkView, SaveFork, SaveSnapshot, SnapshotSummary, SnapshotView } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { type BoardFork, SavedBoardsService, type SnapshotFacts } from '@assay/leaderboard';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentUser } from '../auth/principal.guard.js';
import { Environment } from '../environment.js';

const ForkList = z.object({ items: z.array(ForkSummary) }).meta({ id: 'ForkList' });
const SnapshotList = z.object({ items: z.array(SnapshotSummary) }).meta({ id: 'SnapshotList' });

@ApiTags('leaderboard')
@Controller('tasks/:slug')
export class SavedBoardsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly saved: SavedBoardsService,
    private readonly environment: Environment,
  ) {}

  /** Keeps weights of one's own under a name. The board that it shows goes on with the data. */
  @Post('forks')
  @ApiCreatedResponse({ standardSchema: ForkSummary })
  async fork(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: SaveFork }) body: SaveFork,
  ): Promise<ForkSummary> {
    return forkSummary(await this.saved.fork(principal, await this.tasks.get(slug), body));
  }

  /** The forks of a task: weights that people keep under a name. */
  @Get('forks')
  @ApiOkResponse({ standardSchema: ForkList })
  async forks(@Param('slug') slug: string): Promise<z.infer<typeof ForkList>> {
    const forks = await this.saved.forks(await this.tasks.get(slug));
    return { items: forks.map(forkSummary) };
  }

  /** The board of now by the fork's weights; it says that they are not the task's, with the official rank in each row. */
  @Get('forks/:name')
  @ApiOkResponse({ standardSchema: ForkView })
  async getFork(@Param('slug') slug: string, @Param('name') name: string): Promise<ForkView> {
    const fork = await this.saved.getFork(await this.tasks.get(slug), name);
    return { ...forkSummary(fork), board: await this.saved.forkBoard(fork) };
  }

  /** Removes a fork of yours. Snapshots that were taken of it stay. */
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

  /** Freezes a board under a name. It stays, with its address; nobody can change or remove it. */
  @Post('snapshots')
  @ApiCreatedResponse({ standardSchema: SnapshotSummary })
  async snapshot(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: SaveSnapshot }) body: SaveSnapshot,
  ): Promise<SnapshotSummary> {
    return this.snapshotSummary(slug, await this.saved.snapshot(principal, await this.tasks.get(slug), body));
  }

  /** The snapshots of a task: frozen boards, each with its permanent address. */
  @Get('snapshots')
  @ApiOkResponse({ standardSchema: SnapshotList })
  async snapshots(@Param('slug') slug: string): Promise<z.infer<typeof SnapshotList>> {
    const snapshots = await this.saved.snapshots(await this.tasks.get(slug));
    return { items: snapshots.map((snapshot) => this.snapshotSummary(slug, snapshot)) };
  }

  /** A frozen board: the same bytes for ever. */
  @Get('snapshots/:name')
  @ApiOkResponse({ standardSchema: SnapshotView })
  async getSnapshot(
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const snapshot = await this.saved.getSnapshot(await this.tasks.get(slug), name);
    // only now: that there is none yet is not so for ever
    void reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable');
    // the board is not parsed and written again: what was frozen are its bytes
    const head = JSON.stringify(this.snapshotSummary(slug, snapshot)).slice(0, -1);
    return `${head},"board":${snapshot.board}}`;
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
