import {
  LinkProvider,
  ProviderAddress,
  ProviderLinkList,
  ProviderRegistration,
  ProviderStart,
  RegisterByProvider,
  SignInWays,
  UnlinkProvider,
  UserView,
} from '@assay/contracts/identity';
import { AccountsService, provenAtOf, ProviderSignInsService } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiFoundResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiQueries, CurrentUser, Id, MaybeUser, type Principal } from '../routes.js';
import { Environment } from '../environment.js';
import { OpenidProvider, type AskedFor } from './openid-provider.js';
import { ProviderCookie } from './session-cookie.js';
import { SessionStart } from './session-start.js';

@ApiTags('auth')
@Controller()
export class ProviderController {
  constructor(
    private readonly provider: OpenidProvider,
    private readonly signIns: ProviderSignInsService,
    private readonly accounts: AccountsService,
    private readonly cookie: ProviderCookie,
    private readonly sessions: SessionStart,
    private readonly environment: Environment,
  ) {}

  /** Returns the ways to sign in besides a password or a token, and who may register. */
  @Get('auth/ways')
  @ApiOkResponse({ standardSchema: SignInWays })
  ways(): SignInWays {
    const { name } = this.provider;
    return { provider: name === null ? null : { name }, registration: this.environment.registration };
  }

  /** Redirects the browser to the provider to sign in. */
  @Get('auth/provider')
  @Access({ cost: 'sign-in' })
  @ApiQueries(ProviderStart)
  @ApiFoundResponse({ description: 'to the provider' })
  async start(
    @MaybeUser() before: Principal | null,
    @Query({ schema: ProviderStart }) { next }: ProviderStart,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // a user who is already signed in does this to prove their identity
    const askedFor = before ? 'proof' : 'sign-in';
    const url = await this.begin(reply, { next, linkTo: null, replaces: before?.credentialId ?? null }, askedFor);
    void reply.redirect(url, HttpStatus.FOUND);
  }

  /**
   * Receives a browser that returns from the provider. Forwards it to the dashboard: signed in, to
   * choose a username, or with an error.
   */
  @Get('auth/provider/callback')
  @Access({ cost: 'sign-in', query: 'any' })
  @ApiOkResponse({ content: { 'text/html': { schema: { type: 'string' } } } })
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      await onwardPage(reply, await this.answered({ request, reply }));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await onwardPage(reply, `/sign-in?refused=${error.code}`);
    }
  }

  /** Returns the person whom the provider confirmed in this browser and who has no account yet. */
  @Get('auth/provider/registration')
  @ApiOkResponse({ standardSchema: ProviderRegistration })
  async registration(@Req() { cookies }: FastifyRequest): Promise<ProviderRegistration> {
    const { email } = await this.signIns.newcomer(this.cookie.of(cookies));
    return { email };
  }

  /**
   * Creates an account for the person whom the provider confirmed in this browser, and signs them
   * in.
   */
  @Post('auth/provider/registration')
  @Access({ cost: 'sign-in', unverified: true })
  @ApiCreatedResponse({ standardSchema: UserView })
  async register(
    @Body({ schema: RegisterByProvider }) { username }: RegisterByProvider,
    @MaybeUser() before: Principal | null,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserView> {
    const { user, provenAt } = await this.signIns.register(
      this.cookie.of(request.cookies),
      username,
      this.environment.registration,
    );
    this.cookie.clear(reply);
    return this.sessions.start(user, { method: 'provider', provenAt }, before, { request, reply });
  }

  /**
   * Starts to link your account to your identity at the provider. Open the `url` of the response in
   * the browser to complete the link. You can then sign in with the provider.
   */
  @Post('me/provider')
  @Access({ cost: 'sign-in', unverified: true })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ProviderAddress })
  async link(
    @CurrentUser() principal: Principal,
    @Body({ schema: LinkProvider }) { password }: LinkProvider,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProviderAddress> {
    await this.accounts.expectProof(principal, password, new Date());
    const { userId, credentialId } = principal;
    return { url: await this.begin(reply, { next: '/me/account', linkTo: userId, replaces: credentialId }, 'proof') };
  }

  /** Returns your links to providers that you can sign in with. */
  @Get('me/provider')
  @ApiOkResponse({ standardSchema: ProviderLinkList })
  async links(@CurrentUser() { userId }: Principal): Promise<ProviderLinkList> {
    const links = await this.signIns.links(userId);
    return { items: links.map(({ id, issuer, createdAt }) => ({ id, issuer, linkedAt: createdAt.toISOString() })) };
  }

  /**
   * Removes your link to a provider. You can no longer sign in with it, and all your other sessions
   * end. The request is rejected if the link is your only way to sign in.
   */
  @Post('me/provider/:id/unlink')
  @Access({ cost: 'sign-in', unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async unlink(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: UnlinkProvider }) { password }: UnlinkProvider,
  ): Promise<void> {
    await this.signIns.expectLink(principal.userId, id);
    await this.accounts.expectProof(principal, password, new Date());
    await this.signIns.unlink(principal, id);
  }

  private async begin(
    reply: FastifyReply,
    purpose: { readonly next: string; readonly linkTo: string | null; readonly replaces: string | null },
    askedFor: AskedFor,
  ): Promise<string> {
    const { url, ...expected } = await this.provider.begin(askedFor);
    const { secret, endsAt } = await this.signIns.begin({ ...expected, ...purpose });
    this.cookie.write(reply, secret, endsAt);
    return url;
  }

  /**
   * Completes a sign-in or a link.
   * @returns the path to forward the browser to
   */
  private async answered({ request, reply }: { request: FastifyRequest; reply: FastifyReply }): Promise<string> {
    const begun = await this.signIns.take(this.cookie.of(request.cookies));
    this.cookie.clear(reply);
    const { search } = new URL(request.url, 'http://localhost');
    const person = await this.provider.complete(search, begun);
    const { next, replaces, linkTo } = begun;
    const holder =
      linkTo === null
        ? await this.signIns.holder(person, this.environment.registration)
        : await this.signIns.link({ userId: linkTo, address: request.ip }, person);
    if (!holder) {
      const { secret, endsAt } = await this.signIns.begin(begun, person);
      this.cookie.write(reply, secret, endsAt);
      return `/sign-in/username?next=${encodeURIComponent(next)}`;
    }
    const before = replaces === null ? null : { credentialId: replaces };
    await this.sessions.start(holder, { method: 'provider', provenAt: provenAtOf(person) }, before, { request, reply });
    return next;
  }
}

/**
 * Sends a page that forwards a browser, which comes from another site, to `path`. This is a page
 * and not a redirect: browsers treat the request that follows a redirect as started by the other
 * site, and would not send the session cookie with it.
 */
async function onwardPage(reply: FastifyReply, path: string): Promise<void> {
  const address = path.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  await reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
    .send(
      `<!doctype html><html lang="en"><title>Assay</title><meta http-equiv="refresh" content="0;url=${address}">` +
        `<a href="${address}">Go on</a></html>`,
    );
}
