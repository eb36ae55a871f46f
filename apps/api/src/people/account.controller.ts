import { Readable } from 'node:stream';
import { DeleteAccount, ExportAccount } from '@assay/application';
import { AccountDeleted, DeleteAccount as DeletionRequest, PersonalExport } from '@assay/contracts/people';
import { Body, Controller, Get, HttpCode, HttpStatus, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, CurrentUser, type Principal } from '../routes.js';
import { SessionCookie } from '../auth/session-cookie.js';

@ApiTags('people')
@Controller('me')
export class AccountController {
  constructor(
    private readonly exports: ExportAccount,
    private readonly deletion: DeleteAccount,
    private readonly cookie: SessionCookie,
  ) {}

  /** Exports everything that is stored about you as one JSON file. */
  @Get('export')
  @Access({ cost: 'costly' })
  @ApiOkResponse({ standardSchema: PersonalExport })
  export(@CurrentUser() principal: Principal): StreamableFile {
    return new StreamableFile(Readable.from(this.exports.execute(principal.userId, new Date())), {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="assay-${principal.username}.json"`,
    });
  }

  /**
   * Permanently deletes your account. Nothing is linked to you any more. Your examples stay under a
   * pseudonym; if you set `text` to `remove`, their texts are removed. The frozen data of closed
   * rounds keeps the texts, because datasets never change.
   */
  @Post('deletion')
  @Access({ cost: 'sign-in', unverified: true })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: AccountDeleted })
  async delete(
    @CurrentUser() principal: Principal,
    @Body({ schema: DeletionRequest }) body: DeletionRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDeleted> {
    const deleted = await this.deletion.execute(principal, body);
    this.cookie.clear(reply);
    return deleted;
  }
}
