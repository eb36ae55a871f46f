import type { IssuedCredential } from '@assay/identity';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../environment.js';

export const SESSION_COOKIE = 'assay_session';

/**
 * The cookie that holds a session. Scripts can't read it, other sites don't send it; where the service is reached by https it is sent over nothing
 * else, and its name keeps browsers from taking one that another host below the same domain has set.
 */
@Injectable()
export class SessionCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  constructor({ publicUrl }: Environment) {
    this.isSecure = publicUrl.startsWith('https:');
    this.name = this.isSecure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
  }

  /** The secret of the session, if there is one among the cookies of a request. */
  of(cookies: Readonly<Record<string, string | undefined>>): string | undefined {
    return cookies[this.name];
  }

  set(reply: FastifyReply, { credential, secret }: IssuedCredential): void {
    void reply.setCookie(this.name, secret, {
      ...this.settings(),
      ...(credential.expiresAt && { expires: credential.expiresAt }),
    });
  }

  clear(reply: FastifyReply): void {
    void reply.clearCookie(this.name, this.settings());
  }

  private settings() {
    return { path: '/', httpOnly: true, sameSite: 'strict', secure: this.isSecure } as const;
  }
}
