import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const BEARER = /^Bearer ./i;
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses to change anything for a page of another site: a browser would send the cookie of who is signed in along, or sign them in as somebody else. A
 * token is something that no other site has, so who sends one may come from anywhere.
 * @param publicUrl how users reach the service
 */
export function refuseOtherSites(fastify: FastifyInstance, publicUrl: string): void {
  const own = new URL(publicUrl).origin;
  fastify.addHook('onRequest', (request, _reply, done) => {
    const isHarmless = READING.includes(request.method) || BEARER.test(request.headers.authorization ?? '');
    done(isHarmless || !isOfAnotherSite(request, own) ? undefined : otherSite());
  });
}

/** As the browser says; programs say nothing of the kind. `Sec-Fetch-Site` can't be forged by a page, nor spoiled by a proxy. */
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
    'A page of another site asked for this, so it was not done. Ask from a page of this service, or send a token: Authorization: Bearer <token>.',
  );
