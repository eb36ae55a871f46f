import {
  type Annotation,
  AnnotationChangesService,
  AnnotationsService,
  AssignmentsService,
  type Inspection,
  InspectionsService,
} from '@assay/collection';
import {
  AnnotationView,
  AskNext,
  ChangeAnnotation,
  FlagContext,
  InspectAnnotation,
  InspectInput,
  InspectionView,
  NextContext,
  QueryFlag,
  SkipContext,
  TrialView,
  WriteAnnotation,
} from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentUser } from '../auth/principal.guard.js';
import { Id } from '../id.js';
import { RoundNumber } from '../rounds/round-number.js';
import { annotationView, trialView } from './annotation-view.js';
import { nextView } from './next-view.js';

const Writing = z.strictObject({ trial: QueryFlag.optional() });

@ApiTags('annotating')
@Controller()
export class AnnotationsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly assignments: AssignmentsService,
    private readonly annotations: AnnotationsService,
    private readonly changes: AnnotationChangesService,
    private readonly inspections: InspectionsService,
  ) {}

  /**
   * Gives you a context of the open round to write for. It is kept for you for a while, and the same until you send, skip or flag it; `contrast` asks for an
   * earlier example that is to be changed so that its label flips.
   */
  @Post('tasks/:slug/annotate/next')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: NextContext })
  async next(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: AskNext.prefault({}) }) body: AskNext,
  ): Promise<NextContext> {
    const task = await this.tasks.get(slug);
    return nextView(task, await this.assignments.next(principal, task, body));
  }

  /**
   * Sends an example, and answers with what the models say. The same key again is the same example; with `?trial` nothing is kept, and the context need not be
   * yours.
   */
  @Post('tasks/:slug/rounds/:number/annotations')
  @ApiQuery({ name: 'trial', required: false, allowEmptyValue: true, schema: { type: 'string' } })
  @ApiCreatedResponse({ standardSchema: AnnotationView })
  @ApiOkResponse({
    standardSchema: z.union([AnnotationView, TrialView]),
    description: 'it was here already, or this is a trial',
  })
  async write(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: Writing }) { trial }: z.infer<typeof Writing>,
    @Body({ schema: WriteAnnotation }) body: WriteAnnotation,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnnotationView | TrialView> {
    const task = await this.tasks.get(slug);
    if (trial) {
      void reply.status(HttpStatus.OK);
      return trialView(task.definition, await this.annotations.tryOut(principal, task, number, body));
    }
    const { annotation, created } = await this.annotations.submit(principal, task, number, body);
    if (!created) void reply.status(HttpStatus.OK);
    return this.view(principal, annotation);
  }

  /** Which words of an example mattered to the model, before it is sent. */
  @Post('tasks/:slug/rounds/:number/inspect')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: InspectionView })
  async inspectInput(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Body({ schema: InspectInput }) body: InspectInput,
  ): Promise<InspectionView> {
    return inspectionView(await this.inspections.ofInput(principal, await this.tasks.get(slug), number, body));
  }

  /** An example; for who wrote it, and the owner of the task. */
  @Get('annotations/:id')
  @ApiOkResponse({ standardSchema: AnnotationView })
  async get(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<AnnotationView> {
    return this.view(principal, await this.changes.get(principal, id));
  }

  /** Adds explanations and answers to the task's own questions; says whether the models are wrong where the task asks. */
  @Patch('annotations/:id')
  @ApiOkResponse({ standardSchema: AnnotationView })
  async change(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: ChangeAnnotation }) body: ChangeAnnotation,
  ): Promise<AnnotationView> {
    return this.view(principal, await this.changes.change(principal, id, body));
  }

  /** Takes an example of yours back, until its round is frozen. */
  @Post('annotations/:id/retract')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: AnnotationView })
  async retract(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<AnnotationView> {
    return this.view(principal, await this.changes.retract(principal, id));
  }

  /** Which words of an example mattered to the model that it was written against. */
  @Post('annotations/:id/inspect')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: InspectionView })
  async inspect(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: InspectAnnotation.prefault({}) }) { label }: InspectAnnotation,
  ): Promise<InspectionView> {
    return inspectionView(await this.inspections.ofAnnotation(principal, id, label));
  }

  /** Passes a context over, with a reason if you like: you are not given it again. */
  @Post('contexts/:id/skip')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async skip(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: SkipContext.prefault({}) }) { reason }: SkipContext,
  ): Promise<void> {
    await this.changes.mark(principal, id, 'skip', reason ?? null);
  }

  /** Says what is wrong with a context: you are not given it again, and its owner sees it. */
  @Post('contexts/:id/flag')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async flag(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: FlagContext }) { reason }: FlagContext,
  ): Promise<void> {
    await this.changes.mark(principal, id, 'flag', reason);
  }

  private async view(principal: Principal, annotation: Annotation): Promise<AnnotationView> {
    return annotationView(annotation, await this.changes.modelNames(principal, annotation));
  }
}

const inspectionView = ({ method, fields }: Inspection): InspectionView => ({
  method,
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, tokens]) => [name, tokens.map((each) => ({ ...each }))]),
  ),
});
