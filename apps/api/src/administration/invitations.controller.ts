import { InvitationCreated, InvitationList } from '@assay/contracts/operations';
import { InvitationsService } from '@assay/identity/invitations';
import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Environment } from '../environment.js';
import { Administrator, ApiQueries, firstPage, Id, Page, partById, type Principal } from '../routes.js';

@ApiTags('administration')
@Controller('admin/invitations')
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly environment: Environment,
  ) {}

  /**
   * Creates an invitation. One person can register with its link within 14 days. The response contains the
   * link, which is shown only once. For administrators only.
   */
  @Post()
  @ApiCreatedResponse({ standardSchema: InvitationCreated })
  async create(@Administrator() administrator: Principal): Promise<InvitationCreated> {
    const { invitation, secret } = await this.invitations.create(administrator);
    const url = `${this.environment.publicUrl}/register#${secret}`;
    return { id: invitation.id, url, endsAt: invitation.endsAt.toISOString() };
  }

  /** Returns the invitations, newest first. For administrators only. */
  @Get()
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: InvitationList })
  async list(
    @Administrator() _administrator: Principal,
    @Query({ schema: Page }) query: Page,
  ): Promise<InvitationList> {
    return firstPage(await this.invitations.list(partById(query)), query, (invitation) => invitation);
  }

  /** Withdraws an invitation that nobody has used. For administrators only. */
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async withdraw(@Administrator() administrator: Principal, @Param('id', { schema: Id }) id: string): Promise<void> {
    await this.invitations.withdraw(administrator, id);
  }
}
