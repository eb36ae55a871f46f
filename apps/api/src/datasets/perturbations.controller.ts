import { Readable } from 'node:stream';
import { PerturbationName, PerturbedVersionList, PerturbedVersionView } from '@assay/contracts/datasets';
import { type Perturbation } from '@assay/contracts/metrics';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { ownsTask, TasksService } from '@assay/tasks';
import { publishedDigest, type DatasetVersion } from '@assay/tasks/datasets';
import { inputLines } from '@assay/tasks/examples';
import { PerturbationsService, PerturbationValidations, transformRanks } from '@assay/tasks/perturbation';
import { Controller, Get, HttpStatus, Inject, Param, Put, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, CurrentUser, MaybeUser, type Principal } from '../routes.js';
import { Environment } from '../environment.js';
import { StorageUses } from '../models/storage-uses.js';
import { bodyOf } from '../bodies/streamed-bodies.js';

const JSON_LINES = 'application/x-ndjson';

/** Serves the perturbed versions of a dataset, and records people's verdicts on them. */
@ApiTags('datasets')
@Controller('tasks/:slug/datasets/:name/perturbations')
export class PerturbationsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly perturbations: PerturbationsService,
    private readonly storage: StorageUses,
    private readonly environment: Environment,
    private readonly validations: PerturbationValidations,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Returns the perturbed versions of a dataset. Each has its transforms, the number of variants of
   * each, and what people said of them.
   */
  @Get()
  @ApiOkResponse({ standardSchema: PerturbedVersionList })
  async list(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
  ): Promise<PerturbedVersionList> {
    const versions = await this.validations.readable(principal, await this.tasks.get(slug), name);
    return { items: versions.map((version) => perturbedView(version, name)) };
  }

  /**
   * Returns the perturbed examples as JSON Lines. You get complete examples, or IDs and inputs,
   * whichever you may read of the dataset itself.
   */
  @Get(':kind')
  @Access({ cost: 'costly' })
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  async content(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Param('kind', { schema: PerturbationName }) kind: Perturbation,
  ): Promise<StreamableFile> {
    const task = await this.tasks.get(slug);
    const version = await this.validations.readableOf(principal, task, name, kind);
    const content = this.blobs.open(version.content);
    const isWhole = version.dataset.visibility === 'public' || ownsTask(principal, task);
    return new StreamableFile(isWhole ? content : Readable.from(inputLines(task.definition, content)), {
      type: JSON_LINES,
    });
  }

  /**
   * Replaces the generated variants with pairs of your own. Send JSON Lines like those of a
   * dataset, each with `input_id`, the ID of its original. Returns 200 if the same pairs are
   * already stored.
   */
  @Put(':kind')
  @Access({ cost: 'upload', stream: 'dataset' })
  @ApiConsumes(JSON_LINES)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiCreatedResponse({ standardSchema: PerturbedVersionView })
  @ApiOkResponse({ standardSchema: PerturbedVersionView, description: 'these pairs are already stored' })
  async put(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Param('kind', { schema: PerturbationName }) kind: Perturbation,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PerturbedVersionView> {
    const task = await this.tasks.getOwned(principal, slug);
    const { version, created } = await this.storage.within(task.owner.id, (room) =>
      this.perturbations.putOwn(principal, task, name, kind, bodyOf(request, this.environment.fileSizes.dataset), room),
    );
    void reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return perturbedView(version, name);
  }

  /**
   * Returns a sample of up to 100 variants of each transform with their originals, for people to
   * check. The sample is the same each time.
   */
  @Get(':kind/sample')
  @Access({ cost: 'costly' })
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  async sample(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Param('kind', { schema: PerturbationName }) kind: Perturbation,
  ): Promise<StreamableFile> {
    const task = await this.tasks.getOwned(principal, slug);
    const version = await this.validations.ofKind(task, name, kind);
    return new StreamableFile(Buffer.from(await this.validations.sample(task, version)), { type: JSON_LINES });
  }

  /**
   * Records people's verdicts on whether the labels of variants still hold. Send JSON Lines
   * `{id, kept}`, which replace all earlier verdicts. A transform is shown but does not rank if at
   * least 30 of its variants were checked and fewer than 95 percent of them kept their label.
   */
  @Put(':kind/validations')
  @Access({ cost: 'upload', stream: 'dataset' })
  @ApiConsumes(JSON_LINES)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ standardSchema: PerturbedVersionView })
  async validate(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Param('kind', { schema: PerturbationName }) kind: Perturbation,
    @Req() request: FastifyRequest,
  ): Promise<PerturbedVersionView> {
    const task = await this.tasks.getOwned(principal, slug);
    const verdicts = bodyOf(request, this.environment.fileSizes.verdicts);
    return perturbedView(await this.validations.record(principal, task, name, kind, verdicts), name);
  }
}

const perturbedView = (version: DatasetVersion, dataset: string): PerturbedVersionView => ({
  dataset,
  perturbation: version.dataset.perturbation!,
  version: version.number,
  ...publishedDigest(version, version.dataset.visibility),
  examples: version.examples,
  status: version.status,
  own: (version.transforms ?? []).some(({ name }) => name === 'own'),
  transforms: (version.transforms ?? []).map((transform) => ({ ...transform, ranks: transformRanks(transform) })),
});
