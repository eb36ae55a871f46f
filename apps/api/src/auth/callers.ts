import { CredentialsService, type Principal } from '@assay/identity';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SessionCookie } from './session-cookie.js';

/** Identifies the caller of a request by its bearer token or session cookie. */
@Injectable()
export class Callers {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly cookie: SessionCookie,
  ) {}

  /** Returns the caller, or null if the request has no credential that is still valid. */
  async of(request: FastifyRequest): Promise<Principal | null> {
    const secret = bearerOf(request) ?? this.cookie.of(request.cookies);
    return secret === undefined ? null : this.credentials.authenticate(secret);
  }
}

export const bearerOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
