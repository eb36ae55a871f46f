import { MyModels } from '@assay/contracts/models';
import type { Principal } from '@assay/identity';
import { ModelsService, type OwnModel } from '@assay/submissions';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiQueries } from '../openapi/api-queries.js';
import { CurrentUser } from '../auth/principal.guard.js';
import { firstPage, Page, partById } from '../page.js';

@ApiTags('models')
@Controller('me/models')
export class OwnModelsController {
  constructor(private readonly models: ModelsService) {}

  /** Returns the models that you submitted to any task, newest first, with the state of each. */
  @Get()
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: MyModels })
  async list(@CurrentUser() principal: Principal, @Query({ schema: Page }) query: Page): Promise<MyModels> {
    const { items, nextCursor } = firstPage(
      await this.models.listOwned(principal, partById(query)),
      query,
      ({ id }) => id,
    );
    return { items: items.map(ownModel), ...(nextCursor && { nextCursor }) };
  }
}

const ownModel = (model: OwnModel): MyModels['items'][number] => ({
  id: model.id,
  task: model.task,
  taskName: model.taskName,
  name: model.name,
  kind: model.kind,
  state: model.state,
  ...(model.failure && { failure: model.failure }),
  published: model.published,
  withdrawn: model.withdrawn,
  createdAt: model.createdAt.toISOString(),
});
