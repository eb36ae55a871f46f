import type { FastifyReply } from 'fastify';

/**
 * Leads a browser that came from another site on to `path`. By a page and not by a redirect: what follows a redirect counts as begun by the other
 * site, and the session's cookie would not be sent with it.
 */
export async function onwardPage(reply: FastifyReply, path: string): Promise<void> {
  const address = path.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  await reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
    .send(
      `<!doctype html><html lang="en"><title>Assay</title><meta http-equiv="refresh" content="0;url=${address}">` +
        `<a href="${address}">Go on</a></html>`,
    );
}
