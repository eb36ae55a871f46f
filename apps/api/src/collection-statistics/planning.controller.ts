import { RoundCostsService, RoundPlans } from '@assay/collection/planning';
import { RoundsService } from '@assay/collection/rounds';
import { PlanQuery, RoundCosts, RoundPlan } from '@assay/contracts/planning';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, ApiQueries, CurrentUser, MaybeUser, type Principal, RoundNumber } from '../routes.js';

@ApiTags('numbers')
@Controller('tasks/:slug')
export class PlanningController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly plans: RoundPlans,
    private readonly costs: RoundCostsService,
  ) {}

  /**
   * Returns how many examples the next round needs so that the models that could be first can be told
   * apart. The number follows from the paired differences of their answers so far, and from the
   * clusters of the examples. The owner of the task also gets the expected pay.
   */
  @Get('plan')
  @Access({ cost: 'costly' })
  @ApiQueries(PlanQuery)
  @ApiOkResponse({ standardSchema: RoundPlan })
  async plan(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: PlanQuery }) { detect }: PlanQuery,
  ): Promise<RoundPlan> {
    return this.plans.plan(principal, await this.tasks.get(slug), detect);
  }

  /**
   * Returns what a round has paid to crowd workers, in total, for each example, for each validated
   * example, and for each validated example that fooled a model. Only the owner of the task can read
   * it.
   */
  @Get('rounds/:number/costs')
  @ApiOkResponse({ standardSchema: RoundCosts })
  async roundCosts(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
  ): Promise<RoundCosts> {
    const task = await this.tasks.getOwned(principal, slug);
    return this.costs.ofRound(task, await this.rounds.get(task, number));
  }
}
