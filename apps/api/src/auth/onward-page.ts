import type { FastifyReply } from 'fastify';

/**
 * Sends a page that forwards a browser, which comes from another site, to `path`. This is a page
 * and not a redirect: browsers treat the request that follows a redirect as started by the other
 * site, and would not send the session cookie with it.
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
