import {
  type Annotation,
  AnnotationChangesService,
  AnnotationsService,
  AssignmentsService,
  InspectionsService,
} from '@assay/collection/annotating';
import {
  AnnotationView,
  AskNext,
  ChangeAnnotation,
  FlagContext,
  InspectAnnotation,
  InspectInput,
  InspectionView,
  NextContext,
  SkipContext,
  TrialView,
  WriteAnnotation,
} from '@assay/contracts/annotating';
import { QueryFlag } from '@assay/contracts/text';
import { type Inspection } from '@assay/serving';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Access, CurrentUser, Id, type Principal, RoundNumber } from '../routes.js';
import { annotationView, nextView, trialView } from './annotation-view.js';

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
   * Assigns you a context of the open round to write an example for. The context is reserved for
   * you until `reservedUntil`. You get the same context again until you send an example for it,
   * skip it or flag it, or ask for another one. Use `contrast` to ask for an earlier example to
   * change so that its label flips.
   */
  @Post('tasks/:slug/annotate/next')
  @Access({ crowd: { own: 'task', state: 'working' } })
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
   * Submits an example and returns the answers of the models. Repeating a request with the same
   * `key` returns the same example. With `?trial`, the example is not stored, and the context does
   * not have to be assigned to you.
   */
  @Post('tasks/:slug/rounds/:number/annotations')
  @Access({ cost: 'live', crowd: { own: 'round', state: 'working' } })
  @ApiQuery({ name: 'trial', required: false, allowEmptyValue: true, schema: { type: 'string' } })
  @ApiCreatedResponse({ standardSchema: AnnotationView })
  @ApiOkResponse({
    standardSchema: z.union([AnnotationView, TrialView]),
    description: 'the example already exists, or this is a trial',
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

  /** Explains which words of an example matter to the model, before you submit the example. */
  @Post('tasks/:slug/rounds/:number/inspect')
  @Access({ cost: 'live', crowd: { own: 'round', state: 'working' } })
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

  /** Returns an example. Only its author and the owner of the task can read it. */
  @Get('annotations/:id')
  @Access({ crowd: { own: 'annotation', state: 'working' } })
  @ApiOkResponse({ standardSchema: AnnotationView })
  async get(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<AnnotationView> {
    return this.view(principal, await this.changes.get(principal, id));
  }

  /**
   * Adds explanations to an example, and answers to the task's own questions. If the task asks its
   * authors, it also sets whether the models answered incorrectly.
   */
  @Patch('annotations/:id')
  @Access({ crowd: { own: 'annotation', state: 'working' } })
  @ApiOkResponse({ standardSchema: AnnotationView })
  async change(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: ChangeAnnotation }) body: ChangeAnnotation,
  ): Promise<AnnotationView> {
    return this.view(principal, await this.changes.change(principal, id, body));
  }

  /** Retracts one of your examples. You can retract an example until its round is frozen. */
  @Post('annotations/:id/retract')
  @Access({ crowd: { own: 'annotation', state: 'working' } })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: AnnotationView })
  async retract(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<AnnotationView> {
    return this.view(principal, await this.changes.retract(principal, id));
  }

  /** Explains which words of an example mattered to the model that it was written against. */
  @Post('annotations/:id/inspect')
  @Access({ cost: 'live', crowd: { own: 'annotation', state: 'working' } })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: InspectionView })
  async inspect(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: InspectAnnotation.prefault({}) }) { label }: InspectAnnotation,
  ): Promise<InspectionView> {
    return inspectionView(await this.inspections.ofAnnotation(principal, id, label));
  }

  /** Skips a context, with an optional reason. You are not assigned this context again. */
  @Post('contexts/:id/skip')
  @Access({ crowd: { own: 'context', state: 'working' } })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async skip(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: SkipContext.prefault({}) }) { reason }: SkipContext,
  ): Promise<void> {
    await this.changes.mark(principal, id, 'skip', reason ?? null);
  }

  /**
   * Flags a context and states what is wrong with it. You are not assigned this context again, and
   * its owner sees the flag.
   */
  @Post('contexts/:id/flag')
  @Access({ crowd: { own: 'context', state: 'working' } })
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
