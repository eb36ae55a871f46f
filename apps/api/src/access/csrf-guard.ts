import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isReading } from './access.js';

const BEARER = /^Bearer ./i;

/**
 * Rejects cross-site requests that would change something (CSRF): a browser would send the cookie
 * of the signed-in user along, or sign the user in as somebody else. A request with a bearer token
 * may come from anywhere, because no other site has the token.
 * @param publicUrl the URL at which users reach the service
 */
export function rejectCrossSiteRequests(fastify: FastifyInstance, publicUrl: string): void {
  const own = new URL(publicUrl).origin;
  fastify.addHook('onRequest', (request, _reply, done) => {
    const isHarmless = isReading(request.method) || BEARER.test(request.headers.authorization ?? '');
    done(isHarmless || !isOfAnotherSite(request, own) ? undefined : otherSite());
  });
}

/**
 * Returns whether the browser says that the request comes from another site. Programs send no such
 * header. A page cannot forge `Sec-Fetch-Site`, and a proxy does not spoil it.
 */
function isOfAnotherSite({ headers, protocol, host }: FastifyRequest, own: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  return origin !== undefined && origin !== own && origin !== `${protocol}://${host}`;
}

const otherSite = (): DomainError =>
  new DomainError(
    'forbidden',
    'cross_site',
    'Cross-site request blocked. Use the dashboard, or authenticate with a bearer token (Authorization: Bearer <token>).',
  );
