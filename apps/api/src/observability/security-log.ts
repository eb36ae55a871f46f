import type { ProblemDetails } from '@assay/contracts';
import type { Principal, SignInMethod, User } from '@assay/identity';
import { networkOf } from '@assay/identity/audit';
import { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '../auth/evaluator-access.js';

/** The statuses of requests that are not authenticated, not allowed, or too many. */
const GUARDED: readonly number[] = [401, 403, 429];

const logger = new Logger('Security');

/**
 * Logs a rejected request for the investigation of attacks: who was rejected, for what, from which
 * network. A request without any credential is logged at debug level, because its sender is merely
 * not signed in.
 */
export function logRefusal(request: FastifyRequest, { status, code }: ProblemDetails): void {
  if (!GUARDED.includes(status)) return;
  const { method, id, ip, principal, evaluator } = request as AuthenticatedRequest;
  const route = request.routeOptions.url ?? 'none';
  const user = principal?.userId;
  const caller = { user, ...(evaluator && { evaluator: evaluator.id }) };
  const line = { message: 'refused', request: id, code, status, method, route, network: networkOf(ip), ...caller };
  if (code === 'sign_in') logger.debug(line);
  else logger.log(line);
}

export function logSignIn({ ip, id }: FastifyRequest, user: User, method: SignInMethod): void {
  logger.log({ message: 'signed in', request: id, user: user.id, method, network: networkOf(ip) });
}

export function logSignOut({ ip, id }: FastifyRequest, { userId }: Principal): void {
  logger.log({ message: 'signed out', request: id, user: userId, network: networkOf(ip) });
}
