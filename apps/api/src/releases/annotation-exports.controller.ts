import { join } from 'node:path';
import { ExportedAnnotation, ExportQuery } from '@assay/contracts';
import { AnnotationExports, type ExportedSet, RoundsService } from '@assay/collection';
import type { Principal } from '@assay/identity';
import { namelessFile } from '@assay/storage';
import { ownsTask, TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { ApiQueries } from '../api-queries.js';
import { MaybeUser } from '../auth/principal.guard.js';
import { Environment } from '../environment.js';
import { RoundNumber } from '../rounds/round-number.js';

const JSON_LINES = 'application/x-ndjson';

@ApiTags('releases')
@Controller('tasks/:slug')
export class AnnotationExportsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly exports: AnnotationExports,
    private readonly environment: Environment,
  ) {}

  /**
   * All annotations of a task as JSON Lines, as they stood at one moment. For its owner everything; for anybody else the train and dev parts of
   * closed rounds. People are pseudonyms: keyed hashes, the same throughout the task and others elsewhere.
   */
  @Get('export')
  @ApiQueries(ExportQuery)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ standardSchema: ExportedAnnotation, description: 'one of these a line' })
  async task(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: ExportQuery }) query: ExportQuery,
  ): Promise<StreamableFile> {
    const task = await this.tasks.get(slug);
    return this.answer({ task, reader: ownsTask(principal, task) ? 'owner' : 'public', query }, slug);
  }

  /** The annotations of one round as JSON Lines. Otherwise as the export of the task. */
  @Get('rounds/:number/export')
  @ApiQueries(ExportQuery)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ standardSchema: ExportedAnnotation, description: 'one of these a line' })
  async round(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: ExportQuery }) query: ExportQuery,
  ): Promise<StreamableFile> {
    const task = await this.tasks.get(slug);
    const round = await this.rounds.get(task, number);
    return this.answer(
      { task, round, reader: ownsTask(principal, task) ? 'owner' : 'public', query },
      `${slug}-round-${number}`,
    );
  }

  private async answer(set: ExportedSet, name: string): Promise<StreamableFile> {
    const folder = join(this.environment.home, 'exports');
    const { content, bytes } = await namelessFile(folder, (write) => this.exports.write(set, write));
    return new StreamableFile(content, {
      type: JSON_LINES,
      length: bytes,
      disposition: `attachment; filename="${name}.jsonl"`,
    });
  }
}
