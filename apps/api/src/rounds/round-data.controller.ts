import { ImportedExamples, RoundsService } from '@assay/collection/rounds';
import { LinesPut } from '@assay/contracts/rounds';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Inject, Param, Put, Query, Req, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Access, ApiQueries, CurrentUser, MaybeUser, type Principal, RoundNumber } from '../routes.js';
import { ArrivingLines } from './arriving-lines.js';

const PutExamples = z.strictObject({
  check: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .describe('import the examples as gold checks: they have a known label, measure validators, and never become data'),
});

@ApiTags('rounds')
@Controller('tasks/:slug/rounds/:number')
export class RoundDataController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly attested: ImportedExamples,
    private readonly arriving: ArrivingLines,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Imports examples that were written elsewhere into an open round. Send JSON Lines, which are
   * read as a stream. A line has the task's inputs and output, and optionally `id`, `contextId`,
   * `annotator`, `fooled` and `explanations`. The examples are marked as imported (`source` is
   * `attested`), and validated like all others.
   */
  @Put('examples')
  @Access({ cost: 'upload', stream: 'round' })
  @ApiQueries(PutExamples)
  @ApiConsumes('application/x-ndjson')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ standardSchema: LinesPut })
  async putExamples(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: PutExamples }) { check }: z.infer<typeof PutExamples>,
    @Req() request: FastifyRequest,
  ): Promise<LinesPut> {
    const round = await this.rounds.get(await this.tasks.getOwned(principal, slug), number);
    const kind = check ? 'check' : 'example';
    return this.arriving.of(principal, round, request, (lines, room) =>
      this.attested.put(principal, round, kind, lines, room),
    );
  }

  /**
   * Returns a part of the data of a closed round, as JSON Lines. Everybody can read `train` and
   * `dev`; only the owner of the task can read `test` and `fooling`.
   */
  @Get('data/:part')
  @Access({ cost: 'costly' })
  @ApiProduces('application/x-ndjson')
  @ApiOkResponse({ schema: { type: 'string' } })
  async data(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Param('part') part: string,
  ): Promise<StreamableFile> {
    const round = await this.rounds.get(await this.tasks.get(slug), number);
    const release = await this.rounds.release(principal, round, part);
    return new StreamableFile(this.blobs.open(release.content), {
      type: 'application/x-ndjson',
      length: await this.blobs.size(release.content),
    });
  }
}
