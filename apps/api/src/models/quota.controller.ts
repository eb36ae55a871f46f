import { QuotaView } from '@assay/contracts/models';
import { StorageItems, UserStorageView } from '@assay/contracts/operations';
import { ModelsService } from '@assay/submissions';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Principal } from '../routes.js';
import { StorageUses } from './storage-uses.js';

@ApiTags('models')
@Controller()
export class QuotaController {
  constructor(
    private readonly tasks: TasksService,
    private readonly models: ModelsService,
    private readonly storage: StorageUses,
  ) {}

  /**
   * Returns your submission quota in a task. It states how much you have used, how much is allowed,
   * and when the daily quota resets.
   */
  @Get('tasks/:slug/quota')
  @ApiOkResponse({ standardSchema: QuotaView })
  async quota(@CurrentUser() principal: Principal, @Param('slug') slug: string): Promise<QuotaView> {
    return this.models.quota(principal, await this.tasks.get(slug));
  }

  /** Returns the storage that you use, and your limit. */
  @Get('me/storage')
  @ApiOkResponse({ standardSchema: UserStorageView })
  async storageUse(@CurrentUser() { userId }: Principal): Promise<UserStorageView> {
    return this.storage.of(userId);
  }

  /**
   * Returns the items in your storage, largest first. `POST /models/ID/archive` frees the storage
   * of a model.
   */
  @Get('me/storage/items')
  @ApiOkResponse({ standardSchema: StorageItems })
  async storageItems(@CurrentUser() { userId }: Principal): Promise<StorageItems> {
    return this.storage.items(userId);
  }
}
