import { MyModels } from '@assay/contracts/models';
import { ModelsService, type OwnModel } from '@assay/submissions';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiQueries, CurrentUser, firstPage, Page, partById, type Principal } from '../routes.js';

@ApiTags('models')
@Controller('me/models')
export class OwnModelsController {
  constructor(private readonly models: ModelsService) {}

  /** Returns the models that you submitted to any task, newest first, with the state of each. */
  @Get()
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: MyModels })
  async list(@CurrentUser() principal: Principal, @Query({ schema: Page }) query: Page): Promise<MyModels> {
    return firstPage(await this.models.listOwned(principal, partById(query)), query, ownModel);
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
