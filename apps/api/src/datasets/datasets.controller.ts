import { Readable } from 'node:stream';
import { TaskWarnings } from '@assay/application';
import { DatasetCheck, DatasetName, DatasetPut, PatchDataset, PutDatasetQuery } from '@assay/contracts/datasets';
import { DatasetSummary } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { LeaderboardService } from '@assay/leaderboard/boards';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { ModelsService } from '@assay/submissions';
import { TasksService } from '@assay/tasks';
import { DatasetsService } from '@assay/tasks/datasets';
import { type DatasetFormat, inputLines } from '@assay/tasks/examples';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
  StreamableFile,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiQueries, CurrentUser, MaybeUser, type Principal } from '../routes.js';
import { Environment } from '../environment.js';
import { datasetSummary } from './dataset-summary.js';
import { StorageUses } from '../models/storage-uses.js';
import { bodyOf, originalContentType } from '../bodies/streamed-bodies.js';

const FORMATS: Readonly<Record<string, DatasetFormat>> = {
  'application/x-ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
  'application/octet-stream': 'jsonl',
  'text/plain': 'jsonl',
  'text/csv': 'csv',
  'application/json': 'squad',
};

@ApiTags('datasets')
@Controller('tasks/:slug/datasets')
export class DatasetsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly datasets: DatasetsService,
    private readonly leaderboards: LeaderboardService,
    private readonly models: ModelsService,
    private readonly storage: StorageUses,
    private readonly warnings: TaskWarnings,
    private readonly environment: Environment,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Adds a dataset, or a new version of one. Send JSON Lines, CSV with a header, or SQuAD JSON,
   * which is read as a stream. Returns 201 for a new version, and 200 for the same bytes as an
   * existing version. While models are ranked, the new version is `proposed`: it counts once a
   * benchmark version is activated with it.
   */
  @Put(':name')
  @Access({ cost: 'upload', stream: 'dataset' })
  @ApiQueries(PutDatasetQuery)
  @ApiConsumes('application/x-ndjson', 'text/csv', 'application/json')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiCreatedResponse({ standardSchema: DatasetPut })
  @ApiOkResponse({ standardSchema: DatasetPut, description: 'a version with these bytes already exists' })
  async put(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name', { schema: DatasetName }) name: string,
    @Query({ schema: PutDatasetQuery }) query: PutDatasetQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DatasetPut> {
    const task = await this.tasks.getOwned(principal, slug);
    const { created, ...put } = await this.storage.within(task.owner.id, (room) =>
      this.datasets.put(
        principal,
        task,
        name,
        query,
        formatOf(request),
        bodyOf(request, this.environment.fileSizes.dataset),
        () => this.leaderboards.hasRankedModels(task),
        room,
      ),
    );
    void reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return { ...put, warnings: [...(await this.warnings.active(task))] };
  }

  /**
   * Checks a dataset without storing it. Reads the dataset as `PUT` would, and returns what is in
   * it and which lines are wrong.
   */
  @Post(':name/check')
  @Access({ cost: 'upload', scope: 'read', stream: 'dataset' })
  @HttpCode(HttpStatus.OK)
  @ApiConsumes('application/x-ndjson', 'text/csv', 'application/json')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ standardSchema: DatasetCheck })
  async check(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name', { schema: DatasetName }) name: string,
    @Req() request: FastifyRequest,
  ): Promise<DatasetCheck> {
    const task = await this.tasks.getOwned(principal, slug);
    return this.datasets.check(task, name, formatOf(request), bodyOf(request, this.environment.fileSizes.dataset));
  }

  /**
   * Changes the properties of a dataset. These are the models that it was collected against, its
   * visibility, since when it is public, and until when listed submitters may read hidden inputs.
   */
  @Patch(':name')
  @ApiOkResponse({ standardSchema: DatasetSummary })
  async change(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Body({ schema: PatchDataset }) body: PatchDataset,
  ): Promise<DatasetSummary> {
    const task = await this.tasks.getOwned(principal, slug);
    await this.models.expectAll(task, body.against ?? []);
    return datasetSummary(await this.datasets.change(principal, task, name, body));
  }

  /**
   * Returns the examples of the active version of a dataset, as JSON Lines. You get complete
   * examples if the dataset is public or you own the task, and IDs and inputs if only the inputs
   * are public, or if the owner shares them with listed submitters for a while.
   */
  @Get(':name/content')
  @Access({ cost: 'costly' })
  @ApiProduces('application/x-ndjson')
  @ApiOkResponse({ schema: { type: 'string' } })
  async content(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
  ): Promise<StreamableFile> {
    const task = await this.tasks.get(slug);
    const version = (await this.datasets.list(task)).find((each) => each.dataset.name === name);
    const readable = version && (await this.datasets.readableBy(principal, task, version.dataset));
    if (!version || !readable) throw DomainError.notFound('dataset');
    if (readable === 'inputs') {
      const lines = inputLines(task.definition, this.blobs.open(version.content));
      return new StreamableFile(Readable.from(lines), { type: 'application/x-ndjson' });
    }
    return new StreamableFile(this.blobs.open(version.content), {
      type: 'application/x-ndjson',
      length: await this.blobs.size(version.content),
    });
  }
}

function formatOf(request: FastifyRequest): DatasetFormat {
  const type = originalContentType(request).split(';')[0]!.trim().toLowerCase();
  const format = FORMATS[type];
  if (format) return format;
  throw new UnsupportedMediaTypeException(
    `Unsupported content type "${type}". Send a dataset as application/x-ndjson, text/csv or application/json.`,
  );
}
