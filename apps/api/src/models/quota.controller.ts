import { QuotaView, StorageItems, UserStorageView } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { ModelsService } from '@assay/submissions';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../auth/principal.guard.js';
import { StorageUses } from './storage-uses.js';

@ApiTags('models')
@Controller()
export class QuotaController {
  constructor(
    private readonly tasks: TasksService,
    private readonly models: ModelsService,
    private readonly storage: StorageUses,
  ) {}

  /** Your submission quota in a task: used, allowed, and when the day's quota resets. */
  @Get('tasks/:slug/quota')
  @ApiOkResponse({ standardSchema: QuotaView })
  async quota(@CurrentUser() principal: Principal, @Param('slug') slug: string): Promise<QuotaView> {
    return this.models.quota(principal, await this.tasks.get(slug));
  }

  /** The storage that you use and may use. */
  @Get('me/storage')
  @ApiOkResponse({ standardSchema: UserStorageView })
  async storageUse(@CurrentUser() { userId }: Principal): Promise<UserStorageView> {
    return this.storage.of(userId);
  }

  /** The items in your storage, the largest first. `POST /models/ID/archive` frees that of a model. */
  @Get('me/storage/items')
  @ApiOkResponse({ standardSchema: StorageItems })
  async storageItems(@CurrentUser() { userId }: Principal): Promise<StorageItems> {
    return this.storage.items(userId);
  }
}
