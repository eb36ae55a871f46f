import { RoundsService } from '@assay/collection/rounds';
import { ValidatorFigures } from '@assay/collection/validating';
import { ValidatorList } from '@assay/contracts/collection';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentUser, type Principal, RoundNumber } from '../routes.js';

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
  @ApiOkResponse({ standardSchema: ValidatorList })
  async list(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
  ): Promise<ValidatorList> {
    const task = await this.tasks.getOwned(principal, slug);
    return { items: await this.figures.of(await this.rounds.get(task, number)) };
  }
}
