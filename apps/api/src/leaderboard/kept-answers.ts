import { LeaderboardService } from '@assay/leaderboard';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { answerBytes } from '../table-answer.js';

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
      boards.remembered(request.url).then((body) => {
        if (body) void reply.send(answerBytes(request, reply, body));
        else done();
      }, done);
    });
}

/** Whether the header Accept needs no weighing: JSON is what it takes, or takes first. */
export function isPlainlyJson({ headers: { accept } }: FastifyRequest): boolean {
  if (accept === undefined || accept === '*/*') return true;
  return accept.startsWith('application/json') && !/q=|csv|latex/.test(accept);
}
