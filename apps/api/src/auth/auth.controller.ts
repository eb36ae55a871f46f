import {
  ChangePassword,
  CreateToken,
  Login,
  LoginByToken,
  Register,
  TokenCreated,
  TokenView,
  UserView,
} from '@assay/contracts';
import {
  AccountsService,
  type AttemptOrigin,
  CredentialsService,
  MailConfirmationsService,
  type Principal,
} from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Environment } from '../environment.js';
import { householdOf } from '../household.js';
import { Id } from '../id.js';
import { logSignOut } from '../security-log.js';
import { CurrentUser, MaybeUser } from './principal.guard.js';
import { DeviceCookie, SessionCookie } from './session-cookie.js';
import { SessionStart } from './session-start.js';
import { userView } from './user-view.js';

const DAY = 86_400_000;

const TokenList = z.object({ items: z.array(TokenView) }).meta({ id: 'TokenList' });

@ApiTags('auth')
@Controller()
export class AuthController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionStart,
    private readonly cookie: SessionCookie,
    private readonly device: DeviceCookie,
    private readonly confirmations: MailConfirmationsService,
    private readonly environment: Environment,
  ) {}

  /** Makes an account, and signs it in with a cookie. */
  @Post('auth/register')
  @ApiCreatedResponse({ standardSchema: UserView })
  async register(
    @Body({ schema: Register }) body: Register,
    @MaybeUser() before: Principal | null,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserView> {
    const user = await this.accounts.register(body);
    if (this.environment.mails) await this.confirmations.ask(user.id);
    await this.sessions.start(user, { method: 'password' }, before, { request, reply });
    return userView(user);
  }

  /** Signs in with a cookie, for browsers; programs send a token. The session of a cookie that is sent along ends. */
  @Post('auth/login')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: UserView })
  async login(
    @Body({ schema: Login }) body: Login,
    @MaybeUser() before: Principal | null,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserView> {
    const device = this.device.idOf(request.cookies, body.email);
    const origin: AttemptOrigin =
      device === null ? { kind: 'network', id: householdOf(request.ip) } : { kind: 'device', id: device };
    const user = await this.accounts.verify(body, origin);
    await this.sessions.start(user, { method: 'password' }, before, { request, reply });
    return userView(user);
  }

  /** Signs in with a cookie by a token, for who has no password: the administrator of a new service. The session ends with the token. */
  @Post('auth/login-by-token')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: UserView })
  async loginByToken(
    @Body({ schema: LoginByToken }) body: LoginByToken,
    @MaybeUser() before: Principal | null,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserView> {
    const principal = await this.credentials.authenticate(body.token);
    const token = principal && (await this.credentials.tokenOf(principal));
    // a session is for all: a token for less would become one for more, and a session one that lasts longer
    if (!token || token.id !== principal.credentialId || principal.scope !== 'all') {
      throw new DomainError(
        'unauthenticated',
        'invalid_token',
        'This token is not valid to sign in with: it has ended, was revoked, is mistyped, or is not for all that you may do.',
      );
    }
    const user = await this.accounts.get(principal.userId);
    await this.sessions.start(user, { method: 'token', token }, before, { request, reply });
    return userView(user);
  }

  /** Ends the session of the cookie. */
  @Post('auth/logout')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async logout(
    @CurrentUser() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.credentials.endSession(principal);
    this.cookie.clear(reply);
    void reply.header('clear-site-data', '"cache"');
    logSignOut(request, principal);
  }

  /** The user of this token or session. */
  @Get('me')
  @ApiOkResponse({ standardSchema: UserView })
  async me(@CurrentUser() principal: Principal): Promise<UserView> {
    return userView(await this.accounts.get(principal.userId));
  }

  /** Changes your password. Wherever else you are signed in you are signed out; tokens go on, unless you say that they end. */
  @Post('me/password')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async changePassword(
    @CurrentUser() principal: Principal,
    @Body({ schema: ChangePassword }) body: ChangePassword,
  ): Promise<void> {
    await this.accounts.changePassword(principal, body, new Date());
  }

  /** Makes a token for programs. Its secret is shown this once. Made with a token it ends with that, and no later. */
  @Post('tokens')
  @ApiCreatedResponse({ standardSchema: TokenCreated })
  async createToken(
    @CurrentUser() principal: Principal,
    @Body({ schema: CreateToken }) { name, scope, days }: CreateToken,
  ): Promise<TokenCreated> {
    const user = await this.accounts.get(principal.userId);
    const expiresAt = new Date(Date.now() + days * DAY);
    const { credential, secret } = await this.credentials.issue(user, 'token', name, {
      by: principal,
      parent: await this.credentials.tokenOf(principal),
      scope,
      expiresAt,
    });
    return { id: credential.id, name, scope, expiresAt: credential.expiresAt?.toISOString() ?? null, token: secret };
  }

  /** Your tokens, without their secrets. */
  @Get('tokens')
  @ApiOkResponse({ standardSchema: TokenList })
  async listTokens(@CurrentUser() principal: Principal): Promise<z.infer<typeof TokenList>> {
    const tokens = await this.credentials.listTokens(principal.userId);
    return {
      items: tokens.map((token) => ({
        id: token.id,
        name: token.name,
        scope: token.scope,
        createdAt: token.createdAt.toISOString(),
        lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
        expiresAt: token.expiresAt?.toISOString() ?? null,
      })),
    };
  }

  /** Makes a token worthless, and with it what was made or begun with it. */
  @Delete('tokens/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async revokeToken(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<void> {
    await this.credentials.revoke(principal, id);
  }
}
