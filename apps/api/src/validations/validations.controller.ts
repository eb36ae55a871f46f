import { RoundsService } from '@assay/collection/rounds';
import { OwnerDecisionsService, ValidationsService, ValidatorFigures } from '@assay/collection/validating';
import {
  AnswerItem,
  DecideAlone,
  DecisionView,
  GiveVerdict,
  ValidationItem,
  ValidationView,
  ValidatorList,
} from '@assay/contracts/collection';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, ApiQueries, CurrentUser, Id, Page, type Principal, RoundNumber } from '../routes.js';
import { decisionView, validationItem, validationView } from './validation-views.js';

@ApiTags('validations')
@Controller()
export class ValidationsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly validations: ValidationsService,
    private readonly decisions: OwnerDecisionsService,
  ) {}

  /**
   * Assigns you an example of another person to validate. You get the example that is already
   * assigned to you, or a new one. The response reveals neither its author, nor the models that it
   * was written against, nor the label that is held to be correct. The example is reserved for you
   * for 15 minutes.
   */
  @Post('tasks/:slug/validate/next')
  @Access({ crowd: { own: 'task', state: 'working' } })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ValidationItem })
  async next(@CurrentUser() principal: Principal, @Param('slug') slug: string): Promise<ValidationItem> {
    return validationItem(await this.validations.next(await this.tasks.get(slug), principal));
  }

  /**
   * Submits your blind label for an example that you were assigned. The response shows the author's
   * label and explanations, for your verdict.
   */
  @Post('annotations/:id/validations')
  @Access({ crowd: { own: 'annotation', state: 'working' } })
  @ApiCreatedResponse({ standardSchema: ValidationView })
  async answer(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: AnswerItem }) body: AnswerItem,
  ): Promise<ValidationView> {
    return validationView(await this.validations.answer(principal, id, body));
  }

  /**
   * Submits your verdict on an example that you have labelled. The verdict is correct, incorrect
   * with the right label, or flagged with a reason.
   */
  @Patch('validations/:id')
  @Access({ crowd: { own: 'validation', state: 'working' } })
  @ApiOkResponse({ standardSchema: ValidationView })
  async giveVerdict(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: GiveVerdict }) body: GiveVerdict,
  ): Promise<ValidationView> {
    return validationView(await this.validations.giveVerdict(principal, id, body));
  }

  /**
   * Decides on an example as the owner of its task. Your decision also overrules one of the
   * validators. The example is marked as decided by the owner.
   */
  @Post('annotations/:id/decide')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: DecisionView })
  async decide(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: DecideAlone }) body: DecideAlone,
  ): Promise<DecisionView> {
    return decisionView(await this.decisions.decide(principal, id, body));
  }
}

@ApiTags('validations')
@Controller('tasks/:slug/rounds/:number/validators')
export class ValidatorsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly figures: ValidatorFigures,
  ) {}

  /**
   * Returns the statistics of each validator of a round. These are the agreement with the
   * decisions, the rate on gold checks, and the time. Only the owner of the task can read them.
   */
  @Get()
  @Access({ cost: 'costly' })
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: ValidatorList })
  async list(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: Page }) page: Page,
  ): Promise<ValidatorList> {
    const task = await this.tasks.getOwned(principal, slug);
    return this.figures.list(await this.rounds.get(task, number), page);
  }
}
