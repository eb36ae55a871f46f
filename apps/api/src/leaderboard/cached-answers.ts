import { type BoardBody, encodedBody, LeaderboardService } from '@assay/leaderboard';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessOf } from '../access.js';
import { answerBytes, encodingOf } from '../table-answer.js';

/**
 * Answers requests for boards whose bytes are cached, before anything else is done for them: a
 * board does not depend on the caller, and its URL was parsed before. All other requests are
 * processed as usual.
 */
export function answerCachedBoards(app: NestFastifyApplication): void {
  const boards = app.get(LeaderboardService);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      if (!accessOf(request).cachedBoard || request.method !== 'GET') {
        done();
        return;
      }
      // a token may be invalid, and must be rejected then
      if (request.headers.authorization !== undefined || !isPlainlyJson(request)) {
        done();
        return;
      }
      boards
        .remembered(request.url)
        .then(async (body) => {
          if (body) void reply.send(await answerBoard(request, reply, body));
          else done();
        })
        .catch(done);
    });
}

/** Responds with a board in an encoding that the client accepts. */
export async function answerBoard(
  request: FastifyRequest,
  reply: FastifyReply,
  body: BoardBody,
): Promise<Buffer | undefined> {
  const encoding = encodingOf(request);
  return answerBytes(request, reply, await encodedBody(body, encoding), encoding);
}

/**
 * Returns whether the `Accept` header needs no negotiation: it is missing, accepts anything, or
 * names JSON first and no weights.
 */
export function isPlainlyJson({ headers: { accept } }: FastifyRequest): boolean {
  if (accept === undefined || accept === '*/*') return true;
  return accept.startsWith('application/json') && !/q=|csv|latex/.test(accept);
}
