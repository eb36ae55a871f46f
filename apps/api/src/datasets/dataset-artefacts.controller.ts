import { DatasetArtefacts } from '@assay/contracts/facts';
import { TasksService } from '@assay/tasks';
import { DatasetArtefactsService } from '@assay/tasks/datasets';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, MaybeUser, type Principal } from '../routes.js';

@ApiTags('datasets')
@Controller('tasks/:slug/datasets/:name/artefacts')
export class DatasetArtefactsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly artefacts: DatasetArtefactsService,
  ) {}

  /**
   * Returns what the examples of a dataset give away about their labels: how well a simple
   * classifier guesses them from each text input alone, and the words that go with a label. For
   * everybody who may read the examples with their labels.
   */
  @Get()
  @Access({ cost: 'costly' })
  @ApiOkResponse({ standardSchema: DatasetArtefacts })
  async of(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('name') name: string,
  ): Promise<DatasetArtefacts> {
    return this.artefacts.of(principal, await this.tasks.get(slug), name);
  }
}
