import { SessionList } from '@assay/contracts/identity';
import { endOf, lastUse, SessionsService } from '@assay/identity';
import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, CurrentUser, Id, type Principal } from '../routes.js';
import { SessionCookie } from './session-cookie.js';

@ApiTags('auth')
@Controller('me/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  /** Returns your active sessions. */
  @Get()
  @ApiOkResponse({ standardSchema: SessionList })
  async list(@CurrentUser() { userId, credentialId }: Principal): Promise<SessionList> {
    const sessions = await this.sessions.list(userId);
    return {
      items: sessions.map((session) => ({
        id: session.id,
        device: session.name,
        address: session.address ?? null,
        createdAt: session.createdAt.toISOString(),
        lastUsedAt: lastUse(session).toISOString(),
        expiresAt: endOf(session)?.toISOString() ?? null,
        current: session.id === credentialId,
      })),
    };
  }

  /** Ends one of your sessions. Ending the session that you use for the request signs you out. */
  @Delete(':id')
  @Access({ unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async end(
    @CurrentUser() { userId, credentialId }: Principal,
    @Param('id', { schema: Id }) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(userId, id);
    if (id === credentialId) this.cookie.clear(reply);
  }
}
