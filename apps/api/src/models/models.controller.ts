import {
  ArchiveArtifact,
  CancelModel,
  ChangeLoopConsent,
  DeclareLineage,
  PublishModel,
  RerunModel,
  SupplementModel,
  WithdrawModel,
} from '@assay/application';
import {
  ArtifactReceived,
  Log,
  ModelCreated,
  ModelSummary,
  ModelView,
  PatchModel,
  SubmitModel,
} from '@assay/contracts/models';
import { BLOB_STORE, type BlobStore, type PutOptions, tooLarge } from '@assay/storage';
import { ModelsService } from '@assay/submissions';
import { TasksService } from '@assay/tasks';
import {
  All,
  applyDecorators,
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
  Sse,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiHeader,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { z } from 'zod';
import {
  Access,
  ApiQueries,
  CurrentUser,
  firstPage,
  Id,
  MaybeUser,
  Page,
  type Principal,
  refuseCursor,
} from '../routes.js';
import { bodyOf, contentDigest, lengthOf } from '../bodies/streamed-bodies.js';
import { ArtifactReception } from './artifact-reception.service.js';
import { ModelFollowers } from './model-followers.js';
import { ModelViews } from './model-views.service.js';

const ModelList = z
  .object({ items: z.array(ModelSummary), nextCursor: z.string().optional() })
  .meta({ id: 'ModelList' });

const Rerun = z.object({
  measures: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .describe('measure the costs of the model again; its scores do not change'),
});

/** Declares a route that receives the bytes of a file for a model as a plain body. */
const ReceivesBytes = (): MethodDecorator =>
  applyDecorators(
    HttpCode(HttpStatus.ACCEPTED),
    ApiConsumes('application/octet-stream'),
    ApiBody({ schema: { type: 'string', format: 'binary' } }),
    ApiHeader({ name: 'content-digest', required: false, description: 'sha-256=:base64: (RFC 9530)' }),
    ApiAcceptedResponse({ standardSchema: ArtifactReceived }),
    ApiOkResponse({ standardSchema: ArtifactReceived, description: 'the model already has these bytes' }),
  );

@ApiTags('models')
@Controller()
export class ModelsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly models: ModelsService,
    private readonly reception: ArtifactReception,
    private readonly views: ModelViews,
    private readonly followers: ModelFollowers,
    private readonly rerunModel: RerunModel,
    private readonly cancelModel: CancelModel,
    private readonly publishModel: PublishModel,
    private readonly withdrawModel: WithdrawModel,
    private readonly supplementModel: SupplementModel,
    private readonly changeLoopConsent: ChangeLoopConsent,
    private readonly declareLineage: DeclareLineage,
    private readonly archiveArtifact: ArchiveArtifact,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Submits a model, starting with its card. Then upload its artifact to the `upload` address of
   * the response, or with `PUT /models/{id}/artifact`.
   */
  @Post('tasks/:slug/models')
  @Access({ scope: 'submit' })
  @ApiCreatedResponse({ standardSchema: ModelCreated })
  async submit(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: SubmitModel }) body: SubmitModel,
  ): Promise<ModelCreated> {
    const model = await this.models.submit(principal, await this.tasks.get(slug), body);
    return { id: model.id, upload: this.reception.uploadAddress(model.id) };
  }

  /** Returns the models of a task that you may see. */
  @Get('tasks/:slug/models')
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: ModelList })
  async list(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: Page }) query: Page,
  ): Promise<z.infer<typeof ModelList>> {
    const task = await this.tasks.get(slug);
    // one more than is shown, to know whether others follow
    const shown = { limit: query.limit + 1, behind: query.cursor ?? null };
    const models = (await this.models.listOf(task, principal, shown)) ?? refuseCursor();
    return firstPage(models, query, (model) => this.views.summary(model));
  }

  /**
   * Uploads the artifact of a model as a plain body. Returns 200 if the model already has these
   * bytes. Returns 409 for other bytes: new bytes are a new model.
   */
  @Put('models/:id/artifact')
  @Access({ cost: 'upload', scope: 'submit', stream: 'artifact' })
  @ReceivesBytes()
  async putArtifact(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ArtifactReceived> {
    const model = await this.models.getOwned(principal, id);
    await this.models.expectArtifact(model);
    const { created, state, artifact } = await this.reception.take(model, this.plainBody(request), principal);
    if (!created) void reply.status(HttpStatus.OK);
    return { id: model.id, state, artifact };
  }

  /**
   * Adds a file of predictions to a model of the kind predictions, for datasets that came later, as a
   * plain body of JSON Lines. It counts towards no quota of submissions. Earlier predictions stay as
   * they are. Returns 200 if the model already has these bytes.
   */
  @Put('models/:id/supplement')
  @Access({ cost: 'upload', scope: 'submit', stream: 'artifact' })
  @ReceivesBytes()
  async putSupplement(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ArtifactReceived> {
    const model = await this.models.getOwned(principal, id);
    this.supplementModel.expectKind(model);
    await this.models.expectArtifact(model);
    const body = this.plainBody(request);
    const { created, state, artifact } = await this.reception.take(model, body, principal, this.supplementModel);
    if (!created) void reply.status(HttpStatus.OK);
    return { id: model.id, state, artifact };
  }

  /** Handles resumable uploads (tus 1.0.0). */
  @All(['models/:id/upload', 'models/:id/upload/:upload'])
  @Access({ cost: 'upload', scope: { POST: 'submit', PATCH: 'submit', DELETE: 'submit' }, stream: 'artifact' })
  @ApiExcludeEndpoint()
  async upload(
    @Param('id', { schema: Id }) _id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reply.hijack();
    reply.raw.setHeader('x-request-id', request.id);
    await this.reception.handleUpload(request.raw, reply.raw, request.ip);
  }

  /** Returns a model with its scores and costs on every active dataset version. */
  @Get('models/:id')
  @ApiOkResponse({ standardSchema: ModelView })
  async get(@MaybeUser() principal: Principal | null, @Param('id', { schema: Id }) id: string): Promise<ModelView> {
    return this.views.visible(principal, id);
  }

  /**
   * Streams the evaluation of a model as server-sent events. The events are `state`, `progress` and
   * `score`, and `ping` to keep the connection open. The first event is the current state, and a
   * final state is the last event. A client that does not read its events receives `dropped` with a
   * `reason` as the last event, and can connect again.
   */
  @Sse('models/:id/events')
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  async follow(
    @MaybeUser() principal: Principal | null,
    @Param('id', { schema: Id }) id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Observable<{ type: string; data: object }>> {
    const model = await this.models.getVisible(principal, id);
    return (await this.followers.follow(principal, request, reply, model)).pipe(
      map(({ type, ...data }) => ({ type, data })),
    );
  }

  /**
   * Repeats the evaluations of a model that failed or were cancelled. With `measures=true`, it
   * measures the costs of a scored model again instead.
   */
  @Post('models/:id/rerun')
  @Access({ scope: 'submit' })
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiQueries(Rerun)
  @ApiAcceptedResponse({ standardSchema: ModelView })
  async rerun(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: Rerun }) { measures }: z.infer<typeof Rerun>,
  ): Promise<ModelView> {
    await this.rerunModel.execute(principal, id, measures ? 'measures' : 'evaluations');
    return this.views.model(principal, { id });
  }

  /** Cancels the waiting or running evaluation of a model, or the measurement of its costs. */
  @Post('models/:id/cancel')
  @Access({ scope: 'submit' })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ModelView })
  async cancel(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<ModelView> {
    await this.cancelModel.execute(principal, id);
    return this.views.model(principal, { id });
  }

  /** Publishes a model. The board ranks it once it is complete. */
  @Post('models/:id/publish')
  @Access({ scope: 'submit' })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ModelView })
  async publish(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<ModelView> {
    await this.publishModel.execute(principal, id);
    return this.views.model(principal, { id });
  }

  /**
   * Sets whether a model may be in the loop, and the models that it descends from. A model that may
   * not be in the loop leaves the open rounds, and others take its place.
   */
  @Patch('models/:id')
  @ApiOkResponse({ standardSchema: ModelView })
  async patch(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: PatchModel }) { loop, derivedFrom }: PatchModel,
  ): Promise<ModelView> {
    if (derivedFrom !== undefined) await this.declareLineage.execute(principal, id, derivedFrom);
    if (loop !== undefined) await this.changeLoopConsent.execute(principal, id, loop);
    return this.views.model(principal, { id });
  }

  /** Withdraws a model from the board. Its scores stay, and older board revisions keep it. */
  @Post('models/:id/withdraw')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ModelView })
  async withdraw(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<ModelView> {
    await this.withdrawModel.execute(principal, id);
    return this.views.model(principal, { id });
  }

  /**
   * Deletes the bytes of a model's artifact. Its scores stay. On datasets that are added later, the
   * model is incomplete until the same bytes are uploaded again.
   */
  @Post('models/:id/archive')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ModelView })
  async archive(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<ModelView> {
    await this.archiveArtifact.execute(principal, id);
    return this.views.model(principal, { id });
  }

  /**
   * Returns the end of a model's log. Only the owner of the model can read it. If the sandbox had
   * seen hidden data, the response has only the length of the log.
   */
  @Get('models/:id/logs')
  @ApiOkResponse({ standardSchema: Log })
  async logs(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<Log> {
    return this.views.log(principal, await this.models.getOwned(principal, id));
  }

  private plainBody(request: FastifyRequest) {
    const expectedDigest = contentDigest(request.headers['content-digest']);
    return {
      length: lengthOf(request),
      put: ({ maxBytes = 0, ...limits }: PutOptions) =>
        this.blobs.put(bodyOf(request, maxBytes, tooLarge), { expectedDigest, maxBytes, ...limits }),
    };
  }
}
