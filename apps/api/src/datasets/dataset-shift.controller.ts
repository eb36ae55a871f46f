import { DatasetShift, ShiftQuery } from '@assay/contracts/facts';
import { TasksService } from '@assay/tasks';
import { DatasetShiftService } from '@assay/tasks/datasets';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, ApiQueries, MaybeUser, type Principal } from '../routes.js';

@ApiTags('datasets')
@Controller('tasks/:slug/datasets/:name/shift')
export class DatasetShiftController {
  constructor(
    private readonly tasks: TasksService,
    private readonly shifts: DatasetShiftService,
  ) {}

  /**
   * Returns what changed from another dataset to this one, by default from that of the previous round:
   * the shares of the labels, the lengths and words of the inputs, and how well a classifier tells the
   * two apart. For everybody who may read the examples of both.
   */
  @Get()
  @Access({ cost: 'costly' })
  @ApiQueries(ShiftQuery)
  @ApiOkResponse({ standardSchema: DatasetShift })
  async of(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Query({ schema: ShiftQuery }) { from }: ShiftQuery,
  ): Promise<DatasetShift> {
    return this.shifts.of(principal, await this.tasks.get(slug), name, from);
  }
}
