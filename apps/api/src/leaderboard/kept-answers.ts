import { type BoardBody, encodedBody, LeaderboardService } from '@assay/leaderboard';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerBytes, encodingOf } from '../table-answer.js';

const BOARD = '/api/v1/tasks/:slug/leaderboard';

/**
 * Answers requests for boards whose bytes are kept before anything else is done for them: who asks does not matter to a board, and its address was
 * read before. All else takes the usual way.
 */
export function answerKeptBoards(app: NestFastifyApplication): void {
  const boards = app.get(LeaderboardService);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.url !== BOARD || request.method !== 'GET') {
        done();
        return;
      }
      // a token may be wrong, and has to be refused then
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

/** Answers with a board in the encoding that the client takes. */
export async function answerBoard(
  request: FastifyRequest,
  reply: FastifyReply,
  body: BoardBody,
): Promise<Buffer | undefined> {
  const encoding = encodingOf(request);
  return answerBytes(request, reply, await encodedBody(body, encoding), encoding);
}

/** Whether the header Accept needs no weighing: JSON is what it takes, or takes first. */
export function isPlainlyJson({ headers: { accept } }: FastifyRequest): boolean {
  if (accept === undefined || accept === '*/*') return true;
  return accept.startsWith('application/json') && !/q=|csv|latex/.test(accept);
}
