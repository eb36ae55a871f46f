import {
  CollectionStatisticsService,
  OverviewService,
  SaturationService,
  TrendService,
} from '@assay/collection/statistics';
import {
  CollectionNumbers,
  OverviewView,
  SaturationView,
  TaskNumbersQuery,
  TrendQuery,
  TrendView,
} from '@assay/contracts/annotating';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Access, ApiQueries, MaybeUser, paged, type Principal, RoundNumber } from '../routes.js';

const OverviewQuery = z.strictObject(paged);

@ApiTags('numbers')
@Controller('tasks/:slug')
export class CollectionNumbersController {
  constructor(
    private readonly tasks: TasksService,
    private readonly collected: CollectionStatisticsService,
    private readonly trends: TrendService,
    private readonly saturations: SaturationService,
  ) {}

  /**
   * Returns the collection statistics of a task over all its rounds. They contain counts, model
   * error rates with intervals, and times. With `by=target`, rounds that are not closed are
   * excluded unless you own the task. With `by=annotator`, you see only your own group unless you
   * own the task.
   */
  @Get('numbers')
  @Access({ cost: 'costly' })
  @ApiQueries(TaskNumbersQuery)
  @ApiOkResponse({ standardSchema: CollectionNumbers })
  async ofTask(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: TaskNumbersQuery }) { by }: TaskNumbersQuery,
  ): Promise<CollectionNumbers> {
    return this.collected.ofTask({ principal, task: await this.tasks.get(slug), by });
  }

  /**
   * Returns the collection statistics of a round. Until the round is closed, only the owner of the
   * task can request them with `by=target`.
   */
  @Get('rounds/:number/numbers')
  @Access({ cost: 'costly' })
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

  /**
   * Returns how the top models at the time of each round performed on the dataset of that round.
   * Models in the loop are marked.
   */
  @Get('trend')
  @Access({ cost: 'costly' })
  @ApiQueries(TrendQuery)
  @ApiOkResponse({ standardSchema: TrendView })
  async trend(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: TrendQuery }) { models }: TrendQuery,
  ): Promise<TrendView> {
    return this.trends.trend(await this.tasks.get(slug), models, principal);
  }

  /**
   * Returns how close the best models came to human performance over time. There is a curve for
   * each dataset and one for the task. On its scale, human performance is 0, and the first model is
   * −1, or +1 if it is better than people.
   */
  @Get('saturation')
  @Access({ cost: 'costly' })
  @ApiOkResponse({ standardSchema: SaturationView })
  async saturation(@MaybeUser() principal: Principal | null, @Param('slug') slug: string): Promise<SaturationView> {
    return this.saturations.saturation(await this.tasks.get(slug), principal);
  }
}

@ApiTags('numbers')
@Controller('overview')
export class OverviewController {
  constructor(private readonly overviews: OverviewService) {}

  /**
   * Returns an overview of the tasks, the oldest first: rounds, examples, vMER, and the leading
   * models.
   */
  @Get()
  @ApiQueries(OverviewQuery)
  @ApiOkResponse({ standardSchema: OverviewView })
  async overview(
    @MaybeUser() principal: Principal | null,
    @Query({ schema: OverviewQuery }) query: z.infer<typeof OverviewQuery>,
  ): Promise<OverviewView> {
    return this.overviews.overview(principal, query);
  }
}
