import type { FastifyReply } from 'fastify';

/** nginx's 499: the client closed the connection before the response was complete. */
const LEFT = 499;

/**
 * Calls `tell` once with the status of the response when the request ends. Also does so if the
 * client disconnects first, when Fastify's `onResponse` hook does not run, and for hijacked
 * replies.
 */
export function onResponseEnd({ raw }: FastifyReply, tell: (status: number) => void): void {
  raw.once('close', () => tell(raw.writableFinished ? raw.statusCode : LEFT));
}
