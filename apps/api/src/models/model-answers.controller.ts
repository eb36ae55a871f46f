import { AnsweredExamples, AnsweredExamplesQuery, ConfusionView, PerturbationQuery } from '@assay/contracts/comparison';
import { AnsweredExamplesService } from '@assay/leaderboard/answers';
import { ModelsService } from '@assay/submissions';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, ApiQueries, Id, MaybeUser, type Principal } from '../routes.js';

@ApiTags('models')
@Controller('models/:id/datasets/:name')
export class ModelAnswersController {
  constructor(
    private readonly models: ModelsService,
    private readonly answers: AnsweredExamplesService,
  ) {}

  /**
   * Returns a model's answers to the examples of an active dataset, with inputs and gold. Use
   * `outcome=wrong` for the errors of the model. `counts` has the number of examples in each slice
   * and of each label. Everybody can read answers on public datasets; the owner of the task can
   * read those on any dataset.
   */
  @Get('examples')
  @Access({ cost: 'costly' })
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

  /**
   * Returns the confusion matrix of a model on an active dataset of a label task. It counts how
   * often the model answered each gold label with each label.
   */
  @Get('confusion')
  @Access({ cost: 'costly' })
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
