import { readFileSync } from 'node:fs';
import { CrowdLinks, type CrowdLink } from '@assay/collection/crowds';
import { DomainError } from '@assay/kernel';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AnyQuery } from '../access/strict-input.guard.js';

const file = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');
const ASSETS: Readonly<Record<string, string>> = {
  'crowd.js': 'text/javascript; charset=utf-8',
  'crowd.css': 'text/css; charset=utf-8',
};

/**
 * Serves the page on which crowd workers write examples. The page contains no data about them: its
 * script keeps the token in memory, and stores a secret of the browser.
 */
@ApiExcludeController()
@Controller('crowd')
export class CrowdPageController {
  private readonly page = file('crowd.html');
  private readonly assets = new Map(Object.keys(ASSETS).map((name) => [name, file(name)]));

  constructor(private readonly links: CrowdLinks) {}

  @Get('assets/:name')
  @Header('cache-control', 'no-cache')
  asset(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    const content = this.assets.get(name);
    if (content === undefined) throw DomainError.notFound('file');
    void reply.header('content-type', ASSETS[name]!);
    return content;
  }

  @Get(':link')
  @AnyQuery()
  @Header('cache-control', 'no-store')
  async show(@Param('link') signed: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    // the page itself shows what is wrong with a link, but no site may embed it then
    const link = await this.links.signed(signed).catch((error: unknown) => {
      if (error instanceof DomainError) return null;
      throw error;
    });
    void reply
      .removeHeader('x-frame-options')
      .header('content-security-policy', policy(link))
      .header('content-type', 'text/html; charset=utf-8');
    return this.page;
  }
}

/**
 * Returns the Content Security Policy of the page: it loads only its own files, only the link's
 * `frameAncestors` may embed it, and it sends forms only to the link's `submitTo`.
 */
function policy(link: CrowdLink | null): string {
  const list = (origins: readonly string[] | undefined) => (origins?.length ? origins.join(' ') : "'none'");
  return [
    "default-src 'none'",
    "object-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    `form-action ${list(link?.submitTo)}`,
    `frame-ancestors ${list(link?.frameAncestors)}`,
  ].join('; ');
}
