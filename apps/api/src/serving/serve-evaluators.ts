import { statusOfRefusal } from '@assay/contracts';
import { LARGEST_LIVE_MESSAGE, LIVE_PATH } from '@assay/contracts/serving';
import { EvaluatorTokens, type TokenHolder } from '@assay/evaluation/evaluators';
import { DomainError } from '@assay/kernel';
import webSockets from '@fastify/websocket';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerOf } from '../auth/callers.js';
import { expectHolder } from '../auth/evaluator-access.js';
import { expectProtocol } from '../evaluators/evaluator-gateway.service.js';
import { problemDetails } from '../problem.filter.js';
import { EvaluatorConnections } from './evaluator-connections.js';

/**
 * Serves the WebSocket on which evaluators answer questions to the models that they serve. It is no
 * route of a controller, because guards and filters handle requests with one response.
 */
export async function serveEvaluators(app: NestFastifyApplication): Promise<void> {
  const logger = new Logger('EvaluatorConnections');
  const tokens = app.get(EvaluatorTokens);
  const connections = app.get(EvaluatorConnections);
  const holderOf = async (request: FastifyRequest): Promise<TokenHolder> => {
    const bearer = bearerOf(request);
    return expectHolder(await tokens.holder(bearer ?? ''), bearer);
  };

  await app.register(webSockets, { options: { maxPayload: LARGEST_LIVE_MESSAGE } });
  app
    .getHttpAdapter()
    .getInstance()
    .route<{ Querystring: { protocol?: string } }>({
      method: 'GET',
      url: `/api/v1${LIVE_PATH}`,
      preValidation: async (request, reply) => {
        try {
          await holderOf(request);
          expectProtocol(Number(request.query.protocol));
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          return refuse(request, reply, error);
        }
      },
      handler: (request, reply) =>
        refuse(request, reply, new DomainError('invalid', 'websocket_required', 'Connect with a WebSocket.')),
      wsHandler: async (socket, request) => {
        try {
          const { id } = await holderOf(request);
          await connections.add(id, socket, () => holderOf(request).then(() => true, isFault));
        } catch (error) {
          logger.error(error);
          socket.terminate();
        }
      },
    });
}

/** True for an error that is no refusal. */
const isFault = (error: unknown): boolean => !(error instanceof DomainError);

async function refuse(request: FastifyRequest, reply: FastifyReply, error: DomainError): Promise<FastifyReply> {
  const status = statusOfRefusal(error);
  const problem = { ...problemDetails(status, error.code, error.message), requestId: request.id };
  return reply.status(status).header('content-type', 'application/problem+json').send(JSON.stringify(problem));
}
