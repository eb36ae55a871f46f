import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** The sources in which the Content Security Policies of the pages differ. */
export interface PagePolicy {
  readonly styleAttributes: string;
  readonly images: string;
  readonly formAction: string;
  readonly frameAncestors: string;
}

/**
 * Sets the headers of a built page, and returns its text with the nonce of the response. It may run
 * and load what the service itself serves, and nothing inline except style elements with the nonce,
 * and what `policy` allows.
 */
export function pageResponse(page: string, policy: PagePolicy, reply: FastifyReply): string {
  const nonce = randomBytes(16).toString('base64');
  void reply
    .header('cache-control', 'no-store')
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', headerOf(policy, nonce));
  return page.replaceAll('NONCE', nonce);
}

function headerOf({ styleAttributes, images, formAction, frameAncestors }: PagePolicy, nonce: string): string {
  return [
    "default-src 'none'",
    "object-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    `style-src-attr ${styleAttributes}`,
    "font-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'self'",
    `form-action ${formAction}`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');
}
