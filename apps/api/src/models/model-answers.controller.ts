import { AnsweredExamples, AnsweredExamplesQuery, ConfusionView, PerturbationQuery } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { AnsweredExamplesService } from '@assay/leaderboard';
import { ModelsService } from '@assay/submissions';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiQueries } from '../api-queries.js';
import { MaybeUser } from '../auth/principal.guard.js';
import { Id } from '../id.js';

@ApiTags('models')
@Controller('models/:id/datasets/:name')
export class ModelAnswersController {
  constructor(
    private readonly models: ModelsService,
    private readonly answers: AnsweredExamplesService,
  ) {}

  /**
   * What a model answered to the examples of a dataset in force, beside inputs and gold. Of public datasets; of any for the owner of the task.
   * `outcome=wrong` gives its errors; `counts` says how many there are in each slice and of each label.
   */
  @Get('examples')
  @ApiQueries(AnsweredExamplesQuery)
  @ApiOkResponse({ standardSchema: AnsweredExamples })
  async examples(
    @MaybeUser() principal: Principal | null,
    @Param('id', { schema: Id }) id: string,
    @Param('name') name: string,
    @Query({ schema: AnsweredExamplesQuery }) query: AnsweredExamplesQuery,
  ): Promise<AnsweredExamples> {
    return this.answers.examples(principal, await this.models.getVisible(principal, id), name, query);
  }

  /** How often a model answered each gold label with each label, on a dataset in force of a label task. */
  @Get('confusion')
  @ApiQueries(PerturbationQuery)
  @ApiOkResponse({ standardSchema: ConfusionView })
  async confusion(
    @MaybeUser() principal: Principal | null,
    @Param('id', { schema: Id }) id: string,
    @Param('name') name: string,
    @Query({ schema: PerturbationQuery }) { perturbation }: PerturbationQuery,
  ): Promise<ConfusionView> {
    return this.answers.confusion(principal, await this.models.getVisible(principal, id), name, perturbation);
  }
}
