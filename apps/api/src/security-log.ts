import type { ProblemDetails } from '@assay/contracts';
import { networkOf, type Principal, type SignInMethod, type User } from '@assay/identity';
import { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Who did not prove who they are, may not, or asks too often. */
const GUARDED: readonly number[] = [401, 403, 429];

const logger = new Logger('Security');

/** Whoever looks into an attack reads here who was refused what, from which network. Who comes without any proof only has not signed in. */
export function logRefusal(request: FastifyRequest, { status, code }: ProblemDetails): void {
  if (!GUARDED.includes(status)) return;
  const { method, id, ip, principal } = request as FastifyRequest & { readonly principal?: Principal | null };
  const route = request.routeOptions.url ?? 'none';
  const user = principal?.userId;
  const line = { message: 'refused', request: id, code, status, method, route, network: networkOf(ip), user };
  if (code === 'sign_in') logger.debug(line);
  else logger.log(line);
}

export function logSignIn({ ip, id }: FastifyRequest, user: User, method: SignInMethod): void {
  logger.log({ message: 'signed in', request: id, user: user.id, method, network: networkOf(ip) });
}

export function logSignOut({ ip, id }: FastifyRequest, { userId }: Principal): void {
  logger.log({ message: 'signed out', request: id, user: userId, network: networkOf(ip) });
}
