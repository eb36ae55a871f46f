import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopback } from '@assay/contracts';
import type { ProvenPerson } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Injectable, Logger } from '@nestjs/common';
import * as openid from 'openid-client';
import { z } from 'zod';
import { Environment } from '../environment.js';

const TIMEOUT_SECONDS = 10;
/**
 * The `max_age` of a sign-in, in seconds: the provider need not ask a user again who authenticated
 * within this time. Sending it makes the provider return `auth_time` (OpenID Connect Core 3.1.2.1).
 */
const KNOWN_SECONDS = 30 * 86_400;
const CALLBACK = '/api/v1/auth/provider/callback';

/** The values that the provider's response must match. */
export interface ExpectedAnswer {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/**
 * The purpose of an authentication. `sign-in`: the provider may rely on an earlier authentication.
 * `proof`: the person must authenticate at the provider again.
 */
export type AskedFor = 'sign-in' | 'proof';

const Email = z.email().max(254);

/** The OpenID provider of this service: authorisation code flow with PKCE, state and nonce. */
@Injectable()
export class OpenidProvider {
  private readonly logger = new Logger(OpenidProvider.name);
  private discovered: Promise<openid.Configuration> | undefined;

  constructor(private readonly environment: Environment) {}

  /** The name to show. Null if there is no provider. */
  get name(): string | null {
    return this.environment.provider?.name ?? null;
  }

  /**
   * Returns the URL at which the browser signs in, and the values that the response must match.
   * @throws DomainError `no_provider`, `provider_refused`, `provider_unavailable`
   */
  async begin(askedFor: AskedFor): Promise<ExpectedAnswer & { readonly url: string }> {
    const configuration = await this.configuration();
    const [state, nonce, codeVerifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()];
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.environment.publicUrl + CALLBACK,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(askedFor === 'proof' ? { prompt: 'login', max_age: '0' } : { max_age: String(KNOWN_SECONDS) }),
    });
    return { state, nonce, codeVerifier, url: url.href };
  }

  /**
   * Returns the person whom the provider has authenticated.
   * @param search the query of the address that the browser returned to
   * @throws DomainError `no_provider`, `provider_refused`, `provider_unavailable`,
   *   `email_not_verified`
   */
  async complete(search: string, { state, nonce, codeVerifier }: ExpectedAnswer): Promise<ProvenPerson> {
    const configuration = await this.configuration();
    const address = new URL(this.environment.publicUrl + CALLBACK + search);
    const claims = await this.answered(async () => {
      const tokens = await openid.authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const proven = tokens.claims()!;
      if (proven['email'] !== undefined) return proven;
      const { iss, sub, auth_time } = proven;
      return { ...(await openid.fetchUserInfo(configuration, tokens.access_token, sub)), iss, auth_time };
    });
    return personOf(claims);
  }

  private async configuration(): Promise<openid.Configuration> {
    this.discovered ??= this.answered(() => this.discover());
    this.discovered.catch(() => (this.discovered = undefined));
    return this.discovered;
  }

  private async discover(): Promise<openid.Configuration> {
    const { provider, home } = this.environment;
    if (!provider)
      throw new DomainError('not-found', 'no_provider', 'No sign-in provider is configured on this service.');
    const secret = provider.clientSecret ?? (await readFile(join(home, 'oidc-client-secret'), 'utf8').catch(() => ''));
    const authentication = secret.trim() === '' ? openid.None() : openid.ClientSecretBasic(secret.trim());
    return openid.discovery(new URL(provider.issuer), provider.clientId, {}, authentication, {
      timeout: TIMEOUT_SECONDS,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- not obsolete; loopback only
      execute: isLoopback(provider.issuer) ? [openid.allowInsecureRequests] : [],
    });
  }

  /**
   * Runs `work`. The provider's own error goes only to the log, never to the user.
   * @throws DomainError `provider_refused`, `provider_unavailable`
   */
  private async answered<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.logger.warn(`the OpenID provider failed: ${reasonOf(error)}`);
      throw isUnreachable(error) ? unavailable() : refused();
    }
  }
}

function personOf(claims: Readonly<Record<string, unknown>>): ProvenPerson {
  const { iss, sub, email_verified: isVerified, auth_time: time } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string') throw refused();
  const email = Email.safeParse(claims['email']);
  const provenAt = typeof time === 'number' ? new Date(time * 1000).toISOString() : null;
  if (email.success && isVerified === true) return { issuer: iss, subject: sub, email: email.data, provenAt };
  throw new DomainError(
    'forbidden',
    'email_not_verified',
    'The provider did not send a verified email address for you. Verify your address with the provider, then sign in again.',
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

/** Returns whether the error comes from the network or the time limit. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError
    ? error.message === 'fetch failed'
    : error instanceof openid.ClientError && error.code === 'OAUTH_TIMEOUT';

const refused = (): DomainError =>
  new DomainError('unauthenticated', 'provider_refused', 'The provider did not confirm your identity. Sign in again.');
const unavailable = (): DomainError =>
  new DomainError('unavailable', 'provider_unavailable', 'The provider does not answer. Try again in a moment.');
