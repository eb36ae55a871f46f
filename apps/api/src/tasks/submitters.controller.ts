import { TaskSubmitters } from '@assay/contracts/tasks';
import { TaskSubmittersService } from '@assay/tasks';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Principal } from '../routes.js';

@ApiTags('tasks')
@Controller('tasks/:slug/submitters')
export class SubmittersController {
  constructor(private readonly submitters: TaskSubmittersService) {}

  /** Returns the users who may submit models to one of your tasks. */
  @Get()
  @ApiOkResponse({ standardSchema: TaskSubmitters })
  async list(@CurrentUser() principal: Principal, @Param('slug') slug: string): Promise<TaskSubmitters> {
    const users = await this.submitters.list(principal, slug);
    return { usernames: users && users.map(({ username }) => username) };
  }

  /**
   * Sets who may submit models to one of your tasks: the users on a list of at most 1,000, or everyone. You
   * and administrators always may. Models that were submitted before stay.
   */
  @Put()
  @ApiOkResponse({ standardSchema: TaskSubmitters })
  async replace(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: TaskSubmitters }) { usernames }: TaskSubmitters,
  ): Promise<TaskSubmitters> {
    await this.submitters.replace(principal, slug, usernames);
    return this.list(principal, slug);
  }
}
