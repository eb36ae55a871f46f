import { AuditEntryList, WhichEntries } from '@assay/contracts/operations';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Administrator, ApiQueries, type Principal } from '../routes.js';
import { AuditEntries } from './audit-entries.js';

@ApiTags('administration')
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly entries: AuditEntries) {}

  /**
   * Returns the audit log, newest entry first. For administrators only. Entries are only ever
   * added, and rejected requests have none.
   */
  @Get()
  @ApiQueries(WhichEntries)
  @ApiOkResponse({ standardSchema: AuditEntryList })
  async list(
    @Administrator() _administrator: Principal,
    @Query({ schema: WhichEntries }) which: WhichEntries,
  ): Promise<AuditEntryList> {
    return this.entries.list(which);
  }
}
