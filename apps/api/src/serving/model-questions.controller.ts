import { AskTargetModel } from '@assay/application';
import { AskModel, ModelAnswer } from '@assay/contracts/serving';
import { ModelsService } from '@assay/submissions';
import { Body, Controller, HttpCode, HttpStatus, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentUser, Id, type Principal } from '../routes.js';
import { QuestionLimit } from './question-limit.guard.js';

@ApiTags('models')
@Controller('models/:id')
export class ModelQuestionsController {
  constructor(
    private readonly models: ModelsService,
    private readonly questions: AskTargetModel,
  ) {}

  /**
   * Asks a model in the loop for its answer to an input of your own. Nothing is stored, and no
   * score is affected. You can ask 20 times a minute and 500 times a day.
   */
  @Post('predict')
  @Access({ cost: 'live', scope: 'submit' })
  @UseGuards(QuestionLimit)
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ModelAnswer })
  async predict(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: AskModel }) { input }: AskModel,
  ): Promise<ModelAnswer> {
    const model = await this.models.getVisible(principal, id);
    const { answer, probabilities, milliseconds, at } = await this.questions.execute(model, input);
    const { output } = model.task.definition;
    const labels = 'labels' in output ? output.labels : [];
    return {
      answer,
      ...(probabilities && {
        probabilities: Object.fromEntries(labels.map((label, place) => [label, probabilities[place] ?? 0])),
      }),
      milliseconds,
      at,
    };
  }
}
