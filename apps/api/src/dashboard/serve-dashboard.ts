import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionCookie } from '../auth/session-cookie.js';
import { isPage } from './page-paths.js';
import { pageResponse } from './page-response.js';

/** The hash that the build adds to file names: letters, digits, `-` and `_`. */
const HASHED = /-[\w-]{8}\.[a-z0-9]+$/i;
const YEAR_SECONDS = 31_536_000;
/** The path prefixes below which there are no pages, not even for a browser. */
const NOT_PAGES = /^\/(api|metrics)(\/|$)/;
const FILE = /^\/[^/]+\.[a-z0-9]+$/i;

/**
 * Serves the built dashboard in `directory`: its files, as the build compressed them, and
 * `index.html` at the paths of its pages. `CrowdPageController` serves `crowd/index.html`. Any other
 * path is not found: programs get problem details, and browsers the page that says so. Without a
 * build, the root redirects to the API documentation.
 */
export async function serveDashboard(app: NestFastifyApplication, directory: string): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  const index = join(directory, 'index.html');
  if (!existsSync(index)) {
    server.get('/', (_request, reply) => reply.redirect('/api/docs'));
    return;
  }
  await app.register(fastifyStatic, {
    root: directory,
    // one route for each existing file, so that all other paths reach the handler of the pages
    wildcard: false,
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    globIgnore: ['**/index.html', '**/*.br'],
    setHeaders: (reply, path) => {
      const isHashed = HASHED.test(path.replace(/\.br$/, ''));
      void reply.header('cache-control', isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    },
  });
  const cookie = app.get(SessionCookie);
  const page = readFileSync(index, 'utf8');
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = request.url.split('?', 1)[0]!;
    const isKnown = isPage(path);
    if (!isKnown && (NOT_PAGES.test(path) || FILE.test(path) || !asksForPage(request))) {
      reply.callNotFound();
      return;
    }
    const told = page.replace('SESSION', cookie.of(request.cookies) ? 'yes' : 'no');
    void sendPage(told, path.startsWith('/embed/'), reply.status(isKnown ? 200 : 404));
  };
  server.get('/', answer);
  server.get('/*', answer);
}

/**
 * Returns whether a browser wants to show the response as a page. Programs accept anything, or
 * JSON.
 */
const asksForPage = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/i.test(headers.accept ?? '');

/**
 * Sends the page. No page has a style attribute in its markup: Angular, the charts and the editor set
 * styles through the CSSOM, which no policy restricts. But when a user types over text that the
 * editor of a task definition has coloured, Chromium itself writes that colour into an attribute. The
 * editor works as well without the attribute, but each one would be reported as a violation in the
 * console and hide any other. Pages that can show an editor therefore allow style attributes. These
 * run no code, and Markdown loses them before it is shown.
 */
function sendPage(page: string, isEmbedded: boolean, reply: FastifyReply): FastifyReply {
  if (isEmbedded) void reply.removeHeader('x-frame-options');
  const policy = {
    styleAttributes: isEmbedded ? "'none'" : "'unsafe-inline'",
    images: "'self' data: blob:",
    formAction: "'self'",
    frameAncestors: isEmbedded ? '*' : "'none'",
  };
  return reply.send(pageResponse(page, policy, reply));
}
