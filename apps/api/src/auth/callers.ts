import { CredentialsService, type Principal } from '@assay/identity';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SessionCookie } from './session-cookie.js';

/** Who asks, by the bearer token or the session cookie of a request. */
@Injectable()
export class Callers {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly cookie: SessionCookie,
  ) {}

  /** Null where nobody has signed in, or not any more. */
  async of(request: FastifyRequest): Promise<Principal | null> {
    const secret = bearerOf(request) ?? this.cookie.of(request.cookies);
    return secret === undefined ? null : this.credentials.authenticate(secret);
  }
}

export const bearerOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
