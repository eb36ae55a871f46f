import { Readable } from 'node:stream';
import { PerturbationName, PerturbedVersionList, PerturbedVersionView, type Perturbation } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import {
  inputLines,
  ownsTask,
  PerturbationsService,
  PerturbationValidations,
  publishedDigest,
  TasksService,
  transformRanks,
  type DatasetVersion,
} from '@assay/tasks';
import { Controller, Get, HttpStatus, Inject, Param, Put, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentUser, MaybeUser } from '../auth/principal.guard.js';
import { Environment } from '../environment.js';
import { StorageUses } from '../models/storage-uses.js';
import { bodyOf } from '../streamed-bodies.js';

const JSON_LINES = 'application/x-ndjson';

/** Perturbed versions of a dataset: what they are made of, and what people say of them. */
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

  /** The perturbed versions of a dataset: their transforms, how many variants each has, and what people said of them. */
  @Get()
  @ApiOkResponse({ standardSchema: PerturbedVersionList })
  async list(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
  ): Promise<PerturbedVersionList> {
    const task = await this.tasks.get(slug);
    const versions = await this.validations.readable(principal, task, name);
    return { items: versions.map((version) => perturbedView(version, name)) };
  }

  /** The perturbed examples as JSON Lines: whole, or ids and inputs, for whom the dataset is so. */
  @Get(':kind')
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

  /** Puts pairs of your own in the place of generated variants. JSON Lines as a dataset's, each with `input_id`, the id of its original. The same pairs again: 200. */
  @Put(':kind')
  @ApiConsumes(JSON_LINES)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiCreatedResponse({ standardSchema: PerturbedVersionView })
  @ApiOkResponse({ standardSchema: PerturbedVersionView, description: 'these pairs are there already' })
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

  /** A hundred variants of each transform with their originals, for people to look at; the same each time. */
  @Get(':kind/sample')
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
   * Takes what people found: whether the labels of variants still hold. JSON Lines `{id, kept}`, in the place of what was said before. A transform of which fewer than
   * 95 percent of at least 30 kept their label is shown, and does not rank.
   */
  @Put(':kind/validations')
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
