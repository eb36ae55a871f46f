import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IssuedCredential } from '@assay/identity';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../environment.js';

export const SESSION_COOKIE = 'assay_session';
const PROVIDER_COOKIE = 'assay_provider';
const DEVICE_COOKIE = 'assay_device';
const YEAR = 365 * 86_400_000;

type Cookies = Readonly<Record<string, string | undefined>>;

/**
 * A cookie that scripts cannot read. If the service is reached by https, the cookie is sent only
 * over https, and its `__Host-` prefix makes browsers reject a cookie that another host of the same
 * domain sets.
 */
abstract class SecretCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  constructor(
    name: string,
    private readonly sameSite: 'strict' | 'lax',
    publicUrl: string,
  ) {
    this.isSecure = publicUrl.startsWith('https:');
    this.name = this.isSecure ? `__Host-${name}` : name;
  }

  /** Returns the secret from the cookies of a request, or undefined. */
  of(cookies: Cookies): string | undefined {
    return cookies[this.name];
  }

  clear(reply: FastifyReply): void {
    void reply.clearCookie(this.name, this.settings());
  }

  write(reply: FastifyReply, secret: string, expires: Date | null): void {
    void reply.setCookie(this.name, secret, { ...this.settings(), ...(expires && { expires }) });
  }

  private settings() {
    return { path: '/', httpOnly: true, sameSite: this.sameSite, secure: this.isSecure } as const;
  }
}

/** The cookie of a session. Browsers do not send it with requests that other sites start. */
@Injectable()
export class SessionCookie extends SecretCookie {
  constructor({ publicUrl }: Environment) {
    super(SESSION_COOKIE, 'strict', publicUrl);
  }

  set(reply: FastifyReply, { credential, secret }: IssuedCredential): void {
    this.write(reply, secret, credential.expiresAt ?? null);
  }
}

/**
 * The cookie of a provider sign-in in progress. Browsers also send it when the provider directs
 * them back.
 */
@Injectable()
export class ProviderCookie extends SecretCookie {
  constructor({ publicUrl }: Environment) {
    super(PROVIDER_COOKIE, 'lax', publicUrl);
  }
}

/**
 * Marks a browser that has signed in to an account. The wrong passwords of this browser are counted
 * separately, so that those of strangers do not lock it out. The cookie proves nothing else.
 */
export class DeviceCookie extends SecretCookie {
  /** @param key a secret of this installation of at least 32 bytes */
  constructor(
    { publicUrl }: Environment,
    private readonly key: Uint8Array,
  ) {
    super(DEVICE_COOKIE, 'strict', publicUrl);
  }

  set(reply: FastifyReply, email: string): void {
    const id = randomUUID();
    this.write(reply, `${id}.${this.signature(id, email)}`, new Date(Date.now() + YEAR));
  }

  /**
   * Returns the ID of the browser if it has signed in to the account with this address, otherwise
   * null.
   */
  idOf(cookies: Cookies, email: string): string | null {
    const [id = '', signature = ''] = (this.of(cookies) ?? '').split('.');
    const [given, right] = [signature, this.signature(id, email)].map((each) => Buffer.from(each)) as [Buffer, Buffer];
    return given.length === right.length && timingSafeEqual(given, right) ? id : null;
  }

  private signature(id: string, email: string): string {
    return createHmac('sha256', this.key).update(`${id}\n${email.toLowerCase()}`).digest('base64url');
  }
}
