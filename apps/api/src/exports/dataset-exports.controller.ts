import { PUBLISHED_DIGEST } from '@assay/contracts/results';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { TasksService } from '@assay/tasks';
import { croissant, DatasetsService, type DatasetVersion, publishedDigest } from '@assay/tasks/datasets';
import { Controller, Get, Header, Inject, Param, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Access, MaybeUser, type Principal } from '../routes.js';
import { Environment } from '../environment.js';

const VersionNumber = z.coerce.number().int().positive().max(2_000_000_000);
const Versions = z
  .object({
    items: z.array(
      z.object({
        version: z.int(),
        ...PUBLISHED_DIGEST,
        examples: z.int(),
        status: z.enum(['active', 'proposed', 'retired']),
        createdAt: z.iso.datetime(),
        address: z.url(),
      }),
    ),
  })
  .meta({ id: 'DatasetVersions' });

/**
 * Serves dataset versions as downloads, with a machine-readable description. Versions of a public
 * dataset are for everybody, others for the owner of the task.
 */
@ApiTags('exports')
@Controller('tasks/:slug/datasets/:name/versions')
export class DatasetExportsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly datasets: DatasetsService,
    private readonly environment: Environment,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Returns the versions of a dataset that you may download in full. */
  @Get()
  @ApiOkResponse({ standardSchema: Versions })
  async list(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
  ): Promise<z.infer<typeof Versions>> {
    const versions = await this.datasets.readable(principal, await this.tasks.get(slug), name);
    return {
      items: versions.map((version) => ({
        version: version.number,
        ...publishedDigest(version, version.dataset.visibility),
        examples: version.examples,
        status: version.status,
        createdAt: version.createdAt.toISOString(),
        address: this.address(slug, version),
      })),
    };
  }

  /**
   * Returns the examples of one dataset version as JSON Lines. The bytes of a version never change.
   */
  @Get(':version/content')
  @Access({ cost: 'costly' })
  @ApiProduces('application/x-ndjson')
  @ApiOkResponse({ schema: { type: 'string' } })
  async content(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Param('version', { schema: VersionNumber }) number: number,
  ): Promise<StreamableFile> {
    const { content } = await this.datasets.readableVersion(principal, await this.tasks.get(slug), name, number);
    return new StreamableFile(this.blobs.open(content), {
      type: 'application/x-ndjson',
      length: await this.blobs.size(content),
      disposition: `attachment; filename="${slug}-${name}-v${number}.jsonl"`,
    });
  }

  /** Returns the description of a dataset version in Croissant 1.0, as JSON-LD. */
  @Get(':version/croissant')
  @Access({ cost: 'costly' })
  @Header('content-type', 'application/ld+json; charset=utf-8')
  @ApiProduces('application/ld+json')
  @ApiOkResponse({ schema: { type: 'object' } })
  async croissant(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Param('version', { schema: VersionNumber }) number: number,
  ): Promise<string> {
    const task = await this.tasks.get(slug);
    const version = await this.datasets.readableVersion(principal, task, name, number);
    const place = { address: this.address(slug, version), bytes: await this.blobs.size(version.content) };
    return JSON.stringify(croissant(task.definition, version, place));
  }

  private address(slug: string, { dataset, number }: DatasetVersion): string {
    return `${this.environment.publicUrl}/api/v1/tasks/${slug}/datasets/${dataset.name}/versions/${number}`;
  }
}
