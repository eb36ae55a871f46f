import { MailConfirmationsService } from '@assay/accounts';
import {
  ChangePassword,
  CreateToken,
  Login,
  LoginByToken,
  Register,
  TokenCreated,
  TokenView,
  UserView,
} from '@assay/contracts/identity';
import { AccountsService, type AttemptOrigin, CredentialsService } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Access, CurrentUser, Id, MaybeUser, type Principal } from '../routes.js';
import { Environment } from '../environment.js';
import { clientNetworkOf } from '../limits/request-limits.js';
import { logSignOut } from '../observability/security-log.js';
import { DeviceCookie, SessionCookie } from './session-cookie.js';
import { SessionStart, userView } from './session-start.js';

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

  /**
   * Creates an account and signs it in with a session cookie. `registration` of `GET /auth/ways` says who
   * may.
   */
  @Post('auth/register')
  @Access({ cost: 'sign-in', unverified: true })
  @ApiCreatedResponse({ standardSchema: UserView })
  async register(
    @Body({ schema: Register }) body: Register,
    @MaybeUser() before: Principal | null,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserView> {
    const user = await this.accounts.register(body, this.environment.registration);
    if (this.environment.mails) await this.confirmations.ask(user.id);
    return this.sessions.start(user, { method: 'password' }, before, { request, reply });
  }

  /**
   * Signs in with a session cookie, for browsers. Programs send a token instead. If the request
   * carries a session cookie, that session ends.
   */
  @Post('auth/login')
  @Access({ cost: 'sign-in', unverified: true })
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
      device === null ? { kind: 'network', id: clientNetworkOf(request.ip) } : { kind: 'device', id: device };
    const user = await this.accounts.verify(body, origin);
    return this.sessions.start(user, { method: 'password' }, before, { request, reply });
  }

  /**
   * Signs in with a token and sets a session cookie. This is for users without a password, such as
   * the administrator of a new installation. The token needs the `all` scope, and the session ends
   * with the token at the latest.
   */
  @Post('auth/login-by-token')
  @Access({ cost: 'sign-in', unverified: true })
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
    // a session has the `all` scope: a token of a smaller scope would gain rights, and a session
    // would be extended
    if (!token || token.id !== principal.credentialId || principal.scope !== 'all') {
      throw new DomainError(
        'unauthenticated',
        'invalid_token',
        'You cannot sign in with this token. It has expired, was revoked, is mistyped, or does not have the `all` scope.',
      );
    }
    const user = await this.accounts.get(principal.userId);
    return this.sessions.start(user, { method: 'token', token }, before, { request, reply });
  }

  /** Ends the session of the cookie, and deletes the cookie. */
  @Post('auth/logout')
  @Access({ unverified: true })
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

  /** Returns the user of the token or session. */
  @Get('me')
  @ApiOkResponse({ standardSchema: UserView })
  async me(@CurrentUser() principal: Principal): Promise<UserView> {
    return userView(await this.accounts.get(principal.userId));
  }

  /**
   * Changes your password. All your other sessions end. Your tokens remain valid unless you set
   * `endTokens`.
   */
  @Post('me/password')
  @Access({ cost: 'sign-in', unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async changePassword(
    @CurrentUser() principal: Principal,
    @Body({ schema: ChangePassword }) body: ChangePassword,
  ): Promise<void> {
    await this.accounts.changePassword(principal, body, new Date());
  }

  /**
   * Creates a token for programs. The response contains its secret, which is shown only once. If
   * you use a token to create another one, the new token ends with it at the latest.
   */
  @Post('tokens')
  @Access({ unverified: true })
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

  /** Returns your tokens, without their secrets. */
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

  /**
   * Revokes a token. This also revokes the tokens that were created with it, and ends the sessions
   * that were started with it.
   */
  @Delete('tokens/:id')
  @Access({ unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async revokeToken(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<void> {
    await this.credentials.revoke(principal, id);
  }
}
