import { UsersService } from '@assay/accounts';
import { ChangeUser, ManagedUser, ManagedUserList, UserStorageView, WhichUsers } from '@assay/contracts/operations';
import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Administrator, ApiQueries, Id, type Principal } from '../routes.js';
import { StorageUses } from '../models/storage-uses.js';
import { ManagedUserRepository } from './managed-user.repository.js';

@ApiTags('administration')
@Controller('admin/users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly managedUsers: ManagedUserRepository,
    private readonly storage: StorageUses,
  ) {}

  /** Returns the accounts, newest first. For administrators only. */
  @Get()
  @ApiQueries(WhichUsers)
  @ApiOkResponse({ standardSchema: ManagedUserList })
  async list(
    @Administrator() _administrator: Principal,
    @Query({ schema: WhichUsers }) which: WhichUsers,
  ): Promise<ManagedUserList> {
    return this.managedUsers.list(which);
  }

  /** Returns the storage that a user uses, and the user's limit. For administrators only. */
  @Get(':id/storage')
  @ApiOkResponse({ standardSchema: UserStorageView })
  async storageOf(
    @Administrator() _administrator: Principal,
    @Param('id', { schema: Id }) id: string,
  ): Promise<UserStorageView> {
    return this.storage.of(id);
  }

  /**
   * Changes the role, the block, the verification or the storage limit of a user. For administrators only. You cannot
   * change your own account, and you cannot demote or block the last administrator.
   */
  @Patch(':id')
  @ApiOkResponse({ standardSchema: ManagedUser })
  async change(
    @Administrator() administrator: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: ChangeUser }) change: ChangeUser,
  ): Promise<ManagedUser> {
    await this.users.change(administrator, id, change);
    return this.managedUsers.get(id);
  }
}
