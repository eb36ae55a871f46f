import { readFileSync } from 'node:fs';
import { CrowdLinks, type CrowdLink } from '@assay/collection';
import { DomainError } from '@assay/kernel';
import { AnyQuery } from '../known-keys.guard.js';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

const file = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');
const ASSETS: Readonly<Record<string, string>> = {
  'crowd.js': 'text/javascript; charset=utf-8',
  'crowd.css': 'text/css; charset=utf-8',
};

/** The page on which workers write. It holds nothing of them: its script keeps the token in memory, and a secret of the browser in its storage. */
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
    // the page itself says what is wrong with a link, but only where it may be shown
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

/** Its own files alone; in frames of the link's pages alone; forms to where the link lets work be sent. */
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
