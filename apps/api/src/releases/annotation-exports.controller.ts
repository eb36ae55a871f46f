import { join } from 'node:path';
import { type ExportedSet } from '@assay/collection/annotating';
import { AnnotationExports } from '@assay/collection/release';
import { RoundsService } from '@assay/collection/rounds';
import { ExportedAnnotation, ExportQuery } from '@assay/contracts/datasets';
import { namelessFile } from '@assay/storage';
import { ownsTask, TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiQueries, MaybeUser, type Principal, RoundNumber } from '../routes.js';
import { ConcurrencyLimiter, callerOf } from '../limits/concurrency-limiter.js';
import { Environment } from '../environment.js';

const JSON_LINES = 'application/x-ndjson';
/**
 * The maximum number of concurrent exports of a caller. Each is a copy on disk until it has been
 * read.
 */
const MOST_OF_A_CALLER = 2;
const MOST = 8;

interface Exchange {
  readonly principal: Principal | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

@ApiTags('releases')
@Controller('tasks/:slug')
export class AnnotationExportsController {
  private readonly limiter: ConcurrencyLimiter;
  private readonly folder: string;

  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly exports: AnnotationExports,
    environment: Environment,
  ) {
    // half of the connections remain for everything else
    const all = Math.min(MOST, Math.floor(environment.poolMax / 2));
    this.limiter = new ConcurrencyLimiter({ each: MOST_OF_A_CALLER, all, what: 'exports' });
    this.folder = join(environment.home, 'exports');
  }

  /**
   * Exports all annotations of a task as JSON Lines, as of one point in time. The owner of the task
   * gets everything; everybody else gets the train and dev parts of closed rounds. People appear
   * under pseudonyms: keyed hashes that are the same throughout the task and different elsewhere.
   */
  @Get('export')
  @Access({ cost: 'costly' })
  @ApiQueries(ExportQuery)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ standardSchema: ExportedAnnotation, description: 'one of these a line' })
  async task(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: ExportQuery }) query: ExportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.answer({ principal, request, reply }, { task: await this.tasks.get(slug), query }, slug);
  }

  /**
   * Exports the annotations of one round as JSON Lines. Otherwise, it is the same as the export of
   * the task.
   */
  @Get('rounds/:number/export')
  @Access({ cost: 'costly' })
  @ApiQueries(ExportQuery)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ standardSchema: ExportedAnnotation, description: 'one of these a line' })
  async round(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: ExportQuery }) query: ExportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const task = await this.tasks.get(slug);
    const set = { task, round: await this.rounds.get(task, number), query };
    return this.answer({ principal, request, reply }, set, `${slug}-round-${number}`);
  }

  /**
   * @throws RefusedForNow `too_many_at_once`
   * @throws DomainError `storage_full`
   */
  private async answer(
    { principal, request, reply }: Exchange,
    set: Omit<ExportedSet, 'reader'>,
    name: string,
  ): Promise<StreamableFile> {
    const reader = ownsTask(principal, set.task) ? 'owner' : 'public';
    return this.limiter.untilAnswered(callerOf(principal, request), reply, async () => {
      const { content, bytes } = await namelessFile(this.folder, (write) =>
        this.exports.write({ ...set, reader }, write),
      );
      // a client that has disconnected reads nothing
      if (reply.raw.closed) content.destroy();
      return new StreamableFile(content, {
        type: JSON_LINES,
        length: bytes,
        disposition: `attachment; filename="${name}.jsonl"`,
      });
    });
  }
}
