import { problemsText } from '@assay/contracts';
import { type Problem, DomainError } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { jsonSchema } from '../openapi/json-schema.js';

const ANY_QUERY = 'assay:any-query';
/**
 * Accepts any query. For pages whose URL others create and extend: a crowd platform or an OpenID
 * provider.
 */
export const AnyQuery = (): MethodDecorator => SetMetadata(ANY_QUERY, true);

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

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    if (this.reflector.get<boolean | undefined>(ANY_QUERY, handler)) return true;
    let taken = this.taken.get(handler);
    if (!taken) {
      taken = takenBy(context.getClass(), handler.name);
      this.taken.set(handler, taken);
    }
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
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
