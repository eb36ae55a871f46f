import { OwnExamplesService } from '@assay/collection/people';
import { ANNOTATION_OUTCOMES } from '@assay/contracts/collection';
import { AppealList, AppealRequest, AppealView, MyExamples } from '@assay/contracts/people';
import { QueryFlag } from '@assay/contracts/text';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiQueries, CurrentUser, Id, paged, type Principal } from '../routes.js';

const WhichExamples = z.strictObject({
  task: z.string().optional().describe('short name of a task'),
  round: z.coerce.number().int().optional().describe('number of a round'),
  outcome: z
    .enum([...ANNOTATION_OUTCOMES, 'retracted'])
    .optional()
    .describe('only examples with this outcome'),
  ...paged,
});

const WhichAppeals = z.strictObject({
  open: QueryFlag.optional().describe('true: those that wait for an answer; false: the others'),
  ...paged,
});

@ApiTags('people')
@Controller()
export class OwnExamplesController {
  constructor(
    private readonly tasks: TasksService,
    private readonly examples: OwnExamplesService,
  ) {}

  /** Returns the examples that you wrote, newest first, with the outcome of each. */
  @Get('me/examples')
  @ApiQueries(WhichExamples)
  @ApiOkResponse({ standardSchema: MyExamples })
  async list(
    @CurrentUser() principal: Principal,
    @Query({ schema: WhichExamples }) which: z.infer<typeof WhichExamples>,
  ): Promise<MyExamples> {
    return this.examples.list(principal.userId, which);
  }

  /**
   * Asks the owner of the task to decide on one of your examples. You can appeal once, if the
   * example was rejected, flagged, relabelled or left undecided.
   */
  @Post('annotations/:id/appeal')
  @ApiCreatedResponse({ standardSchema: AppealView })
  async appeal(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: AppealRequest }) { reason }: AppealRequest,
  ): Promise<AppealView> {
    return this.examples.appeal(principal.userId, id, reason);
  }

  /**
   * Returns the appeals in one of your tasks, oldest first. Your decision on an example answers its
   * appeal.
   */
  @Get('tasks/:slug/appeals')
  @ApiQueries(WhichAppeals)
  @ApiOkResponse({ standardSchema: AppealList })
  async appeals(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Query({ schema: WhichAppeals }) which: z.infer<typeof WhichAppeals>,
  ): Promise<AppealList> {
    return this.examples.appeals(await this.tasks.getOwned(principal, slug), which);
  }
}
