import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionCookie } from '../auth/session-cookie.js';
import { isPage } from './page-paths.js';

/** The hash that the build adds to file names: letters, digits, `-` and `_`. */
const HASHED = /-[\w-]{8}\.[a-z0-9]+$/i;
const YEAR_SECONDS = 31_536_000;
/** Below these is no page, also not for a browser. */
const NOT_PAGES = /^\/(api|metrics)(\/|$)/;
const FILE = /^\/[^/]+\.[a-z0-9]+$/i;

/**
 * Serves the built dashboard in `directory`: its files, compressed as the build left them, and `index.html` at the paths of its pages. Any other path
 * is not found: a program gets problem details, a browser the page that says so. Without a build, the root redirects to the API documentation.
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
    // one route for each file there is, so that every other address is the page's
    wildcard: false,
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    globIgnore: ['index.html', '**/*.br'],
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

/** Whether a browser wants to show the answer as a page. Programs accept anything, or JSON. */
const asksForPage = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/i.test(headers.accept ?? '');

/** The page may run and load what the service itself serves, and nothing inline but the styles that carry the answer's nonce, and attributes (see `policy`). */
function sendPage(page: string, isEmbedded: boolean, reply: FastifyReply): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  if (isEmbedded) void reply.removeHeader('x-frame-options');
  return reply
    .header('cache-control', 'no-store')
    .header('content-type', 'text/html; charset=utf-8')
    .header(
      'content-security-policy',
      isEmbedded ? policy(nonce, "'none'", '*') : policy(nonce, "'unsafe-inline'", "'none'"),
    )
    .send(page.replaceAll('NONCE', nonce));
}

/**
 * No page of ours has a style attribute in its markup: what Angular, the charts and the editor set goes by CSSOM, which no policy restricts. But where
 * one types over text that the editor of a task's definition has coloured, Chromium itself writes that colour into an attribute. The editor is as good
 * without it; each time would be a breach in the console, though, among which nobody would see another. So attributes are let in, where there is an
 * editor: they run nothing, and Markdown loses them before it is shown.
 */
function policy(nonce: string, styleAttributes: string, ancestors: string): string {
  return [
    "default-src 'none'",
    "object-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    `style-src-attr ${styleAttributes}`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}
