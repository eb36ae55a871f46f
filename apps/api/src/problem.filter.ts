import { type ProblemDetails, problemsText, statusOfRefusal } from '@assay/contracts';
import { DomainError, RefusedForNow } from '@assay/kernel';
import { isConnectionLost, isSerializationFailure, isStatementTimeout } from '@assay/persistence/queries';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logRefusal } from './observability/security-log.js';
import { yamlOf } from './bodies/yaml-body.js';

const TITLE: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Authentication required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Format not available',
  409: 'Conflict',
  413: 'Too large',
  414: 'URL too long',
  408: 'The request took too long',
  415: 'Unsupported content type',
  422: 'The request is not valid',
  429: 'Too many requests',
  431: 'The headers are too large',
  503: 'Not available at the moment',
  507: 'Storage full',
};

/**
 * Converts everything that is thrown into RFC 9457 problem details. Unexpected errors are logged,
 * and their details are not sent.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    // the client has disconnected, often in the middle of an upload: there is nobody to answer
    if (isCutOff(error) && !http.getRequest<FastifyRequest>().raw.complete) return;
    const request = http.getRequest<FastifyRequest>();
    const problem = { ...this.problemOf(located(error, request)), requestId: request.id };
    if (reply.sent) return;
    if (problem.status === 503 || problem.status === 507) void reply.header('retry-after', '5');
    if (error instanceof RefusedForNow) void reply.header('retry-after', String(error.seconds));
    logRefusal(request, problem);
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
    void reply.status(problem.status).header('content-type', 'application/problem+json').send(JSON.stringify(problem));
  }

  private problemOf(error: unknown): ProblemDetails {
    if (error instanceof DomainError) {
      const problem = problemDetails(statusOfRefusal(error), error.code, error.message);
      return error.problems.length > 0 ? { ...problem, errors: error.problems.map((each) => ({ ...each })) } : problem;
    }
    const status = statusOf(error);
    if (status !== null && status < 500) {
      return problemDetails(status, CODE[status] ?? 'bad_request', (error as Error).message);
    }
    this.logger.error(error);
    return faultProblem(error);
  }
}

/** Returns the problem details of an unexpected error. */
export function faultProblem(error: unknown): ProblemDetails {
  if (isConnectionLost(error) || isStatementTimeout(error)) {
    return problemDetails(503, 'database_unavailable', 'The database does not answer. Try again in a moment.');
  }
  if (isSerializationFailure(error)) {
    return problemDetails(
      503,
      'overtaken',
      'Another request changed the same data at the same time. Your request changed nothing. Try again.',
    );
  }
  return problemDetails(
    500,
    'internal',
    'Internal error. It has been logged. If it happens again, report the request ID to the operator.',
  );
}

/** Adds the lines of the problems to an error about a YAML body. */
function located(error: unknown, request: FastifyRequest): unknown {
  const source = yamlOf(request);
  if (!source || !(error instanceof DomainError) || error.problems.length === 0 || error.kind === 'quota') return error;
  const problems = source.located(error.problems);
  const isAllOfThem = error.message === problemsText(error.problems);
  return new DomainError(error.kind, error.code, isAllOfThem ? problemsText(problems) : error.message, problems);
}

const CODE: Readonly<Record<number, string>> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
};

export function problemDetails(status: number, code: string, detail: string): ProblemDetails {
  return { type: 'about:blank', title: TITLE[status] ?? 'Something went wrong', status, code, detail };
}

/** Returns whether the request ended before its body did. */
const isCutOff = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ABORT_ERR');

/** Returns the status that Nest's exceptions and Fastify's errors carry, or null. */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error === 'object' && error !== null && 'statusCode' in error && typeof error.statusCode === 'number') {
    return error.statusCode;
  }
  return null;
}
