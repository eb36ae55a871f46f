import type { FastifyReply } from 'fastify';

/** Of a request whose sender had gone before it was answered whole, as nginx counts it. */
const LEFT = 499;

/**
 * Tells once how a request ended, also where its sender leaves before that: `onResponse` is silent then. Replies that were hijacked are no exception.
 */
export function onceAnswered({ raw }: FastifyReply, tell: (status: number) => void): void {
  raw.once('close', () => tell(raw.writableFinished ? raw.statusCode : LEFT));
}
