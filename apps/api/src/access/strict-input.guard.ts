import { problemsText } from '@assay/contracts';
import { type Problem, DomainError } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { jsonSchema } from '../openapi/json-schema.js';
import { accessOf } from './access.js';

interface Taken {
  /** The keys of the query that the route reads. */
  readonly query: ReadonlySet<string>;
  readonly body: boolean;
}

type Arguments = Readonly<Record<string, { readonly schema?: z.ZodType }>>;

/**
 * Rejects what a route does not read: unknown keys of the query, and a body if the route takes
 * none.
 */
@Injectable()
export class StrictInputGuard implements CanActivate {
  private readonly taken = new WeakMap<object, Taken>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { query, body } = request;
    if (accessOf(request).query === 'any') return true;
    const handler = context.getHandler();
    const taken = this.taken.get(handler) ?? takenBy(context.getClass(), handler.name);
    this.taken.set(handler, taken);
    const problems = [
      ...Object.keys(query as object).filter((key) => !taken.query.has(key)),
      ...(taken.body ? [] : keysOf(body)),
    ].map((path): Problem => ({ path, message: 'unknown field' }));
    if (problems.length === 0) return true;
    throw new DomainError('invalid', 'validation_failed', problemsText(problems), problems);
  }
}

function takenBy(controller: object, method: string): Taken {
  const all = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Arguments;
  const of = (type: RouteParamtypes) => Object.entries(all).filter(([key]) => key.startsWith(`${type}:`));
  const queries = of(RouteParamtypes.QUERY).flatMap(([, { schema }]) => (schema ? [schema] : []));
  return {
    query: new Set(queries.flatMap((schema) => Object.keys(jsonSchema(schema).properties ?? {}))),
    body: of(RouteParamtypes.BODY).length > 0,
  };
}

/** Returns the names to report of a body that was sent to a route that takes none. */
const keysOf = (body: unknown): string[] =>
  typeof body === 'object' && body !== null ? Object.keys(body) : body === undefined || body === '' ? [] : ['body'];
