import { CollectionNumbersService, SaturationService, TrendService } from '@assay/collection';
import { CollectionNumbers, SaturationView, TaskNumbersQuery, TrendQuery, TrendView } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiQueries } from '../api-queries.js';
import { MaybeUser } from '../auth/principal.guard.js';
import { RoundNumber } from '../rounds/round-number.js';

@ApiTags('numbers')
@Controller('tasks/:slug')
export class CollectionNumbersController {
  constructor(
    private readonly tasks: TasksService,
    private readonly collected: CollectionNumbersService,
    private readonly trends: TrendService,
    private readonly saturations: SaturationService,
  ) {}

  /**
   * How collecting goes in a task, over all its rounds: counts, model error rates with intervals, times. By target, rounds that are not closed are left out
   * but for the owner of the task; by annotator, anybody else sees themselves.
   */
  @Get('numbers')
  @ApiQueries(TaskNumbersQuery)
  @ApiOkResponse({ standardSchema: CollectionNumbers })
  async ofTask(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: TaskNumbersQuery }) { by }: TaskNumbersQuery,
  ): Promise<CollectionNumbers> {
    return this.collected.ofTask({ principal, task: await this.tasks.get(slug), by });
  }

  /** How collecting goes in a round. By target only the owner of the task is told before the round is closed. */
  @Get('rounds/:number/numbers')
  @ApiQueries(TaskNumbersQuery)
  @ApiOkResponse({ standardSchema: CollectionNumbers })
  async ofRound(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: TaskNumbersQuery }) { by }: TaskNumbersQuery,
  ): Promise<CollectionNumbers> {
    return this.collected.ofRound({ principal, task: await this.tasks.get(slug), by }, number);
  }

  /** The top models of each round's time on its dataset, those in the loop marked. */
  @Get('trend')
  @ApiQueries(TrendQuery)
  @ApiOkResponse({ standardSchema: TrendView })
  async trend(@Param('slug') slug: string, @Query({ schema: TrendQuery }) { models }: TrendQuery): Promise<TrendView> {
    return this.trends.trend(await this.tasks.get(slug), models);
  }

  /** How near the best models came to people over time, by dataset and for the task: first model −1, people 0. */
  @Get('saturation')
  @ApiOkResponse({ standardSchema: SaturationView })
  async saturation(@Param('slug') slug: string): Promise<SaturationView> {
    return this.saturations.saturation(await this.tasks.get(slug));
  }
}
