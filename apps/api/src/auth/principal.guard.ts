import { CredentialsService, isAdministrator, type Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { accessOf, requireScope, scopeOf } from '../access/access.js';
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

interface AuthenticatedRequest extends FastifyRequest {
  principal?: Principal | null;
}

/** Sets the principal of the request from its bearer token or session cookie. */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(private readonly callers: Callers) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const principal = await this.callers.of(request);
    request.principal = principal && { ...principal, address: request.ip };
    return true;
  }
}

/**
 * Rejects an invalid token instead of ignoring it, and a token whose scope does not allow the
 * request. Runs after the request was counted.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { principal } = request;
    if (principal) requireScope(principal, scopeOf(request.method, accessOf(request).scope));
    else if (bearerOf(request) !== undefined) {
      throw new DomainError(
        'unauthenticated',
        'invalid_token',
        'Invalid token. It has expired, was revoked, or is mistyped.',
      );
    }
    return true;
  }
}

const principalOf = (context: ExecutionContext): Principal | null =>
  context.switchToHttp().getRequest<AuthenticatedRequest>().principal ?? null;

function knownPrincipal(context: ExecutionContext): Principal {
  const principal = principalOf(context);
  if (principal) return principal;
  throw new DomainError('unauthenticated', 'sign_in', 'Sign in, or send a token: Authorization: Bearer <token>.');
}

/** The principal of the request. Rejects the request if there is none. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  knownPrincipal(context),
);

/** The principal of the request. Rejects the request of anyone who is not an administrator. */
export const Administrator = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = knownPrincipal(context);
  if (isAdministrator(principal)) return principal;
  throw new DomainError('forbidden', 'administrators_only', 'Only administrators may do this.');
});

/** The principal of the request, or null if there is none. */
export const MaybeUser = createParamDecorator((_: unknown, context: ExecutionContext): Principal | null =>
  principalOf(context),
);
