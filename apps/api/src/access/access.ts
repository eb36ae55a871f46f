import type { TokenScope } from '@assay/contracts/identity';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { RequestClass } from '../limits/request-classes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access?: RouteAccess;
  }
}

/** The kinds of uploaded files. */
export const FILE_KINDS = ['artifact', 'dataset', 'round'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** The requests of a route that crowd workers may send. */
export interface CrowdAccess {
  /** The object in the URL, which must belong to the worker's session. */
  readonly own: 'session' | 'task' | 'round' | 'context' | 'annotation' | 'validation';
  /** The required state of the session. `any` includes onboarding and finished sessions. */
  readonly state: 'working' | 'any';
}

/** The properties of a route that guards, limits and hooks read. */
export interface RouteAccess {
  /** Default: `read` for GET, HEAD and OPTIONS, `change` for other methods. */
  readonly cost?: RequestClass;
  /**
   * The smallest scope that a token needs, or the scope by method if the handler has several.
   * Default: `all`. GET, HEAD and OPTIONS always need `read` only.
   */
  readonly scope?: TokenScope | Readonly<Record<string, TokenScope>>;
  /** Default: crowd workers may not use the route. */
  readonly crowd?: CrowdAccess;
  /** The body is a file, which is streamed whatever its content type. Default: it is parsed. */
  readonly stream?: FileKind;
  /** `reported`: the response reports invalid YAML. Default: the request is rejected. */
  readonly badYaml?: 'reported';
}

/** Declares the access of a route. Fastify stores it in the configuration of the route. */
export const Access = (access: RouteAccess): MethodDecorator => RouteConfig({ access });

/** Returns the access that the route of a request declares. Works in every hook and guard. */
export const accessOf = ({ routeOptions }: FastifyRequest): RouteAccess => routeOptions.config.access ?? {};
