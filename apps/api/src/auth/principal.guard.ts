import { EvaluatorTokens } from '@assay/evaluation/evaluators';
import { isAdministrator, type Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf, requireConfirmedMail, requireScope, scopeOf } from '../access/access.js';
import { Environment } from '../environment.js';
import { bearerOf, Callers } from './callers.js';
import { type AuthenticatedRequest, refusedToken, requireEvaluator } from './evaluator-access.js';

/**
 * Sets the principal of the request from its bearer token or session cookie. On routes for evaluators,
 * sets the evaluator of the bearer token instead if there is one.
 */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(
    private readonly callers: Callers,
    private readonly evaluatorTokens: EvaluatorTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (accessOf(request).evaluator) {
      request.evaluator = await this.evaluatorTokens.holder(bearerOf(request) ?? '');
      if (request.evaluator) return true;
    }
    const principal = await this.callers.of(request);
    request.principal = principal && { ...principal, address: request.ip };
    return true;
  }
}

/**
 * Rejects an invalid token instead of ignoring it, and a token whose scope does not allow the
 * request. On routes for evaluators, rejects all other callers. In the registration mode `mail`, rejects
 * changes by accounts that are not verified. Runs after the request was counted.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(private readonly environment: Environment) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { principal, method } = request;
    const access = accessOf(request);
    const bearer = bearerOf(request);
    if (access.evaluator) requireEvaluator(request);
    else if (principal) {
      requireScope(principal, scopeOf(method, access.scope));
      if (this.environment.registration === 'mail') requireConfirmedMail(principal, method, access);
    } else if (bearer !== undefined) throw refusedToken(bearer);
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
