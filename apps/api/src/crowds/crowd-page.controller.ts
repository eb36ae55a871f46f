import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrowdLinks, type CrowdLink } from '@assay/collection/crowds';
import { DomainError } from '@assay/kernel';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AnyQuery } from '../access/strict-input.guard.js';
import { Environment } from '../environment.js';

/**
 * Serves the page on which crowd workers write examples, as the dashboard's build left it. The page
 * contains no data about them: its script keeps the token in memory, and stores a secret of the
 * browser. Without a build it is not found.
 */
@ApiExcludeController()
@Controller('crowd')
export class CrowdPageController {
  private readonly page: string | null;

  constructor(
    private readonly links: CrowdLinks,
    { dashboard }: Environment,
  ) {
    const path = join(dashboard, 'crowd/index.html');
    this.page = existsSync(path) ? readFileSync(path, 'utf8') : null;
  }

  @Get(':link')
  @AnyQuery()
  @Header('cache-control', 'no-store')
  async show(@Param('link') signed: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    if (this.page === null) throw DomainError.notFound('page');
    // the page itself shows what is wrong with a link, but no site may embed it then
    const link = await this.links.signed(signed).catch((error: unknown) => {
      if (error instanceof DomainError) return null;
      throw error;
    });
    const nonce = randomBytes(16).toString('base64');
    void reply
      .removeHeader('x-frame-options')
      .header('content-security-policy', policy(link, nonce))
      .header('content-type', 'text/html; charset=utf-8');
    return this.page.replaceAll('NONCE', nonce);
  }
}

/**
 * Returns the Content Security Policy of the page: it loads only files of the service, its style
 * elements have the nonce of the response, only the link's `frameAncestors` may embed it, and it
 * sends forms only to the link's `submitTo`.
 */
function policy(link: CrowdLink | null, nonce: string): string {
  const list = (origins: readonly string[] | undefined) => (origins?.length ? origins.join(' ') : "'none'");
  return [
    "default-src 'none'",
    "object-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'none'",
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'self'",
    `form-action ${list(link?.submitTo)}`,
    `frame-ancestors ${list(link?.frameAncestors)}`,
  ].join('; ');
}
