import { AnnotatorBoardService } from '@assay/collection/people';
import { AnnotatorBoard } from '@assay/contracts/people';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Access, ApiQueries, MaybeUser, Page, type Principal } from '../routes.js';

const WhichRound = z.strictObject({
  ...Page.shape,
  round: z.coerce.number().int().optional().describe('number of a round; default: all of them'),
});

@ApiTags('people')
@Controller('tasks/:slug/annotators')
export class AnnotatorsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly boards: AnnotatorBoardService,
  ) {}

  /**
   * Returns the annotators of a task, best first. They are ranked by the share of their validated
   * examples that fooled a model. A task with a content warning has no such board.
   */
  @Get()
  @Access({ cost: 'costly' })
  @ApiQueries(WhichRound)
  @ApiOkResponse({ standardSchema: AnnotatorBoard })
  async board(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: WhichRound }) { round, ...page }: z.infer<typeof WhichRound>,
  ): Promise<AnnotatorBoard> {
    return this.boards.board(await this.tasks.get(slug), round ?? null, principal?.userId ?? null, page);
  }
}
