import { isEvaluatorToken, type TokenHolder } from '@assay/evaluation/evaluators';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { bearerOf } from './callers.js';

/** A request with its caller: a user, or on routes for evaluators an evaluator. */
export interface AuthenticatedRequest extends FastifyRequest {
  principal?: Principal | null;
  evaluator?: TokenHolder | null;
}

/**
 * Returns the evaluator that sends a request to the gateway.
 * @throws DomainError `evaluator_token_required`, `invalid_token`, `evaluator_removed`,
 *   `evaluator_owner_blocked`
 */
export function requireEvaluator(request: AuthenticatedRequest): TokenHolder {
  const { evaluator = null, principal } = request;
  return expectHolder(evaluator, bearerOf(request), principal ? 'forbidden' : 'unauthenticated');
}

/**
 * Returns the evaluator that a token belongs to.
 * @param evaluator the holder of the token `bearer`; null if it has none
 * @param kind of the refusal of callers that are no evaluators
 * @throws DomainError as `requireEvaluator`
 */
export function expectHolder(
  evaluator: TokenHolder | null,
  bearer: string | undefined,
  kind: 'forbidden' | 'unauthenticated' = 'unauthenticated',
): TokenHolder {
  if (!evaluator) throw notAnEvaluator(kind, bearer);
  if (evaluator.state === 'removed') throw evaluatorRemoved();
  if (evaluator.isOwnerBlocked) {
    throw new DomainError(
      'unauthenticated',
      'evaluator_owner_blocked',
      'The account that owns this evaluator is blocked. Ask an administrator to unblock it.',
    );
  }
  return evaluator;
}

function notAnEvaluator(kind: 'forbidden' | 'unauthenticated', bearer: string | undefined): DomainError {
  if (kind === 'unauthenticated' && bearer !== undefined) return invalidToken();
  return new DomainError(
    kind,
    'evaluator_token_required',
    "Only evaluators can use this address. Send an evaluator's token: Authorization: Bearer assay_evaluator_…. `assay evaluator register NAME` creates one.",
  );
}

export const evaluatorRemoved = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'evaluator_removed',
    'This evaluator was removed. Register it again with `assay evaluator register NAME`, and start it with the new token.',
  );

/** The refusal of a bearer token that belongs to no caller of this route. */
export const refusedToken = (bearer: string): DomainError =>
  isEvaluatorToken(bearer)
    ? new DomainError(
        'unauthenticated',
        'evaluator_token_refused',
        "This is an evaluator's token, which is valid only under /api/v1/evaluator. Sign in, or send a token of a user.",
      )
    : invalidToken();

const invalidToken = (): DomainError =>
  new DomainError('unauthenticated', 'invalid_token', 'Invalid token. It has expired, was revoked, or is mistyped.');

/** The evaluator that sends the request. For routes that declare `evaluator` in `@Access`. */
export const CurrentEvaluator = createParamDecorator((_: unknown, context: ExecutionContext): TokenHolder =>
  requireEvaluator(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);
