import { Readable } from 'node:stream';
import { AccountDeletionService, PersonalExportService } from '@assay/collection';
import { AccountDeleted, DeleteAccount, PersonalExport } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { Body, Controller, Get, HttpCode, HttpStatus, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentUser } from '../auth/principal.guard.js';
import { SessionCookie } from '../auth/session-cookie.js';

@ApiTags('people')
@Controller('me')
export class AccountController {
  constructor(
    private readonly exports: PersonalExportService,
    private readonly deletion: AccountDeletionService,
    private readonly cookie: SessionCookie,
  ) {}

  /** Everything that is kept about you, as one JSON file. */
  @Get('export')
  @ApiOkResponse({ standardSchema: PersonalExport })
  export(@CurrentUser() principal: Principal): StreamableFile {
    return new StreamableFile(Readable.from(this.exports.text(principal.userId, new Date())), {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="assay-${principal.username}.json"`,
    });
  }

  /**
   * Deletes your account, for good. Nothing is linked to you any more; your examples stay under a pseudonym, or their texts go where you ask for
   * it. What a closed round has frozen keeps them: datasets never change.
   */
  @Post('deletion')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: AccountDeleted })
  async delete(
    @CurrentUser() principal: Principal,
    @Body({ schema: DeleteAccount }) body: DeleteAccount,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDeleted> {
    const deleted = await this.deletion.delete(principal, body);
    this.cookie.clear(reply);
    return deleted;
  }
}
