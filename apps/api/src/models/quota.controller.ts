import { QuotaView } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { ModelsService } from '@assay/submissions';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../auth/principal.guard.js';

@ApiTags('models')
@Controller('tasks/:slug/quota')
export class QuotaController {
  constructor(
    private readonly tasks: TasksService,
    private readonly models: ModelsService,
  ) {}

  /** How many submissions you have made of those that a task allows, and when the day's begin anew. */
  @Get()
  @ApiOkResponse({ standardSchema: QuotaView })
  async quota(@CurrentUser() principal: Principal, @Param('slug') slug: string): Promise<QuotaView> {
    return this.models.quota(principal, await this.tasks.get(slug));
  }
}
