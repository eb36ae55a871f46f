import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrowdLinks } from '@assay/collection/crowds';
import { DomainError } from '@assay/kernel';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { pageResponse } from '../dashboard/page-response.js';
import { Environment } from '../environment.js';
import { Access } from '../routes.js';

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
  @Access({ query: 'any' })
  async show(@Param('link') signed: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    if (this.page === null) throw DomainError.notFound('page');
    // the page itself shows what is wrong with a link, but no site may embed it then
    const link = await this.links.signed(signed).catch((error: unknown) => {
      if (error instanceof DomainError) return null;
      throw error;
    });
    const list = (origins: readonly string[] | undefined) => (origins?.length ? origins.join(' ') : "'none'");
    const policy = {
      styleAttributes: "'none'",
      images: "'self' data:",
      formAction: list(link?.submitTo),
      frameAncestors: list(link?.frameAncestors),
    };
    void reply.removeHeader('x-frame-options');
    return pageResponse(this.page, policy, reply);
  }
}
